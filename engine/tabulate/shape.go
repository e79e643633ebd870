package tabulate

import (
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/table"
)

// Most documents know what they must bring, and bring little else. For these a walk is written that asks only once, at its
// beginning, which fields are there.

// shaped writes a walk for each of the common shapes of a document before the one for all.
func (w *walk) shaped(left []outcome, rest uint16) (uint16, bool) {
	used := w.bits(left)
	for _, shape := range slices.Backward(w.shapes(used)) {
		own := left
		for _, question := range used {
			if answer, known := w.t.answers(shape, w.t.questions[question]); known {
				own = w.answered(own, question, answer)
			}
		}
		start, ok := w.from(own, 0)
		if !ok {
			return 0, false
		}
		w.p.Shapes = append(w.p.Shapes, shape)
		rest = w.node(table.Node{Op: table.Match, A: uint16(len(w.p.Shapes) - 1), Yes: start, No: rest})
	}
	return rest, true
}

// bits are the questions about fields being there, known or true that outcomes depend on.
func (w *walk) bits(left []outcome) []int32 {
	seen, found := map[formula]bool{}, map[int32]bool{}
	var visit func(of formula)
	visit = func(of formula) {
		if of <= always || seen[of] {
			return
		}
		seen[of] = true
		node := w.f.nodes[of]
		if q := w.t.questions[node.question]; q.op == table.TestBit && q.a < table.WordRows {
			found[node.question] = true
		}
		visit(node.yes)
		visit(node.no)
	}
	for _, one := range left {
		visit(one.when)
	}
	return slices.Sorted(maps.Keys(found))
}

// shapes are the common shapes: all required signals known and nothing optional there, and the same with one of the
// objects that need not be there.
func (w *walk) shapes(used []int32) []table.Shape {
	t := w.t
	var required, optional uint64
	objects := map[string]uint64{} // the required signals of those that need not be there
	for _, question := range used {
		bit := t.questions[question].b
		place := t.places[bit]
		object, _, nested := strings.Cut(place.Name, ".")
		switch loose := nested && !t.places[t.property(object)].Required; {
		case loose && place.Required:
			objects[object] |= 1 << bit
			optional |= 1 << bit
		case loose || !place.Required:
			optional |= 1 << bit
		default:
			required |= 1 << bit
		}
	}
	shapes := []table.Shape{{Known: required, Absent: optional}}
	for _, object := range slices.Sorted(maps.Keys(objects)) {
		own := objects[object] | 1<<t.property(object)
		shapes = append(shapes, table.Shape{Known: required | objects[object], Absent: optional &^ own})
	}
	return slices.DeleteFunc(shapes, func(s table.Shape) bool { return s.Known|s.Absent == 0 })
}

// answers is what a shape says to a question about a field.
func (t *tabulation) answers(shape table.Shape, q question) (answer, known bool) {
	bit := uint64(1) << q.b
	switch {
	case shape.Absent&bit != 0:
		return false, true
	case shape.Known&bit != 0:
		return true, q.a != table.WordTrue
	}
	if !t.places[q.b].Object { // an object is there if a signal of it is known
		return false, false
	}
	for i, place := range t.places {
		if shape.Known>>i&1 != 0 && strings.HasPrefix(place.Name, t.places[q.b].Name+".") {
			return true, true
		}
	}
	return false, false
}
