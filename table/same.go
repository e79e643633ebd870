package table

import (
	"reflect"
	"slices"
)

// Same reports whether two gates are the same program with the same numbers and rows, wherever their rules are written:
// then they decide alike. nil is the same as nothing.
func (g *Gate) Same(other *Gate) bool {
	if g == nil || other == nil {
		return false
	}
	return reflect.DeepEqual(g.program.placeless(), other.program.placeless()) && slices.Equal(g.constants, other.constants) &&
		slices.EqualFunc(g.rows, other.rows, func(a, b rows) bool { return a.same(&b) })
}

// same reports whether the rows are the same, in whatever order they were read.
func (r *rows) same(other *rows) bool {
	if len(r.index) != len(other.index) || r.width != other.width {
		return false
	}
	for name := range r.index {
		if _, ok := other.index[name]; !ok {
			return false
		}
		a, b := r.row(name), other.row(name)
		if a.Bits != b.Bits || !slices.Equal(a.Numbers, b.Numbers) {
			return false
		}
	}
	return true
}

// placeless is the program without what is for people alone.
func (p *Program) placeless() Program {
	same := *p
	same.Checks, same.Properties, same.Predicates = slices.Clone(p.Checks), slices.Clone(p.Properties), nil
	for i := range same.Checks {
		same.Checks[i].At, same.Checks[i].Title = Origin{}, ""
	}
	for i := range same.Properties {
		same.Properties[i].Description = ""
	}
	return same
}
