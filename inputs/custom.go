package inputs

import "iter"

// Custom is a document of a gate that operators added, as its [Schema] says. It is made by [Decode], [Reader] or
// (*Schema).Document; the zero Custom is of no gate and invalid.
type Custom struct {
	schema *Schema
	values []Value // by the schema's fields
	there  []bool
}

// Gate is the gate of the schema.
func (d *Custom) Gate() string {
	if d == nil || d.schema == nil {
		return ""
	}
	return d.schema.Gate()
}

// Validate returns nil or an *[Error].
func (d *Custom) Validate() error {
	if d == nil || d.schema == nil {
		return &Error{Path: "$", Problem: "a document of no gate", Mend: "decode it, or make it with (*Schema).Document", Kind: ErrMalformed}
	}
	return d.schema.shape.validate(d)
}

// Fields yields the fields that are there.
func (d *Custom) Fields() iter.Seq2[string, Value] {
	if d == nil || d.schema == nil {
		return func(func(string, Value) bool) {}
	}
	return d.schema.shape.each(d)
}

// MarshalJSON is the document as [Decode] takes it.
func (d *Custom) MarshalJSON() ([]byte, error) { return encode(d) }

// customSlot is where a field of a Custom is kept.
type customSlot struct {
	document *Custom
	index    int
}

func (s customSlot) get() (Value, bool) {
	return s.document.values[s.index], s.document.there[s.index]
}

func (s customSlot) set(value Value) {
	s.document.values[s.index], s.document.there[s.index] = value, true
}
