package review

import (
	"github.com/admitctl/admitctl/table"
)

// values looks for cells in which both sides list a reason, and show another value.
func (w *wander) values(c cell) {
	segments := w.checks()
	for i, reason := range w.pair.reasons[0] {
		for j, other := range w.pair.reasons[1] {
			if reason != other {
				continue
			}
			base, head := w.programs[0].Checks[i], w.programs[1].Checks[j]
			for _, shown := range [][2]uint16{{base.Observed, head.Observed}, {base.Limit, head.Limit}} {
				w.shown(c, shown, func(c cell) {
					w.all(c, segments, [][2]int{{0, i}, {1, j}}, func(c cell) { w.rejected(c, PartValues) })
				})
			}
		}
	}
}

// shown hands over the cells in which two walks find other values.
func (w *wander) shown(c cell, from [2]uint16, then func(cell)) {
	end := func(_ uint16, n table.Node) (int, bool) { return int(n.A), n.Op == table.Stop }
	w.walk(c, 0, from[0], end, func(c cell, base int) {
		w.walk(c, 1, from[1], end, func(c cell, head int) {
			w.differ(c, w.programs[0].Values[base], w.programs[1].Values[head], then)
		})
	})
}

// differ hands over the parts of a cell in which two values are not the same.
func (w *wander) differ(c cell, base, head table.Scalar, then func(cell)) {
	switch {
	case base.Is == table.ShowText && head.Is == table.ShowText && base.A == head.A:
	case base.Is == table.ShowWord && head.Is == table.ShowWord:
		if base.Word != head.Word {
			then(c)
		}
	case base.Is == table.ShowExpression && head.Is == table.ShowExpression:
		w.inRows(c, 0, w.columnsIn(0, base.A), func(c cell) {
			w.inRows(c, 1, w.columnsIn(1, head.A), func(c cell) { w.differInNumbers(c, base.A, head.A, then) })
		})
	default:
		then(c)
	}
}

func (w *wander) differInNumbers(c cell, base, head uint16, then func(cell)) {
	b, ok := w.formOf(&c, 0, base)
	if h, too := w.formOf(&c, 1, head); ok && too {
		if f, small := b.plus(h, -1); small {
			w.unequal(c, f, then)
			return
		}
	}
	w.lost = "its rules show what cells do not understand"
}

// inRows hands over the parts of a cell in which some columns have one value each.
func (w *wander) inRows(c cell, side int, columns []uint16, then func(cell)) {
	for _, column := range columns {
		if _, ok := w.cellOf(&c, side, column); ok {
			continue
		}
		lookup, at := w.column(side, column)
		for _, part := range w.byName(c, w.programs[side].Lookups[lookup].Text, func(name string) int64 { return w.inColumn(side, lookup, at, name) }) {
			w.left--
			w.inRows(part, side, columns, then)
		}
		return
	}
	then(c)
}

// unequal hands over the parts of a cell in which a form is not 0.
func (w *wander) unequal(c cell, f form, then func(cell)) {
	if r := c.within(f); r.low == 0 && r.high == 0 {
		return
	} else if r.low > 0 || r.high < 0 {
		then(c)
		return
	}
	for _, part := range w.around(c, f, true) {
		w.left--
		w.unequal(part, f, then)
	}
}
