package tabulate

import (
	"fmt"

	"github.com/admitctl/admitctl/table"
)

// Unsupported says why a gate cannot be tabulated. It is decided by OPA then.
type Unsupported struct {
	Gate      string
	Rule      string       // the last name of the rule, such as "lands_in_time"
	Construct string       // what of it does not tabulate
	Mend      string       // what to write instead
	At        table.Origin // of the construct
}

// Error says it in one line.
func (u *Unsupported) Error() string {
	text := ""
	if u.At.File != "" {
		text = fmt.Sprintf("%s:%d: ", u.At.File, u.At.Line)
	}
	text += "gate " + u.Gate + " does not tabulate, and is decided by OPA"
	if u.Rule != "" {
		text += ": rule " + u.Rule
	}
	text += ": " + u.Construct
	if u.Mend != "" {
		text += "; " + u.Mend
	}
	return text
}
