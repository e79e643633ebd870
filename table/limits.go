package table

import (
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// Limit is what a check holds a document against.
type Limit struct {
	Value inputs.Value // null where there is none, or it is unknown
	From  []Operand    // what it is computed from, in the order of the rules; of a literal none
}

// Operand is a number that a limit is computed from: a threshold, or a field of the document.
type Operand struct {
	Path  []string // of the threshold; empty of a field
	Field string   // of the document, dotted; "" of a threshold
	Value inputs.Value
}

// Limits lists the limit of every check of the program for one valid document. A table knows the limits of checks that are
// violated; that of another can be wrong, as whoever has OPA's can see by its value. It is false where the table leaves the
// document to OPA.
func (g *Gate) Limits(document inputs.Document) ([]Limit, bool) {
	var m machine
	if !m.load(document) {
		return nil, false
	}
	m.walk(g, g.program.Entry.First)
	m.walk(g, g.program.Entry.All)
	all := make([]Limit, len(g.program.Checks))
	for i := range g.program.Checks {
		shown := &g.program.Values[m.walk(g, g.program.Checks[i].Limit)]
		all[i].Value = m.scalar(g, shown)
		switch shown.Is {
		case ShowExpression:
			m.operands(g, shown.A, &all[i].From)
		case ShowText:
			all[i].From = []Operand{{Field: g.program.fieldAt(inputs.KindText, shown.A), Value: all[i].Value}}
		}
	}
	return all, !m.outside
}

// operands adds what an expression is computed from, but for literals.
func (m *machine) operands(g *Gate, at uint16, into *[]Operand) {
	e := g.program.Expressions[at]
	own := Operand{Value: inputs.Value{Kind: inputs.KindNumber, Number: m.value(g, at)}}
	switch e.Term {
	case Field:
		own.Field = g.program.fieldAt(inputs.KindNumber, e.A)
	case Number:
		own.Path = g.program.Constants[e.A].Path
	case Cell:
		own.Path = m.cellAt(g, e.A)
	case CeilingOf, FloorOf:
		m.operands(g, e.A, into)
		return
	default:
		m.operands(g, e.A, into)
		m.operands(g, e.B, into)
		return
	}
	if own.Field != "" || own.Path != nil {
		*into = append(*into, own)
	}
}

// cellAt is the path of the threshold that stands in a column for this document.
func (m *machine) cellAt(g *Gate, column uint16) []string {
	for i := range g.program.Lookups {
		lookup := &g.program.Lookups[i]
		if at := int(column) - int(lookup.First); at >= 0 && at < len(lookup.Columns) {
			return slices.Concat(lookup.Path, []string{m.flat.Texts[lookup.Text]}, lookup.Columns[at].Path)
		}
	}
	return nil
}

// fieldAt is the field that lies in a slot of numbers or texts.
func (p *Program) fieldAt(kind inputs.Kind, slot uint16) string {
	places, _ := inputs.Places(p.Properties)
	for _, place := range places {
		if place.Kind == kind && place.Slot == int(slot) {
			return place.Name
		}
	}
	return ""
}
