package inputs

import (
	"fmt"
	"strings"
)

// decode reads the fields of one object, and of the objects in it, into a new document.
func (r *record[D]) decode(d *decoder, object jsonObject) (Document, error) {
	into := new(D)
	if r.begin != nil {
		r.begin(into)
	}
	if err := r.decodeObject(d, into, object); err != nil {
		return nil, err
	}
	return r.document(into), nil
}

func (r *record[D]) decodeObject(d *decoder, into *D, object jsonObject) error {
	if _, err := d.tokens.ReadToken(); err != nil {
		return d.broken("$", "")
	}
	seen := make([]bool, len(r.fields))
	for d.tokens.PeekKind() != '}' {
		start := d.next()
		token, err := d.tokens.ReadToken()
		if err != nil {
			return d.broken(path(object.prefix), "")
		}
		name := token.String()
		if name == "gate" && object.prefix == "" {
			if err := d.skip(); err != nil {
				return err
			}
			continue
		}
		index := r.index(object.prefix + name)
		if index < 0 || strings.Contains(name, ".") { // "primary.depth" is how we call a field, and no way to write one
			return at(start, r.unknownField(object.prefix, name))
		}
		seen[index] = true
		if err := r.decodeField(d, into, &r.fields[index]); err != nil {
			return err
		}
	}
	if _, err := d.tokens.ReadToken(); err != nil {
		return d.broken(path(object.prefix), "")
	}
	return r.missingFields(object, seen)
}

func (r *record[D]) decodeField(d *decoder, into *D, field *field[D]) error {
	start := d.next()
	where := path(field.name)
	if field.object != nil {
		if kind := d.tokens.PeekKind(); kind != '{' {
			if kind == 0 {
				return d.broken(where, "write an object")
			}
			return at(start, &Error{Path: where, Problem: kindName(kind) + " is of the wrong type", Mend: "write an object with " + strings.Join(r.names(field.name+"."), ", "), Kind: ErrWrongType})
		}
		field.object(into, true)
		return r.decodeObject(d, into, jsonObject{prefix: field.name + ".", start: start})
	}
	token, err := d.tokens.ReadToken()
	if err != nil {
		return d.broken(where, field.want.describe(field.signal))
	}
	value, problem := field.want.read(token, field.signal)
	if problem == nil {
		problem = field.want.check(value, field.signal)
	}
	if problem != nil {
		problem.Path = where
		return at(start, problem)
	}
	field.at(into, true).set(value)
	return nil
}

func (r *record[D]) unknownField(prefix, name string) *Error {
	names := r.names(prefix)
	if prefix == "" {
		names = append(names, "gate")
	}
	mend := "fields of " + r.gate + ": " + strings.Join(names, ", ")
	if nearest := Nearest(name, names); nearest != "" {
		mend = fmt.Sprintf("did you mean %q?", nearest)
	}
	return &Error{Path: path(prefix) + member(name), Problem: "unknown field " + shorten(name), Mend: mend, Kind: ErrUnknownField}
}

// missingFields names all that an object lacks at once.
func (r *record[D]) missingFields(object jsonObject, seen []bool) error {
	var names []string
	signal := false
	for i, field := range r.fields {
		rest, ok := strings.CutPrefix(field.name, object.prefix)
		if ok && field.required && !seen[i] && !strings.Contains(rest, ".") {
			names = append(names, rest)
			signal = signal || field.signal
		}
	}
	if names == nil {
		return nil
	}
	return at(object.start, missing(r.gate, path(object.prefix), names, signal))
}
