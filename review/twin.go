package review

import (
	"math"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// twin is a table as it decides a document that is a step from another, told in the fields of that other one. So both
// documents of a step are one document with a number more, how far the step goes, and can be gone through in cells.
type twin struct {
	made   table.Program
	place  inputs.Place
	index  int
	bits   [3]twinBit // what the step makes of the bits given, known and true of the field
	number twinNumber
	step   uint16 // the number that says how far the step goes, or what the new number is
	rounds uint16 // the number that says how far a quotient of it goes
	moved  []uint16
}

// twinBit is what becomes of a bit.
type twinBit uint8

const (
	bitStays twinBit = iota
	bitOn
	bitOff
)

// twinNumber is what becomes of the number.
type twinNumber uint8

const (
	numberGone  twinNumber = iota // nothing may read it
	numberMore                    // it is more by the step
	numberLess                    // it is less by the step
	numberFresh                   // it is the step
)

// twinOf rewrites a program.
func (t *twin) of(p *table.Program) *table.Program {
	t.made = *p
	t.made.Nodes = slices.Clone(p.Nodes)
	t.made.Shapes = slices.Clone(p.Shapes)
	t.made.Expressions = nil
	t.moved = make([]uint16, len(p.Expressions))
	reads := make([]bool, len(p.Expressions)) // a number that is gone
	for i, e := range p.Expressions {
		switch e.Term {
		case table.Field:
			t.moved[i] = t.field(e.A)
			reads[i] = t.isOwn(e.A) && t.number == numberGone
		case table.Number, table.Cell:
			t.moved[i] = t.add(e)
		case table.CeilingOf, table.FloorOf:
			t.moved[i] = t.quotient(p, e)
			reads[i] = reads[e.A]
		default:
			t.moved[i] = t.add(table.Expression{Term: e.Term, A: t.moved[e.A], B: t.moved[e.B]})
			reads[i] = reads[e.A] || reads[e.B]
		}
	}
	for i := range t.made.Nodes {
		t.node(&t.made.Nodes[i], reads)
	}
	return &t.made
}

func (t *twin) add(e table.Expression) uint16 {
	if at := slices.Index(t.made.Expressions, e); at >= 0 {
		return uint16(at)
	}
	t.made.Expressions = append(t.made.Expressions, e)
	return uint16(len(t.made.Expressions) - 1)
}

// isOwn reports whether a number is that of the field.
func (t *twin) isOwn(slot uint16) bool {
	return t.place.Kind == inputs.KindNumber && t.place.Slot == int(slot)
}

// field is a number of the document after the step.
func (t *twin) field(slot uint16) uint16 {
	own := t.add(table.Expression{Term: table.Field, A: slot})
	if !t.isOwn(slot) || t.number == numberGone {
		return own
	}
	step := t.add(table.Expression{Term: table.Field, A: t.step})
	if t.number == numberFresh {
		return step
	}
	return t.add(table.Expression{Term: t.direction(), A: own, B: step})
}

func (t *twin) direction() table.Term {
	if t.number == numberLess {
		return table.Minus
	}
	return table.Sum
}

// quotient is a quotient after the step: that before it, and some number more or less, since rounding goes with the number.
func (t *twin) quotient(p *table.Program, e table.Expression) uint16 {
	inner := p.Expressions[e.A]
	if inner.Term != table.Field || !t.isOwn(inner.A) || t.number != numberMore && t.number != numberLess {
		return t.add(table.Expression{Term: e.Term, A: t.moved[e.A], B: e.B})
	}
	own := t.add(table.Expression{Term: e.Term, A: t.add(inner), B: e.B})
	return t.add(table.Expression{Term: t.direction(), A: own, B: t.add(table.Expression{Term: table.Field, A: t.rounds})})
}

// node rewrites a branch.
func (t *twin) node(n *table.Node, reads []bool) {
	switch n.Op {
	case table.TestBit:
		if int(n.A) < len(t.bits) && int(n.B) == t.index && t.bits[n.A] != bitStays {
			t.always(n, t.bits[n.A] == bitOn)
		}
	case table.Match:
		t.match(n)
	case table.SameText, table.TextIs:
		if t.place.Kind == inputs.KindText && (int(n.A) == t.place.Slot || n.Op == table.SameText && int(n.B) == t.place.Slot) {
			*n = table.Node{Op: table.Stop, A: table.Outside} // nobody reads a string that is not known
		}
	case table.AtMost, table.Equal:
		if reads[n.A] || reads[n.B] {
			*n = table.Node{Op: table.Stop, A: table.Outside}
			return
		}
		n.A, n.B = t.moved[n.A], t.moved[n.B]
	default:
		t.compare(n)
	}
}

// always makes a branch go one way.
func (t *twin) always(n *table.Node, yes bool) {
	to := n.No
	if yes {
		to = n.Yes
	}
	*n = table.Node{Op: table.Mark, A: math.MaxUint16, Yes: to} // which marks nothing that anybody asks for
}

func (t *twin) match(n *table.Node) {
	shape := &t.made.Shapes[n.A]
	bit := uint64(1) << t.index
	given, known := t.bits[given], t.bits[known]
	switch {
	case shape.Known&bit != 0 && known == bitOff, shape.Absent&bit != 0 && given == bitOn:
		t.always(n, false)
	case shape.Known&bit != 0 && known == bitOn, shape.Absent&bit != 0 && given == bitOff:
		t.made.Shapes = append(t.made.Shapes, table.Shape{Known: shape.Known &^ bit, Absent: shape.Absent &^ bit})
		n.A = uint16(len(t.made.Shapes) - 1)
	}
}

// compare rewrites a comparison of the field's number.
func (t *twin) compare(n *table.Node) {
	number := func(at uint16) uint16 { return t.add(table.Expression{Term: table.Number, A: at}) }
	cell := func(at uint16) uint16 { return t.add(table.Expression{Term: table.Cell, A: at}) }
	var left, right func(uint16) uint16
	op := table.AtMost
	switch n.Op {
	case table.AtMostFieldConstant:
		left, right = t.field, number
	case table.EqualFieldConstant:
		left, right, op = t.field, number, table.Equal
	case table.AtMostConstantField:
		left, right = number, t.field
	case table.AtMostFieldField:
		left, right = t.field, t.field
	case table.AtMostFieldColumn:
		left, right = t.field, cell
	case table.AtMostColumnField:
		left, right = cell, t.field
	default:
		return
	}
	own := n.Op != table.AtMostConstantField && n.Op != table.AtMostColumnField && t.isOwn(n.A) ||
		n.Op != table.AtMostFieldConstant && n.Op != table.EqualFieldConstant && n.Op != table.AtMostFieldColumn && t.isOwn(n.B)
	switch {
	case own && t.number == numberGone:
		*n = table.Node{Op: table.Stop, A: table.Outside}
	case own:
		n.A, n.B, n.Op = left(n.A), right(n.B), op
	}
}

// longer is the space with two numbers more: how far a step goes, and how far a quotient of it does. It is nil where that
// does not fit.
func (s *space) longer(low, high int64) (made *space, step, rounds uint16) {
	numbers := 0
	for _, place := range s.places {
		if place.Kind == inputs.KindNumber {
			numbers++
		}
	}
	if numbers+2 > inputs.MaxFlatNumbers || len(s.places)+2 > inputs.MaxFlatFields {
		return nil, 0, 0
	}
	longer := *s
	longer.places = slices.Clone(s.places)
	for i, ends := range []ends{{low, high}, {0, max(high, 0)}} {
		name := "step" + strings.Repeat("+", i+1) // no field is called so
		longer.places = append(longer.places, inputs.Place{
			Property: inputs.Property{Name: name, Kind: inputs.KindNumber, Required: true, Low: ends.low, High: ends.high}, Slot: numbers + i,
		})
	}
	return &longer, uint16(numbers), uint16(numbers + 1)
}
