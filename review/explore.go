package review

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// explorer goes through all cells of a gate's documents in which tables may decide differently: it walks their branches
// and, where a cell does not answer a question, follows each answer.
type explorer struct {
	space     *space
	tables    []*table.Gate
	programs  []*table.Program
	constants [][]table.Constant
	kinds     [][]string // names that nothing tells apart; the first is of none
	kindOf    map[string]int
	left      int    // cells that may still be gone through
	lost      string // why not all were
	texts     []int  // property of each text slot
	numbers   []int  // property of each number slot
}

// maxKinds is how many kinds of string a cell tells apart.
const maxKinds = 64

func newExplorer(s *space, tables []*table.Gate, cells int) *explorer {
	e := &explorer{space: s, tables: tables, left: cells, kinds: [][]string{nil}, kindOf: map[string]int{"": noText}}
	for _, g := range tables {
		e.programs, e.constants = append(e.programs, g.Program()), append(e.constants, g.Constants())
	}
	byKind := map[string][]string{}
	for _, name := range s.names {
		kind := kindOf(tables, name)
		for _, g := range tables {
			if slices.Contains(g.Program().Words, name) {
				kind += name
			}
		}
		for _, place := range s.places {
			if slices.Contains(place.Words, name) {
				kind += name
			}
		}
		byKind[kind] = append(byKind[kind], name)
	}
	for _, kind := range sortedKeys(byKind) {
		for _, name := range byKind[kind] {
			e.kindOf[name] = len(e.kinds)
		}
		e.kinds = append(e.kinds, byKind[kind])
	}
	if len(e.kinds) > maxKinds {
		e.lost = fmt.Sprintf("its thresholds tell %d kinds of names apart", len(e.kinds)-1)
	}
	if len(s.cells) > 0 {
		e.lost = "its thresholds have too many rows to go through their cells"
	}
	for i, place := range s.places {
		switch place.Kind {
		case inputs.KindText:
			e.texts = append(e.texts, i)
		case inputs.KindNumber:
			e.numbers = append(e.numbers, i)
		}
	}
	return e
}

// walk goes from a node until end knows what that comes to, and hands each cell in which it came to something to then.
func (e *explorer) walk(c cell, side int, at uint16, end func(at uint16, n table.Node) (int, bool), then func(cell, int)) {
	p := e.programs[side]
	for e.left > 0 && e.lost == "" {
		n := p.Nodes[at]
		if result, ok := end(at, n); ok {
			then(c, result)
			return
		}
		switch n.Op {
		case table.Find, table.Mark:
			at = n.Yes
			continue
		case table.Fork:
			l := &p.Lookups[n.A]
			e.split(c, l.Text, func(name string) int64 {
				row, _ := e.tables[side].Row(int(n.A), name)
				return int64(slices.Index(l.Answers, row.Bits))
			}, func(c cell, answer int64) {
				e.left--
				e.walk(c, side, p.Jumps[int64(n.B)+answer], end, then)
			})
			return
		}
		answer, settled := e.answer(&c, side, n)
		if !settled {
			for _, next := range e.options(c, side, n) {
				e.left--
				e.walk(next, side, at, end, then)
			}
			return
		}
		at = n.No
		if answer {
			at = n.Yes
		}
	}
}

// split follows each answer that the kinds of a string give.
func (e *explorer) split(c cell, slot uint16, of func(name string) int64, then func(cell, int64)) {
	answers := map[int64]uint64{}
	for rest := c.kinds[slot]; rest != 0; rest &= rest - 1 {
		kind := bits.TrailingZeros64(rest)
		answers[of(e.name(kind))] |= 1 << kind
	}
	for _, answer := range sortedKeys(answers) {
		next := c
		if e.narrow(&next, slot, answers[answer]) {
			then(next, answer)
		}
	}
}

// name is one of a kind.
func (e *explorer) name(kind int) string {
	if kind == noText {
		return ""
	}
	return e.kinds[kind][0]
}

// narrow makes a string one of some kinds; false where nothing is left.
func (e *explorer) narrow(c *cell, slot uint16, kinds uint64) bool {
	if c.kinds[slot] &= kinds; c.kinds[slot] == 0 {
		return false
	}
	i := e.texts[slot]
	switch {
	case c.kinds[slot] == 1<<noText:
		return c.set(known, i, false) && e.settle(c)
	case c.kinds[slot]&(1<<noText) == 0:
		return c.set(known, i, true) && e.settle(c)
	}
	return true
}

// answer is what a cell says to the question of a node; false as the second where it does not say.
func (e *explorer) answer(c *cell, side int, n table.Node) (answer, settled bool) {
	p := e.programs[side]
	switch n.Op {
	case table.Match:
		shape := p.Shapes[n.A]
		settled = true
		for i := range e.space.places {
			if is, ok := c.is(known, i); shape.Known>>i&1 == 1 && (!ok || !is) {
				if ok {
					return false, true
				}
				settled = false
			}
			if is, ok := c.is(given, i); shape.Absent>>i&1 == 1 && (!ok || is) {
				if ok {
					return false, true
				}
				settled = false
			}
		}
		return settled, settled
	case table.TestBit:
		if n.A < table.WordRows {
			return c.is(int(n.A), int(n.B))
		}
		lookup := int(n.A) - table.WordRows
		return e.agreed(c, p.Lookups[lookup].Text, func(name string) bool {
			row, _ := e.tables[side].Row(lookup, name)
			return row.Bits>>n.B&1 == 1
		})
	case table.TextIs:
		return e.agreed(c, n.A, func(name string) bool { return name == p.Words[n.B] })
	case table.SameText:
		return e.sameText(c, n.A, n.B)
	}
	f, equal, ok := e.compared(c, side, n)
	if !ok {
		return false, false
	}
	r := c.within(f)
	switch {
	case equal && r.low == 0 && r.high == 0:
		return true, true
	case equal:
		return false, r.low > 0 || r.high < 0
	case r.high <= 0:
		return true, true
	}
	return false, r.low > 0
}

// agreed is what all kinds that a string can be answer alike.
func (e *explorer) agreed(c *cell, slot uint16, holds func(name string) bool) (answer, settled bool) {
	yes, no := false, false
	for rest := c.kinds[slot]; rest != 0; rest &= rest - 1 {
		if holds(e.name(bits.TrailingZeros64(rest))) {
			yes = true
		} else {
			no = true
		}
	}
	return yes, yes != no
}

// sameText is whether two strings are known to be one.
func (e *explorer) sameText(c *cell, a, b uint16) (answer, settled bool) {
	if c.kinds[a]&c.kinds[b] == 0 {
		return false, true
	}
	if kind, ok := c.only(a); ok && c.kinds[a] == c.kinds[b] && (kind == noText || e.isOne(kind)) {
		return true, true
	}
	for _, fact := range c.same {
		if fact.a == min(a, b) && fact.b == max(a, b) {
			return fact.is, true
		}
	}
	for _, tie := range e.space.ties {
		x, y := e.space.property(tie.A), e.space.property(tie.B)
		if tie.Kind == inputs.TieDiffer && (e.texts[a] == x && e.texts[b] == y || e.texts[a] == y && e.texts[b] == x) {
			one, there := c.is(known, x)
			other, too := c.is(known, y)
			if there && too && one && other {
				return false, true
			}
		}
	}
	return false, false
}

// isOne reports whether a kind is of one string alone, a word that is compared with.
func (e *explorer) isOne(kind int) bool {
	if len(e.kinds[kind]) != 1 {
		return false
	}
	name := e.kinds[kind][0]
	for _, p := range e.programs {
		if slices.Contains(p.Words, name) {
			return true
		}
	}
	return slices.ContainsFunc(e.space.places, func(place inputs.Place) bool { return slices.Contains(place.Words, name) })
}
