package inputs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// ErrInvalid is what every error about a document is: errors.Is matches it, and beside it the sentinel of the kind.
var ErrInvalid = errors.New("invalid document")

// The kinds of error about a document, each an [ErrInvalid].
var (
	// ErrMalformed: the bytes are not one JSON object (empty, broken, not UTF-8, with a byte order mark or trailing data).
	ErrMalformed = fmt.Errorf("%w: malformed", ErrInvalid)
	// ErrTooLarge: the document has more than [MaxBytes] bytes.
	ErrTooLarge = fmt.Errorf("%w: too large", ErrInvalid)
	// ErrTooDeep: the document nests deeper than [MaxDepth].
	ErrTooDeep = fmt.Errorf("%w: too deep", ErrInvalid)
	// ErrUnknownGate: the document names no gate, or one that is not known.
	ErrUnknownGate = fmt.Errorf("%w: unknown gate", ErrInvalid)
	// ErrUnknownField: the gate knows no field of this name.
	ErrUnknownField = fmt.Errorf("%w: unknown field", ErrInvalid)
	// ErrDuplicateField: a field stands twice in one object.
	ErrDuplicateField = fmt.Errorf("%w: duplicate field", ErrInvalid)
	// ErrMissingField: a required field is not there.
	ErrMissingField = fmt.Errorf("%w: missing field", ErrInvalid)
	// ErrWrongType: a field holds a value of another type, a fraction, or a null where null is not allowed.
	ErrWrongType = fmt.Errorf("%w: wrong type", ErrInvalid)
	// ErrOutOfRange: a field holds a number, a word or a name outside its range.
	ErrOutOfRange = fmt.Errorf("%w: out of range", ErrInvalid)
	// ErrContradiction: fields that are right alone contradict each other.
	ErrContradiction = fmt.Errorf("%w: contradiction", ErrInvalid)
)

// Error says what is wrong with a document, where, and what to do.
type Error struct {
	File    string // as the caller named it; empty for a document that was not read from anything
	Line    int    // from 1; 0 when unknown
	Column  int    // from 1, in code points; 0 when unknown
	Path    string // in the document: "$.primary.depth"
	Gate    string // of the document; empty where it names none that is known
	Problem string // what is wrong
	Mend    string // what to write instead
	Kind    error  // the sentinel
}

func (e *Error) Error() string {
	var text strings.Builder
	if e.File != "" {
		text.WriteString(PrintableName(e.File) + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&text, "%d:%d:", e.Line, e.Column)
	}
	if text.Len() > 0 {
		text.WriteByte(' ')
	}
	if e.Path != "" {
		text.WriteString(e.Path + ": ")
	}
	text.WriteString(e.Problem)
	if e.Mend != "" {
		text.WriteString("; " + e.Mend)
	}
	return text.String()
}

// Unwrap gives the sentinel of the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Printable escapes whatever in a text could write to a terminal (control and format characters, bytes that are no
// UTF-8), but for newlines and tabs: for what is echoed from files and names.
func Printable(text string) string {
	var clean strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			clean.WriteRune(r)
		} else {
			clean.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return clean.String()
}

// PrintableName is a name that goes on a line with other text: quoted when anything in it could write to a terminal.
func PrintableName(name string) string {
	if quoted := strconv.Quote(name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}

// shorten quotes what a document says for an error message, and cuts it where it is long.
func shorten(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(runes[:most])), len(text))
	}
	return strconv.Quote(text)
}
