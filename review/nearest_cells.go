package review

import (
	"fmt"
	"math/bits"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// cellsOfOne bounds the cells that are gone through for one document: few fields are free, and somebody waits.
const cellsOfOne = 100_000

// byCells goes through all cells in which a document is decided the other way, and takes of each the corner that is nearest
// to the document. Where the corner is decided the other way too, nothing in the cell is nearer; so if no other cell
// could hold anything nearer than what was found, that is the nearest there is.
func (t *turning) byCells(n *nearestOf) {
	e := newExplorer(t.space, []*table.Gate{t.table}, min(t.options.Cells, cellsOfOne))
	before := e.left
	var open []distance // of cells that may hold something nearer than their corners show
	start, ok := t.cell(e)
	if ok {
		end := func(_ uint16, node table.Node) (int, bool) { return int(node.A), node.Op == table.Stop }
		checks := len(t.table.Program().Checks)
		e.walk(start, 0, e.programs[0].Entry.First, end, func(c cell, result int) {
			admits := result >= checks
			if result != table.Outside && admits == t.was.Admit {
				return
			}
			corner, least := t.corner(e, &c)
			if least.fields == 0 { // the document asked about, which is decided as it is
				least = distance{1, 1}
			}
			if n.found && !least.less(n.distance) {
				return
			}
			if result == table.Outside || !n.consider(corner) {
				t.beside(n, corner)
				open = append(open, least)
			}
		})
	}
	t.proof = Proof{By: ByCells, Cells: before - max(e.left, 0)}
	switch {
	case e.lost != "":
		t.proof.Why = e.lost
	case e.left <= 0:
		t.proof.Why = fmt.Sprintf("there are more than %d cells", before)
	default:
		for _, least := range open {
			if !n.found || least.less(n.distance) {
				t.proof.Why = "its rules compare signals with each other, which a solver can settle"
				return
			}
		}
		t.proof.Complete = true
	}
}

// beside looks one change away from a corner that is not decided the other way.
func (t *turning) beside(n *nearestOf, corner inputs.Flat) {
	for i := range t.values {
		for k := range t.values[i] {
			next := corner
			t.space.take(&next, &t.values[i][k], i)
			n.consider(next)
		}
	}
}

// cell holds all documents that differ from the one asked about in what may change alone.
func (t *turning) cell(e *explorer) (cell, bool) {
	c, ok := e.whole()
	for i, place := range t.space.places {
		bit := uint64(1) << i
		is := func(mask uint64) bool { return mask&bit != 0 }
		switch {
		case t.free(i):
			if t.keeps && is(t.nominal.Known) {
				ok = ok && c.set(known, i, true)
			}
			continue
		case place.Kind == inputs.KindNumber:
			ok = ok && c.between(place.Slot, t.nominal.Numbers[place.Slot], t.nominal.Numbers[place.Slot])
		case place.Kind == inputs.KindText:
			ok = ok && e.narrow(&c, uint16(place.Slot), 1<<e.kindOf[t.nominal.Texts[place.Slot]])
		}
		ok = ok && c.set(given, i, is(t.nominal.Given)) && c.set(known, i, is(t.nominal.Known)) && c.set(flagged, i, is(t.nominal.True))
	}
	for a, i := range e.texts {
		for b := a + 1; b < len(e.texts); b++ {
			if j := e.texts[b]; !t.free(i) && !t.free(j) {
				c.same = append(c.same, sameness{uint16(a), uint16(b), t.nominal.Texts[a] == t.nominal.Texts[b]})
			}
		}
	}
	return c, ok && e.settle(&c)
}

// corner is the document nearest to the one asked about in the ranges of a cell, which may be none of it, and how far away
// any document of the cell is at least.
func (t *turning) corner(e *explorer, c *cell) (inputs.Flat, distance) {
	flat := t.nominal
	for i, place := range t.space.places {
		if !t.free(i) {
			continue
		}
		bit := uint64(1) << i
		for word, mask := range [3]*uint64{&flat.Given, &flat.Known, &flat.True} {
			if is, settled := c.is(word, i); settled {
				if *mask &^= bit; is {
					*mask |= bit
				}
			}
		}
		switch place.Kind {
		case inputs.KindNumber:
			flat.Numbers[place.Slot] = min(max(flat.Numbers[place.Slot], c.low[place.Slot]), c.high[place.Slot])
		case inputs.KindText:
			if kinds := c.kinds[place.Slot]; kinds>>e.kindOf[flat.Texts[place.Slot]]&1 == 0 {
				flat.Texts[place.Slot] = e.name(bits.TrailingZeros64(kinds))
			}
		}
	}
	least := t.space.from(&flat, &t.nominal) // strings that must be one, or two, can be farther
	for _, fact := range c.same {
		t.agree(e, &flat, fact)
	}
	return flat, least
}

// agree makes two strings the same, or not the same, by changing one that may change.
func (t *turning) agree(e *explorer, flat *inputs.Flat, fact sameness) {
	a, b := fact.a, fact.b
	if !t.free(e.texts[b]) {
		a, b = b, a
	}
	switch {
	case !t.free(e.texts[b]) || (flat.Texts[a] == flat.Texts[b]) == fact.is:
	case fact.is:
		flat.Texts[b] = flat.Texts[a]
	default:
		for _, name := range t.space.some() {
			if name != flat.Texts[a] {
				flat.Texts[b] = name
			}
		}
	}
}
