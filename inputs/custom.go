package inputs

import "iter"

// Custom is a document of a gate that operators added, as its [Schema] says. It is made by [Decode], [Reader] or
// (*Schema).Document; the zero Custom is of no gate and invalid.
type Custom struct {
	schema *Schema
	cells  []cell // by the schema's fields
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

// cell is where a field of a Custom is kept.
type cell struct {
	value Value
	there bool
}

func (c *cell) get() (Value, bool) { return c.value, c.there }

func (c *cell) set(value Value) { c.value, c.there = value, true }
