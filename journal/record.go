package journal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/admitctl/admitctl/inputs"
)

// What reading can find. Reading goes on after an [ErrRecord].
var (
	// ErrRecord: one record of the log is broken, or of the wrong shape.
	ErrRecord = errors.New("broken record")
	// ErrTooLong: the record is longer than a record may be. It is an [ErrRecord].
	ErrTooLong = fmt.Errorf("%w: too long", ErrRecord)
	// ErrTorn: the log ends in the middle of a record, or its compressed data are damaged from some place on.
	ErrTorn = errors.New("torn log")
)

// Error says what is wrong with a log, and where.
type Error struct {
	File    string // as the caller named it; empty where it has no name
	Line    int    // from 1, on which the record begins
	Problem string // what is wrong, and what to do
	Kind    error  // the sentinel
}

func (e *Error) Error() string {
	name := "line "
	if e.File != "" {
		name = inputs.PrintableName(e.File) + ":"
	}
	return fmt.Sprintf("%s%d: %s", name, e.Line, e.Problem)
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Kind }

// Raw is a record as the log has it.
type Raw struct {
	File string // of the reader
	Line int    // from 1, on which it begins
	Text []byte
}

// Record is one decision of a log. Its slices of bytes lie in the text that was parsed, and are JSON.
type Record struct {
	DecisionID string
	Timestamp  time.Time
	Path       string   // "admission/fence/retry/decision"; "admission" of a document without a gate
	Revision   string   // of the policies that decided; empty where the record names none, or several
	Labels     []byte   // an object of strings; nil where there is none
	Input      []byte   // what was decided; nil where there is none, as of a document that could not be read
	Result     []byte   // what was decided of it, see [Decision]; nil where there is none
	Metrics    []byte   // an object; nil where there is none
	Erased     []string // what is left out of the record, as JSON pointers: "/input/intent_id"
	Masked     []string // what is replaced in it

	keys [][]byte // scratch
}

// Gate is the gate of the path: "fence.retry" of "admission/fence/retry/decision". It is empty for a path of anything
// else.
func (r *Record) Gate() string {
	name, ok := strings.CutPrefix(strings.TrimPrefix(r.Path, "/"), "admission/")
	if !ok {
		return ""
	}
	name, ok = strings.CutSuffix(name, "/decision")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(name, "/", ".")
}

// pathOf is where the policies have the decision of a gate; of a document that names none, it is all of them.
func pathOf(gate string) string {
	if gate == "" {
		return "admission"
	}
	return "admission/" + strings.ReplaceAll(gate, ".", "/") + "/decision"
}
