package inputs

import (
	"iter"
	"slices"
	"strings"
)

// shape is what decoding knows of the documents of a gate.
type shape interface {
	name() string
	decode(*decoder, jsonObject) (Document, error)
	decodeFast(data []byte, at int, gate uint64) (Document, bool)
	properties() []Property
	restore(*Flat) Document
}

// record is the one place where the fields of a document are written: decoding, validation, encoding and the
// comparison with the gate's input schema all read it.
type record[D any] struct {
	gate     string
	fields   []field[D]
	document func(*D) Document
	begin    func(*D) // readies a new document, where its zero value is not
	// contradiction finds fields that are right alone and wrong together.
	contradiction func(*D) *Error
	layout        *layout // for the fast path; nil keeps off it
}

// field is one field of a document, or an object with fields of its own, which then follow it.
type field[D any] struct {
	name     string // dotted: "primary.depth"
	want     want
	signal   bool // may be null
	required bool // must be there, if the object that holds it is
	// at finds where the field is kept, nil when the object that holds it is absent; create makes that object first.
	at func(d *D, create bool) slot
	// object reports whether an object is there; create makes it first.
	object func(d *D, create bool) bool
}

func (r *record[D]) name() string { return r.gate }

// names lists the fields of the object with a prefix.
func (r *record[D]) names(prefix string) []string {
	var names []string
	for _, field := range r.fields {
		if rest, ok := strings.CutPrefix(field.name, prefix); ok && !strings.Contains(rest, ".") {
			names = append(names, rest)
		}
	}
	return names
}

func (r *record[D]) index(name string) int {
	return slices.IndexFunc(r.fields, func(field field[D]) bool { return field.name == name })
}

// each yields the fields that are there.
func (r *record[D]) each(d *D) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, field := range r.fields {
			if field.object != nil {
				continue
			}
			at := field.at(d, false)
			if at == nil {
				continue
			}
			if value, present := at.get(); present && !yield(field.name, value) {
				return
			}
		}
	}
}

// validate finds the first field that is missing or wrong, then what contradicts.
func (r *record[D]) validate(d *D) error {
	if d == nil {
		return &Error{Path: "$", Gate: r.gate, Problem: "there is no document of " + r.gate, Mend: "pass a struct, not a nil pointer", Kind: ErrMalformed}
	}
	for _, field := range r.fields {
		if field.object != nil {
			if field.required && !field.object(d, false) {
				return missing(r.gate, "$", []string{field.name}, false)
			}
			continue
		}
		at := field.at(d, false)
		if at == nil {
			continue
		}
		value, present := at.get()
		if !present {
			if field.required {
				return missing(r.gate, "$", []string{field.name}, field.signal)
			}
			continue
		}
		if problem := field.want.check(value, field.signal); problem != nil {
			problem.Path = "$." + field.name
			return problem
		}
	}
	if problem := r.contradiction(d); problem != nil {
		return problem
	}
	return nil
}

// missing is the error of fields that are not there, all of one object at once.
func missing(gate, path string, names []string, signal bool) *Error {
	for i, name := range names {
		names[i] = `"` + name + `"`
	}
	problem := &Error{Path: path, Problem: "missing required " + strings.Join(names, ", ") + " of " + gate, Kind: ErrMissingField}
	if signal {
		problem.Mend = "a signal that nobody knows is written null"
	}
	return problem
}
