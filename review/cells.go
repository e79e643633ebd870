package review

import (
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/table"
)

// tryCells goes through all cells in which the two tables decide differently, and looks in each for a document. Where it
// gets through, and finds one in each cell of a kind or in another of that kind, the changes are all that there are.
func (c *comparing) tryCells() {
	w := &wander{comparing: c, explorer: newExplorer(c.space, c.pair.tables[:], c.options.Cells), tried: map[signature]int{}}
	c.proof = Proof{By: ByCells, Complete: true}
	for _, look := range []func(cell){w.transitions, w.violations, w.orders, w.unknowns, w.values} {
		if whole, ok := w.whole(); ok {
			look(whole)
		}
	}
	c.proof.Cells = c.options.Cells - max(w.left, 0)
	switch {
	case w.lost != "":
		c.incomplete(w.lost)
	case w.left <= 0:
		c.incomplete(fmt.Sprintf("there are more than %d cells", c.options.Cells))
	}
	for _, s := range w.empty {
		if !slices.ContainsFunc(c.found, func(f found) bool { return s.like(f.signature) }) {
			c.incomplete(fmt.Sprintf("whether there are documents that go from %s to %s could not be told", c.pair.outcomes[s.base].Reason, c.pair.outcomes[s.head].Reason))
		}
	}
	for i := range c.found {
		c.found[i].flat = c.near(c.found[i].signature, c.found[i].flat)
	}
}

// tries is in how many cells a document of one change is looked for.
const tries = 50

// wander is one way through the cells.
type wander struct {
	*comparing
	*explorer
	tried map[signature]int // in how many cells a document was looked for
	empty []signature       // changes of which a cell was found, and no document in it
}

// outcome hands over every cell with the outcome of one side.
func (w *wander) outcome(c cell, side int, then func(cell, int)) {
	end := func(_ uint16, n table.Node) (int, bool) { return int(n.A), n.Op == table.Stop }
	w.walk(c, side, w.programs[side].Entry.First, end, func(c cell, result int) {
		if result == table.Outside {
			w.lost = "some documents are left to OPA by a table, and those cannot be compared"
			return
		}
		w.met(c, w.pair.fits[side][result], func(c cell, fits bool) {
			if fits {
				then(c, w.pair.results[side][result])
			} else {
				then(c, w.pair.refusal)
			}
		})
	})
}

// both hands over every cell with the outcomes of both sides.
func (w *wander) both(c cell, then func(c cell, base, head int)) {
	w.outcome(c, 0, func(c cell, base int) {
		w.outcome(c, 1, func(c cell, head int) { then(c, base, head) })
	})
}

func (w *wander) transitions(c cell) {
	w.both(c, func(c cell, base, head int) {
		if s := w.pair.changed(base, head); s.kind != "" {
			w.settleOn(c, s)
		}
	})
}

// rejected looks into the cells in which both sides reject for the same reason, for a change of a part.
func (w *wander) rejected(c cell, part Part) {
	w.both(c, func(c cell, base, head int) {
		if base == head && base != w.pair.refusal && (part == PartUnknown || !w.pair.outcomes[base].Admit) {
			w.settleOn(c, signature{KindRelabelled, part, base, head})
		}
	})
}

// settleOn looks for a document in a cell that changes so.
func (w *wander) settleOn(c cell, s signature) {
	if slices.ContainsFunc(w.found, func(f found) bool { return s.like(f.signature) }) {
		return
	}
	if w.tried[s.alike()] >= tries { // as many cells without a document leave little hope, and each takes its time
		return
	}
	w.tried[s.alike()]++
	w.want(s)
	if flat, ok := w.member(c, w.wanted); ok {
		got, _ := w.pair.judge(w.ctx, &flat, true)
		w.found = append(w.found, found{signature: got, flat: flat})
		return
	}
	if !slices.Contains(w.empty, s) {
		w.empty = append(w.empty, s)
	}
}

// marked hands over every cell with whether a walk passes a mark.
func (w *wander) marked(c cell, side int, segments []segment, bit int, then func(cell, int)) {
	own := segments[bit]
	w.walk(c, side, own.from, func(at uint16, n table.Node) (int, bool) {
		switch {
		case at == own.to || n.Op == table.Stop:
			return 0, true
		case n.Op == table.Mark:
			return 1, int(n.A) == bit
		}
		return 0, false
	}, then)
}

// checks takes apart the walks that mark what is violated.
func (w *wander) checks() [2][]segment {
	var made [2][]segment
	for side, p := range w.programs {
		made[side] = segmentsOf(p, p.Entry.All, len(p.Checks))
	}
	return made
}

// violations looks for cells in which one side lists a reason, and the other does not, or not as often.
func (w *wander) violations(c cell) {
	segments := w.checks()
	reasons := slices.Concat(w.pair.reasons[0], w.pair.reasons[1])
	slices.Sort(reasons)
	for _, reason := range slices.Compact(reasons) {
		w.listed(c, 0, segments, reason, 0, 0, func(c cell, base int) {
			w.listed(c, 1, segments, reason, 0, 0, func(c cell, head int) {
				if base != head {
					w.rejected(c, PartViolations)
				}
			})
		})
	}
}

// listed hands over every cell with how often a side lists a reason.
func (w *wander) listed(c cell, side int, segments [2][]segment, reason, from, so int, then func(cell, int)) {
	for bit := from; bit < len(segments[side]); bit++ {
		if w.pair.reasons[side][bit] == reason {
			w.marked(c, side, segments[side], bit, func(c cell, marked int) { w.listed(c, side, segments, reason, bit+1, so+marked, then) })
			return
		}
	}
	then(c, so)
}

// orders looks for cells in which both sides list two reasons, in another order.
func (w *wander) orders(c cell) {
	segments := w.checks()
	base, head := w.pair.reasons[0], w.pair.reasons[1]
	for i, first := range base {
		for j := i + 1; j < len(base); j++ {
			for k, other := range head {
				for l := k + 1; l < len(head); l++ {
					if first != base[j] && other == base[j] && head[l] == first {
						w.all(c, segments, [][2]int{{0, i}, {0, j}, {1, k}, {1, l}}, func(c cell) { w.rejected(c, PartViolations) })
					}
				}
			}
		}
	}
}

// all hands over the cells in which all of some checks, each by its side and place, are violated.
func (w *wander) all(c cell, segments [2][]segment, checks [][2]int, then func(cell)) {
	if len(checks) == 0 {
		then(c)
		return
	}
	side, bit := checks[0][0], checks[0][1]
	w.marked(c, side, segments[side], bit, func(c cell, marked int) {
		if marked == 1 {
			w.all(c, segments, checks[1:], then)
		}
	})
}

// unknowns looks for cells in which one side names a signal as unknown, and the other does not.
func (w *wander) unknowns(c cell) {
	names := slices.Concat(w.pair.unknown[0], w.pair.unknown[1])
	slices.Sort(names)
	var segments [2][]segment
	for side, p := range w.programs {
		segments[side] = segmentsOf(p, p.Entry.Unknown, len(p.Unknown))
	}
	named := func(c cell, side int, name string, then func(cell, int)) {
		if bit := slices.Index(w.pair.unknown[side], name); bit >= 0 {
			w.marked(c, side, segments[side], bit, then)
			return
		}
		then(c, 0)
	}
	for _, name := range slices.Compact(names) {
		named(c, 0, name, func(c cell, base int) {
			named(c, 1, name, func(c cell, head int) {
				if base != head {
					w.rejected(c, PartUnknown)
				}
			})
		})
	}
}
