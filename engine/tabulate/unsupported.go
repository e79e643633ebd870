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
	return u.place() + "gate " + u.Gate + " does not tabulate, and is decided by OPA: " + u.What()
}

// Where is [Unsupported.What], with its file and line before it.
func (u *Unsupported) Where() string { return u.place() + u.What() }

// What names the rule, the construct and what to write instead.
func (u *Unsupported) What() string {
	text := u.Construct
	if u.Rule != "" {
		text = "rule " + u.Rule + ": " + text
	}
	if u.Mend != "" {
		text += "; " + u.Mend
	}
	return text
}

func (u *Unsupported) place() string {
	if u.At.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", u.At.File, u.At.Line)
}
