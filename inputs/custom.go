package inputs

import (
	"iter"
	"slices"
)

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
	if d.valid() {
		return nil
	}
	return d.schema.shape.validate(d)
}

// valid is exact, as [Custom.Validate] needs it: what the record would ask of each field, without asking for its slot.
func (d *Custom) valid() bool {
	holder := true // whether the object is there whose fields these are
	fields := d.schema.shape.fields
	for i := range d.cells {
		field, cell := &fields[i], &d.cells[i]
		nested := d.schema.nested[i]
		switch {
		case nested && !holder:
		case !cell.there:
			if field.required {
				return false
			}
		case field.object == nil && !field.want.holds(&cell.value, field.signal):
			return false
		}
		if !nested {
			holder = cell.there
		}
	}
	return true
}

// LaidOut reports whether the document is of a schema with these properties, but for what they are called by people: then
// its fields lie where theirs do, and hold what theirs may.
func (d *Custom) LaidOut(properties []Property) bool {
	if d == nil || d.schema == nil || len(d.schema.described) != len(properties) {
		return false
	}
	for i := range properties {
		a, b := &d.schema.described[i], &properties[i]
		if a.Name != b.Name || a.Object != b.Object || a.Kind != b.Kind || a.Signal != b.Signal || a.Required != b.Required ||
			a.Low != b.Low || a.High != b.High || !slices.Equal(a.Words, b.Words) {
			return false
		}
	}
	return true
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
