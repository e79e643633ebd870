package tabulate

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/admitctl/admitctl/table"
)

// first writes the walk that stops at the first violation, or at the way to admit.
func (w *writer) first(a *answer) uint16 {
	f := w.t.formulas
	outcomes := []outcome{{a.outside, table.Outside}}
	for i, check := range a.checks {
		outcomes = append(outcomes, outcome{check.when, i})
	}
	for i, way := range a.ways {
		outcomes = append(outcomes, outcome{way.when, len(a.checks) + i})
	}
	kept := outcomes[:0]
	for _, one := range outcomes {
		if one.when != never {
			kept = append(kept, one)
		}
	}
	walk := &walk{writer: w, f: f, known: map[string]uint16{}, about: map[int][]int32{}}
	for _, at := range slices.Sorted(maps.Keys(w.t.questions)) {
		if q := w.t.questions[at]; q.op == table.TestBit && q.a >= table.WordRows {
			walk.about[q.a-table.WordRows] = append(walk.about[q.a-table.WordRows], at)
		}
	}
	if rest, ok := walk.from(kept, 0); ok {
		if start, ok := walk.shaped(kept, rest); ok {
			return start
		}
		return rest
	}
	next := w.stop(table.Outside)
	for i := len(kept) - 1; i >= 0; i-- {
		next = w.decided(kept[i].when, w.stop(kept[i].result), next, map[formula]uint16{})
	}
	for i := range w.p.Lookups {
		next = w.node(table.Node{Op: table.Find, A: uint16(i), Yes: next})
	}
	return next
}

// outcome is a result of the walk, if none before it is.
type outcome struct {
	when   formula
	result int
}

// walk writes branches that never ask twice what the way to them has answered.
type walk struct {
	*writer
	f     *formulas
	known map[string]uint16
	about map[int][]int32 // the questions about each row
}

// from writes what is left to ask, once the rows in found are. It is false where that is too much.
func (w *walk) from(left []outcome, found uint) (uint16, bool) {
	for len(left) > 0 && left[0].when == never {
		left = left[1:]
	}
	if len(left) == 0 {
		return w.stop(table.Outside), true
	}
	if left[0].when == always {
		return w.stop(left[0].result), true
	}
	key := make([]byte, 0, 8*len(left)+8)
	key = binary.LittleEndian.AppendUint32(key, uint32(found))
	for _, one := range left {
		key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(key, uint32(one.when)), uint32(one.result))
	}
	if known, ok := w.known[string(key)]; ok {
		return known, true
	}
	if len(w.known) > maxBranches {
		return 0, false
	}
	w.known[string(key)] = 0 // counts while it is being written
	question := w.f.nodes[left[0].when].question
	if lookup, needed := w.needs(question, found); needed {
		made, ok := w.fork(left, lookup, found|1<<lookup)
		w.known[string(key)] = made
		return made, ok
	}
	yes, ok := w.from(w.answered(left, question, true), found)
	if !ok {
		return 0, false
	}
	no, ok := w.from(w.answered(left, question, false), found)
	made := w.asks(question, yes, no)
	if yes == no {
		made = yes
	}
	w.known[string(key)] = made
	return made, ok
}

// fork finds a row, and goes on apart for each of what rows answer: then nothing is asked of the row any more.
func (w *walk) fork(left []outcome, lookup int, found uint) (uint16, bool) {
	answers := w.p.Lookups[lookup].Answers
	if answers == nil {
		next, ok := w.from(left, found)
		return w.node(table.Node{Op: table.Find, A: uint16(lookup), Yes: next}), ok
	}
	jumps := make([]uint16, len(answers))
	for i, bits := range answers {
		own := left
		for _, question := range w.about[lookup] {
			own = w.answered(own, question, bits>>w.t.questions[question].b&1 != 0)
		}
		var ok bool
		if jumps[i], ok = w.from(own, found); !ok {
			return 0, false
		}
	}
	base := len(w.p.Jumps)
	w.p.Jumps = append(w.p.Jumps, jumps...)
	return w.node(table.Node{Op: table.Fork, A: uint16(lookup), B: uint16(base)}), true
}

func (w *walk) answered(left []outcome, question int32, answer bool) []outcome {
	made := make([]outcome, 0, len(left))
	memo := map[formula]formula{}
	for _, one := range left {
		if when := w.f.answered(one.when, question, answer, memo); when != never {
			made = append(made, outcome{when, one.result})
		}
		if len(made) > 0 && made[len(made)-1].when == always {
			break // what comes after is never reached
		}
	}
	return made
}

// needs is the row that a question asks about, where it has not been found yet.
func (w *walk) needs(question int32, found uint) (lookup int, needed bool) {
	q := w.t.questions[question]
	missing := ^found
	switch q.op {
	case table.TestBit:
		if q.a >= table.WordRows && missing>>(q.a-table.WordRows)&1 != 0 {
			return q.a - table.WordRows, true
		}
	case table.AtMost, table.Equal:
		for _, at := range []int{q.a, q.b} {
			for _, lookup := range w.rowsOf(at) {
				if missing>>lookup&1 != 0 {
					return lookup, true
				}
			}
		}
	}
	return 0, false
}

// rowsOf are the rows that an expression reads.
func (w *walk) rowsOf(at int) []int {
	e := w.t.expressions[at]
	switch e.term {
	case table.Field, table.Number:
		return nil
	case table.Cell:
		return []int{w.t.columns[e.a].lookup}
	case table.CeilingOf, table.FloorOf:
		return w.rowsOf(e.a)
	}
	return append(w.rowsOf(e.a), w.rowsOf(e.b)...)
}
