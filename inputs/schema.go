package inputs

import (
	"fmt"
	"slices"
	"strings"
)

// Property is one field of a gate's documents, or an object that holds others.
type Property struct {
	Name        string   // dotted: "primary.depth"; the properties of an object follow it
	Object      bool     // holds others, and no value of its own
	Kind        Kind     // KindNumber, KindFlag or KindText; of an object KindNull
	Signal      bool     // may be null, which is unknown
	Required    bool     // must be there, if the object that holds it is
	Low, High   int64    // of numbers, both included; from -(2^53-1) to 2^53-1
	Words       []string // of strings, where only some words are allowed; else they are identifiers
	Description string   // what the field means; not needed for decoding
}

// Properties lists the fields of a core gate's documents, but for "gate"; nil for any other gate.
func Properties(gate string) []Property {
	shape, ok := coreShape(gate)
	if !ok {
		return nil
	}
	return shape.properties()
}

func (r *record[D]) properties() []Property {
	all := make([]Property, len(r.fields))
	for i, field := range r.fields {
		all[i] = Property{Name: field.name, Object: field.object != nil, Kind: field.want.kind, Signal: field.signal, Required: field.required, Low: field.want.low, High: field.want.high, Words: slices.Clone(field.want.words)}
	}
	return all
}

// Schema describes the documents of a gate that has no struct here, since an operator added it. They are decoded by the
// same code, and as strictly, as those of the core gates; see [Source].Schemas.
type Schema struct {
	shape     *record[Custom]
	nested    []bool // by field: whether it stands in an object
	described []Property
}

// maxExact is the largest whole number that every JSON reader keeps exactly.
const maxExact = 1<<53 - 1

// NewSchema checks the properties of a gate's documents. Its error, which has no sentinel, says what documents cannot
// hold: names that are no plain words, objects in objects, numbers without a range, one name twice.
func NewSchema(gate string, properties []Property) (*Schema, error) {
	if _, core := coreShape(gate); core || !ValidName(gate) {
		return nil, fmt.Errorf("%q: no name for a gate beside the core ones", gate)
	}
	s := &Schema{described: slices.Clone(properties)}
	s.shape = &record[Custom]{
		gate:          gate,
		document:      func(d *Custom) Document { return d },
		contradiction: func(*Custom) *Error { return nil },
		begin:         s.begin,
	}
	for i, property := range properties {
		if err := s.add(i, property); err != nil {
			return nil, fmt.Errorf("%s: %w", property.Name, err)
		}
	}
	s.shape.ready()
	return s, nil
}

func (s *Schema) add(i int, p Property) error {
	object, name, nested := strings.Cut(p.Name, ".")
	if !nested {
		object, name = "", p.Name
	}
	parent := s.shape.index(object)
	switch {
	case !plainName(name) || name == "gate":
		return fmt.Errorf("a field is named in lower case with underscores, and not gate")
	case s.shape.index(p.Name) >= 0:
		return fmt.Errorf("declared twice")
	case nested && (parent < 0 || s.shape.fields[parent].object == nil):
		return fmt.Errorf("the object that holds it is not declared before it")
	case nested && !strings.HasPrefix(s.shape.fields[i-1].name+".", object+"."):
		return fmt.Errorf("the fields of an object follow it")
	case nested && p.Object:
		return fmt.Errorf("an object in an object; documents are flat, or hold objects of plain fields")
	case p.Object && p.Signal:
		return fmt.Errorf("an object that may be null; its fields are the signals")
	case p.Object != (p.Kind == KindNull) || p.Kind > KindText:
		return fmt.Errorf("it is neither an object nor of a kind")
	case p.Kind == KindNumber && p.Low == 0 && p.High == 0:
		return fmt.Errorf("a number needs a minimum and a maximum")
	case p.Kind == KindNumber && (p.Low > p.High || p.Low < -maxExact || p.High > maxExact):
		return fmt.Errorf("a number needs a minimum and a maximum, within ±(2^53-1)")
	}
	own := field[Custom]{name: p.Name, signal: p.Signal, required: p.Required, want: want{kind: p.Kind, low: p.Low, high: p.High, words: slices.Clone(p.Words)}}
	if p.Object {
		own.object = func(d *Custom, create bool) bool {
			d.cells[i].there = d.cells[i].there || create
			return d.cells[i].there
		}
	} else {
		own.at = func(d *Custom, create bool) slot {
			if nested && !create && !d.cells[parent].there {
				return nil
			}
			return &d.cells[i]
		}
	}
	s.shape.fields, s.nested = append(s.shape.fields, own), append(s.nested, nested)
	return nil
}

func plainName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Gate names the gate whose documents these are.
func (s *Schema) Gate() string {
	if s == nil || s.shape == nil {
		return ""
	}
	return s.shape.gate
}

// Properties lists the fields, but for "gate".
func (s *Schema) Properties() []Property {
	all := slices.Clone(s.described)
	for i := range all {
		all[i].Words = slices.Clone(all[i].Words)
	}
	return all
}

// begin makes a new document one of this schema, without a field.
func (s *Schema) begin(d *Custom) {
	d.schema, d.cells = s, make([]cell, len(s.shape.fields))
}

// Document makes a valid document of values by dotted name, for code that has no bytes; a null Value is an unknown
// signal. Its error is an *[Error].
func (s *Schema) Document(values map[string]Value) (*Custom, error) {
	if s == nil || s.shape == nil {
		return nil, (*Custom)(nil).Validate()
	}
	d := new(Custom)
	s.begin(d)
	for name, value := range values {
		index := s.shape.index(name)
		if index < 0 || s.shape.fields[index].object != nil {
			object, last := "", name
			if at := strings.LastIndexByte(name, '.'); at >= 0 {
				object, last = name[:at+1], name[at+1:]
			}
			return nil, s.shape.unknownField(object, last)
		}
		if object, _, nested := strings.Cut(name, "."); nested {
			d.cells[s.shape.index(object)].there = true
		}
		d.cells[index].set(value)
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return d, nil
}

// Accept holds a document of this gate, however it was made, against this schema, which is another one once the
// policies that declare it were loaded anew. Its error is an *[Error].
func (s *Schema) Accept(document Document) (*Custom, error) {
	if own, ok := document.(*Custom); ok && own != nil && own.schema == s {
		return own, own.Validate()
	}
	values := map[string]Value{}
	for name, value := range document.Fields() {
		values[name] = value
	}
	return s.Document(values)
}
