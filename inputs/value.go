package inputs

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Kind says what a [Value] is.
type Kind uint8

// The kinds of value that a document or a decision can hold. The zero value is unknown.
const (
	KindNull Kind = iota
	KindNumber
	KindFlag
	KindText
)

// Value is one value of a document or of a violation: a whole number, a flag, a string, or null where it is unknown.
// Values compare with ==.
type Value struct {
	Kind   Kind
	Number int64
	Flag   bool
	Text   string
}

// String is the value as JSON has it.
func (v Value) String() string {
	switch v.Kind {
	case KindNumber:
		return strconv.FormatInt(v.Number, 10)
	case KindFlag:
		return strconv.FormatBool(v.Flag)
	case KindText:
		return strconv.Quote(v.Text)
	}
	return "null"
}

// MarshalJSON never fails.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Kind == KindText {
		return json.Marshal(v.Text)
	}
	return []byte(v.String()), nil
}

// UnmarshalJSON takes what [Value.MarshalJSON] gives, and refuses fractions, arrays and objects.
func (v *Value) UnmarshalJSON(data []byte) error {
	text := string(data)
	switch {
	case text == "null":
		*v = Value{}
		return nil
	case text == "true", text == "false":
		*v = Value{Kind: KindFlag, Flag: text == "true"}
		return nil
	case len(data) > 0 && data[0] == '"':
		*v = Value{Kind: KindText}
		return json.Unmarshal(data, &v.Text)
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %s is no whole number, flag, string or null", ErrWrongType, shorten(text))
	}
	*v = Value{Kind: KindNumber, Number: number}
	return nil
}
