package inputs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// want is what a field must hold.
type want struct {
	kind      Kind
	low, high int64    // of numbers, both included
	words     []string // of strings, where only some words are allowed; else an identifier
}

// The ranges of numbers: wide enough for every honest measurement, and no product of two that a gate computes passes
// 2^63.
const (
	maxCount   = 1 << 20
	maxAmount  = 1 << 40
	maxVersion = 1<<53 - 1
)

// What fields can hold: counts; amounts of milliseconds, tokens or characters; milliseconds until a deadline that may
// have passed; versions; flags; identifiers.
func counts() want      { return want{kind: KindNumber, high: maxCount} }
func amounts() want     { return want{kind: KindNumber, high: maxAmount} }
func slacks() want      { return want{kind: KindNumber, low: -maxAmount, high: maxAmount} }
func versions() want    { return want{kind: KindNumber, high: maxVersion} }
func flags() want       { return want{kind: KindFlag} }
func identifiers() want { return want{kind: KindText} }

func oneOf(words ...string) want { return want{kind: KindText, words: words} }

// describe says it in an error: "write …".
func (w want) describe(signal bool) string {
	text := "an identifier of 1 to 128 code points, without control or format characters or outer spaces"
	switch {
	case w.kind == KindNumber:
		text = fmt.Sprintf("a whole number from %d to %d", w.low, w.high)
	case w.kind == KindFlag:
		text = "true or false"
	case w.words != nil:
		quoted := make([]string, len(w.words))
		for i, word := range w.words {
			quoted[i] = strconv.Quote(word)
		}
		text = strings.Join(quoted, " or ")
	}
	if signal {
		text += ", or null when unknown"
	}
	return "write " + text
}

// read turns a token into a value; only whole numbers are numbers.
func (w want) read(token jsontext.Token, signal bool) (Value, *Error) {
	switch token.Kind() {
	case 'n':
		return Value{}, nil
	case 't', 'f':
		return Value{Kind: KindFlag, Flag: token.Kind() == 't'}, nil
	case '"':
		return Value{Kind: KindText, Text: token.String()}, nil
	case '0':
		text := token.String()
		if strings.ContainsAny(text, ".eE") || text == "-0" {
			return Value{}, &Error{Problem: shortNumber(text) + " is not written as a whole number", Mend: w.describe(signal), Kind: ErrWrongType}
		}
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return Value{}, &Error{Problem: shortNumber(text) + " is out of range", Mend: w.describe(signal), Kind: ErrOutOfRange}
		}
		return Value{Kind: KindNumber, Number: number}, nil
	}
	return Value{}, &Error{Problem: kindName(token.Kind()) + " is of the wrong type", Mend: w.describe(signal), Kind: ErrWrongType}
}

func shortNumber(text string) string {
	if len(text) > 40 {
		return fmt.Sprintf("%s… (%d digits)", text[:40], len(text))
	}
	return text
}

// holds reports whether check finds nothing wrong.
func (w *want) holds(value *Value, signal bool) bool {
	switch {
	case value.Kind == KindNull:
		return signal
	case value.Kind != w.kind:
		return false
	case w.kind == KindNumber && (value.Number < w.low || value.Number > w.high):
		return false
	case w.words != nil:
		return slices.Contains(w.words, value.Text)
	}
	return w.kind != KindText || ValidName(value.Text)
}

// check returns what is wrong with a value, without its place.
func (w want) check(value Value, signal bool) *Error {
	switch {
	case value.Kind == KindNull && signal:
		return nil
	case value.Kind == KindNull:
		return &Error{Problem: "null, and this is not a signal", Mend: w.describe(signal), Kind: ErrWrongType}
	case value.Kind != w.kind:
		return &Error{Problem: value.String() + " is of the wrong type", Mend: w.describe(signal), Kind: ErrWrongType}
	case w.kind == KindNumber && (value.Number < w.low || value.Number > w.high):
		return &Error{Problem: value.String() + " is out of range", Mend: w.describe(signal), Kind: ErrOutOfRange}
	case w.words != nil && !slices.Contains(w.words, value.Text):
		problem := shorten(value.Text) + " is not a word of this field"
		if nearest := Nearest(value.Text, w.words); nearest != "" {
			problem += fmt.Sprintf(" (did you mean %q?)", nearest)
		}
		return &Error{Problem: problem, Mend: w.describe(signal), Kind: ErrOutOfRange}
	case w.kind == KindText && w.words == nil:
		if problem := checkIdentifier(value.Text); problem != "" {
			return &Error{Problem: problem, Mend: w.describe(signal), Kind: ErrOutOfRange}
		}
	}
	return nil
}
