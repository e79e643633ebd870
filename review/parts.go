package review

import (
	"slices"

	"github.com/admitctl/admitctl/table"
)

// options are the parts of a cell on which a question that it does not answer is one step nearer to its answer.
func (e *explorer) options(c cell, side int, n table.Node) []cell {
	p := e.programs[side]
	switch n.Op {
	case table.Match:
		shape := p.Shapes[n.A]
		for i := range e.space.places {
			if _, ok := c.is(known, i); shape.Known>>i&1 == 1 && !ok {
				return e.bit(c, known, i)
			}
			if _, ok := c.is(given, i); shape.Absent>>i&1 == 1 && !ok {
				return e.bit(c, given, i)
			}
		}
		return nil
	case table.TestBit:
		if n.A < table.WordRows {
			return e.bit(c, int(n.A), int(n.B))
		}
		lookup := int(n.A) - table.WordRows
		return e.byName(c, p.Lookups[lookup].Text, func(name string) int64 {
			row, _ := e.tables[side].Row(lookup, name)
			return int64(row.Bits >> n.B & 1)
		})
	case table.TextIs:
		return e.byName(c, n.A, func(name string) int64 { return truth(name == p.Words[n.B]) })
	case table.SameText:
		for _, slot := range []uint16{n.A, n.B} {
			if _, ok := c.is(known, e.texts[slot]); !ok {
				return e.bit(c, known, e.texts[slot])
			}
		}
		return e.same(c, n.A, n.B)
	}
	return e.sides(c, side, n)
}

// bit are both answers of a bit.
func (e *explorer) bit(c cell, word, bit int) []cell {
	var parts []cell
	for _, answer := range []bool{true, false} {
		next := c
		if next.set(word, bit, answer) && e.settle(&next) {
			parts = append(parts, next)
		}
	}
	return parts
}

// byName are the parts in which all kinds that a string can be say the same.
func (e *explorer) byName(c cell, slot uint16, of func(name string) int64) []cell {
	var parts []cell
	e.split(c, slot, of, func(next cell, _ int64) { parts = append(parts, next) })
	return parts
}

// same are the parts in which two strings are one, and in which they are not.
func (e *explorer) same(c cell, a, b uint16) []cell {
	other := c
	other.same = append(slices.Clip(c.same), sameness{min(a, b), max(a, b), false})
	c.same = append(slices.Clip(c.same), sameness{min(a, b), max(a, b), true})
	parts := []cell{other}
	kinds := c.kinds[a] & c.kinds[b]
	if e.narrow(&c, a, kinds) && e.narrow(&c, b, kinds) {
		parts = append(parts, c)
	}
	return parts
}

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
