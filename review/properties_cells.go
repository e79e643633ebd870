package review

import (
	"math"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
)

// kinds are the ways in which a step of a claim can go, told of the field before and after.
func (s *step) kinds(claim Claim, place inputs.Place, direction twinNumber) []stepKind {
	const absent, there = bitOff, bitOn
	switch {
	case claim == ClaimUnknown:
		after := [3]twinBit{bitOn, bitOff, bitOff}
		kinds := []stepKind{{before: [3]twinBit{there, there, bitStays}, after: after, number: numberGone}}
		if !place.Required {
			kinds = append(kinds, stepKind{before: [3]twinBit{absent, absent, bitStays}, after: after, number: numberGone})
		}
		return kinds
	case claim == ClaimWorse:
		return []stepKind{{before: [3]twinBit{there, there, bitStays}, number: direction}}
	case place.Kind == inputs.KindFlag:
		after := [3]twinBit{bitOn, bitOn, bitOff}
		return []stepKind{
			{before: [3]twinBit{there, there, bitOn}, after: after},
			{before: [3]twinBit{absent, absent, bitStays}, after: after},
		}
	}
	kinds := []stepKind{{before: [3]twinBit{there, there, bitStays}, number: numberLess}}
	if !place.Required {
		kinds = append(kinds, stepKind{before: [3]twinBit{absent, absent, bitStays}, after: [3]twinBit{bitOn, bitOn, bitStays}, number: numberFresh})
	}
	return kinds
}

// stepKind is one way in which a step can go.
type stepKind struct {
	before, after [3]twinBit // the bits of the field
	number        twinNumber
}

// stepInCells goes through all cells of documents and steps, for a step that turns a reject into an admit: none is proved only
// where no cell has one. Where it cannot tell, it gives why.
func (p *proving) stepInCells(claim Claim, s *step) (answer solver.Answer, two pairOf, why string) {
	place := p.space.places[s.place]
	direction := numberMore
	if claim == ClaimWorse && p.gate.Worse[place.Name] == engine.Lower {
		direction = numberLess
	}
	if _, err := p.space.coder(p.table, "", ""); err != nil { // numbers that can overflow
		return solver.Unknown, two, err.Error()
	}
	for _, kind := range s.kinds(claim, place, direction) {
		if values, narrowed := p.space.domain[place.Name]; narrowed && !values.allow(kind) {
			continue
		}
		if answer, two, why = p.stepOfKind(s, place, kind); answer != solver.None {
			return answer, two, why
		}
	}
	return solver.None, two, ""
}

// allow reports whether a field can be in a domain after a step.
func (v Values) allow(kind stepKind) bool {
	if kind.after[known] == bitOff {
		return v.Null
	}
	return len(v.Numbers)+len(v.Flags) > 0
}

func (p *proving) stepOfKind(s *step, place inputs.Place, kind stepKind) (answer solver.Answer, two pairOf, why string) {
	low, high := int64(1), place.High-place.Low
	if kind.number == numberFresh {
		low, high = place.Low, place.High
	}
	longer, by, rounds := p.space.longer(low, max(high, low))
	if longer == nil {
		return solver.Unknown, two, "its documents have too many fields"
	}
	t := &twin{place: place, index: s.place, bits: kind.after, number: kind.number, step: by, rounds: rounds}
	e := newExplorer(longer, []*table.Gate{p.table, p.table}, p.options.Cells)
	e.programs[1] = t.of(p.table.Program())
	c, ok := e.whole()
	if ok = ok && e.begin(&c, s, place, kind, by); ok && s.rows != nil {
		c, ok = p.inRows(e, c, s.rows)
	}
	if !ok && e.lost == "" {
		return solver.None, two, ""
	}
	w := &wander{comparing: &comparing{closest: p.closest, pair: &pair{space: longer}}, explorer: e}
	checks, in, tries := len(e.programs[0].Checks), false, 0
	end := func(_ uint16, n table.Node) (int, bool) { return int(n.A), n.Op == table.Stop }
	e.walk(c, 1, e.programs[1].Entry.First, end, func(c cell, result int) {
		if result < checks || answer == solver.Found {
			return
		}
		e.walk(c, 0, e.programs[0].Entry.First, end, func(c cell, before int) {
			if before >= checks && before != table.Outside && result != table.Outside || answer == solver.Found {
				return
			}
			if in, tries = true, tries+1; tries > attempts {
				e.left = 0 // there are many, and all of them as hard
				return
			}
			_, ok := w.member(c, func(flat *inputs.Flat) bool {
				two = p.space.pair(flat, s.place, kind, by)
				return p.breaks(s, &two)
			})
			if ok {
				answer = solver.Found
			}
		})
	})
	switch {
	case answer == solver.Found:
		return answer, two, ""
	case in:
		return solver.Unknown, two, "whether a step turns a reject into an admit could not be told without a solver"
	case e.lost == "" && e.left <= 0:
		return solver.Unknown, two, "there are too many cells"
	case e.lost != "":
		return solver.Unknown, two, e.lost
	}
	return solver.None, two, ""
}

// pair takes apart a document that holds a step too, in the number by.
func (s *space) pair(flat *inputs.Flat, i int, kind stepKind, by uint16) pairOf {
	x, mine := *flat, uint64(1)<<len(s.places)-1
	x.Given, x.Known, x.True = x.Given&mine, x.Known&mine, x.True&mine
	clear(x.Numbers[by:])
	y := x
	for word, mask := range []*uint64{&y.Given, &y.Known, &y.True} {
		switch kind.after[word] {
		case bitOn:
			*mask |= 1 << i
		case bitOff:
			*mask &^= 1 << i
		}
	}
	place := s.places[i]
	switch {
	case place.Kind == inputs.KindText && kind.number == numberGone:
		y.Texts[place.Slot] = ""
	case place.Kind != inputs.KindNumber:
	case kind.number == numberGone:
		y.Numbers[place.Slot] = 0
	case kind.number == numberMore:
		y.Numbers[place.Slot] += flat.Numbers[by]
	case kind.number == numberLess:
		y.Numbers[place.Slot] -= flat.Numbers[by]
	case kind.number == numberFresh:
		y.Numbers[place.Slot] = flat.Numbers[by]
	}
	return pairOf{x, y}
}

// begin narrows a cell to the documents from which a step can go; false where there are none.
func (e *explorer) begin(c *cell, s *step, place inputs.Place, kind stepKind, by uint16) bool {
	for word, bit := range kind.before {
		if bit != bitStays && !c.set(word, s.place, bit == bitOn) {
			return false
		}
	}
	if object, _, nested := strings.Cut(place.Name, "."); nested && !c.set(given, e.space.property(object), true) {
		return false
	}
	if !e.settle(c) {
		return false
	}
	own, step := variableName(uint16(place.Slot)), variableName(by)
	switch kind.number {
	case numberMore:
		return c.limit(form{terms: map[string]int64{own: 1, step: 1}}, math.MinInt64, place.High)
	case numberLess:
		return c.limit(form{terms: map[string]int64{own: 1, step: -1}}, place.Low, math.MaxInt64)
	}
	return true
}

// inRows narrows a cell to the rows for which a claim is made.
func (p *proving) inRows(e *explorer, c cell, rows *required) (cell, bool) {
	slot := p.table.Program().Lookups[rows.lookup].Text
	kinds := uint64(0)
	for kind := range e.kinds {
		row, _ := p.table.Row(rows.lookup, e.name(kind))
		if rows.holds(row) {
			kinds |= 1 << kind
		}
	}
	ok := e.narrow(&c, slot, kinds)
	return c, ok
}

// inCells hands over every cell of documents with the result that they have; it gives why not all were gone through.
func (p *proving) inCells(then func(e *explorer, c cell, result int)) (why string) {
	if _, err := p.space.coder(p.table, "", ""); err != nil { // numbers that can overflow
		return err.Error()
	}
	e := newExplorer(p.space, []*table.Gate{p.table}, p.options.Cells)
	if c, ok := e.whole(); ok {
		end := func(_ uint16, n table.Node) (int, bool) { return int(n.A), n.Op == table.Stop }
		e.walk(c, 0, e.programs[0].Entry.First, end, func(c cell, result int) { then(e, c, result) })
	}
	if e.lost == "" && e.left <= 0 {
		return "there are too many cells"
	}
	return e.lost
}

// reachInCells looks for a result in all cells: none is proved not to be there only where no cell has it.
func (p *proving) reachInCells(wanted []int) (answer solver.Answer, flat inputs.Flat, why string) {
	in := false
	why = p.inCells(func(e *explorer, c cell, result int) {
		if answer == solver.Found || !slices.Contains(wanted, result) {
			return
		}
		in = true
		w := &wander{comparing: &comparing{closest: p.closest, pair: &pair{space: p.space}}, explorer: e}
		found, ok := w.member(c, func(flat *inputs.Flat) bool {
			return slices.Contains(wanted, int(p.table.Examine(flat).Result)) && p.space.document(flat) != nil
		})
		if ok {
			answer, flat = solver.Found, found
		}
	})
	switch {
	case answer == solver.Found:
		return answer, flat, ""
	case why == "" && !in:
		return solver.None, inputs.Flat{}, ""
	case why == "":
		why = "no document was found that has it, and that there is none could not be told without a solver"
	}
	return solver.Unknown, inputs.Flat{}, why
}

// decidedInCells is why it could not be told that every document is decided with the effects that it must have.
func (p *proving) decidedInCells() (why string) {
	const untold = "whether every document is decided, and has its effects, could not be told without a solver"
	checks, admits := len(p.table.Program().Checks), p.table.Program().Admits
	for _, at := range []uint16{p.table.Program().Entry.All, p.table.Program().Entry.Unknown} {
		if canEndOutside(p.table.Program(), at) {
			return untold
		}
	}
	wrong := false
	why = p.inCells(func(e *explorer, c cell, result int) {
		switch {
		case result == table.Outside:
			wrong = true
		case result >= checks:
			wrong = wrong || !e.affected(&c, admits[result-checks].Effects)
		}
	})
	if why == "" && wrong {
		return untold
	}
	return why
}

// canEndOutside reports whether some branch below a node ends outside, taken or not.
func canEndOutside(p *table.Program, from uint16) bool {
	for _, n := range p.Nodes {
		if n.Op == table.Stop && n.A == table.Outside && reaches(p, from, n) {
			return true
		}
	}
	return false
}

// affected reports whether a cell is known to hold only documents whose effects, when they are admitted, are these.
func (e *explorer) affected(c *cell, effects []table.EffectOfRow) bool {
	slot := func(name string) uint16 { return uint16(e.space.places[e.space.property(name)].Slot) }
	switch borrow, paid := e.space.meant(effects); {
	case e.space.gate == "fence" && borrow != nil:
		is, settled := c.is(flagged, e.space.property("borrow"))
		return settled && is == *borrow
	case e.space.gate == "fence.retry" && paid:
		is, settled := e.sameText(c, slot("created_on"), slot("charge.name"))
		return settled && is
	}
	return e.space.gate != "fence" && e.space.gate != "fence.retry" && len(effects) == 0
}
