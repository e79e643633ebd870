package inputs

// Field is a field of a document in one of three states: absent (the zero value), unknown (null in JSON: asked for,
// and nobody knows) or known. A required field that is absent makes the document invalid; unknown is allowed only in a
// signal, where it counts as the worst value there is.
type Field[T int64 | bool | string] struct {
	value T
	state state
}

// Number is a whole number: milliseconds, tokens, a count or a version, as the field that holds it says.
type Number = Field[int64]

// Flag is true or false.
type Flag = Field[bool]

// Text is a string.
type Text = Field[string]

type state uint8

const (
	absent state = iota
	unknown
	known
)

// Known is a number that is known; the unit and the range are those of the field that it is put into.
func Known(value int64) Number { return Number{value: value, state: known} }

// KnownFlag is a flag that is known.
func KnownFlag(value bool) Flag { return Flag{value: value, state: known} }

// KnownText is a string that is known.
func KnownText(value string) Text { return Text{value: value, state: known} }

// Unknown is a number that was asked for and that nobody knows; null in JSON.
func Unknown() Number { return Number{state: unknown} }

// UnknownFlag is a flag that was asked for and that nobody knows; null in JSON.
func UnknownFlag() Flag { return Flag{state: unknown} }

// UnknownText is a string that was asked for and that nobody knows; null in JSON.
func UnknownText() Text { return Text{state: unknown} }

// Get returns the value and whether it is known; the value is zero where it is not.
func (f Field[T]) Get() (value T, ok bool) { return f.value, f.state == known }

// IsAbsent reports whether the document does not have the field at all.
func (f Field[T]) IsAbsent() bool { return f.state == absent }

// IsUnknown reports whether the field is there and null.
func (f Field[T]) IsUnknown() bool { return f.state == unknown }

// String is the value as JSON has it, "absent" where there is none.
func (f Field[T]) String() string {
	value, present := f.get()
	if !present {
		return "absent"
	}
	return value.String()
}

// MarshalJSON is the value, or null where it is unknown or absent; a document leaves out what is absent.
func (f Field[T]) MarshalJSON() ([]byte, error) {
	value, _ := f.get()
	return value.MarshalJSON()
}

// slot is where one field of a document is kept, whatever its Go type.
type slot interface {
	get() (value Value, present bool)
	set(Value)
}

func (f Field[T]) get() (Value, bool) {
	if f.state != known {
		return Value{}, f.state == unknown
	}
	switch value := any(f.value).(type) {
	case int64:
		return Value{Kind: KindNumber, Number: value}, true
	case bool:
		return Value{Kind: KindFlag, Flag: value}, true
	case string:
		return Value{Kind: KindText, Text: value}, true
	}
	return Value{}, false
}

func (f *Field[T]) set(value Value) {
	f.state = known
	switch at := any(&f.value).(type) {
	case *int64:
		*at = value.Number
	case *bool:
		*at = value.Flag
	case *string:
		*at = value.Text
	}
	if value.Kind == KindNull {
		f.state = unknown
	}
}

// identifier is a plain string field, absent when empty: no identifier is empty.
type identifier string

func (i *identifier) get() (Value, bool) {
	return Value{Kind: KindText, Text: string(*i)}, *i != ""
}

func (i *identifier) set(value Value) { *i = identifier(value.Text) }
