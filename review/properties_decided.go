package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
)

// decided is the finding that every valid document is decided, with the effects that it must have.
func (p *proving) decided() Finding {
	f := Finding{Claim: ClaimDecided}
	left := false
	for i := range p.bases {
		switch example, wrong := p.undecided(&p.bases[i]); {
		case wrong:
			f.By = BySearch
			return p.notDecided(f, p.bases[i], example)
		case example != nil:
			left = true
		}
	}
	if left {
		return f.unproved("some documents are left to OPA by the table, and those cannot be gone through")
	}
	c, err := p.space.coder(p.table, "p", before)
	if err != nil {
		return f.unproved(err.Error())
	}
	wrong := c.undecided()
	why := ""
	if wrong != "false" {
		why = p.decidedInCells()
	}
	switch {
	case why == "":
		f.Status, f.By = StatusProved, ByCells
		return f
	case p.options.Solver == "":
		return f.unproved(why)
	}
	answer, flat, err := p.solve(c, wrong)
	switch {
	case err != nil:
		return f.unproved(err.Error())
	case answer == solver.None:
		f.Status, f.By = StatusProved, BySolver
		return f
	case answer == solver.Found:
		example, wrong := p.undecided(&flat)
		if !wrong {
			return f.unproved("some documents are left to OPA by the table, and those cannot be gone through")
		}
		f.By = BySolver
		return p.notDecided(f, flat, example)
	}
	return f.unproved("the solver could not tell in time")
}

// notDecided tells the document nearest to the nominal one that is not decided as it must be.
func (p *proving) notDecided(f Finding, flat inputs.Flat, example *Example) Finding {
	p.wanted = func(flat *inputs.Flat) bool { return p.space.document(flat) != nil && !p.decides(flat) }
	near := p.nearest(flat)
	if nearer, wrong := p.undecided(&near); wrong {
		example = nearer
	}
	f.Status, f.After = StatusRefuted, example
	f.Why = strings.Join(strings.Fields(example.Decision.Error), " ")
	return f
}

// undecided is a document that the table leaves to OPA or gives effects that are not its own, and whether OPA cannot
// decide it either.
func (p *proving) undecided(flat *inputs.Flat) (example *Example, wrong bool) {
	if p.space.document(flat) == nil || p.decides(flat) {
		return nil, false
	}
	example = p.ask(flat)
	return example, example != nil && strings.HasPrefix(example.Decision.Reason, "policy_")
}

// undecided is that a walk ends outside, or at a way to admit whose effects are not those of the document; "false" where
// no walk can.
func (c *coder) undecided() string {
	parts := []string{}
	for _, from := range []uint16{c.p.Entry.First, c.p.Entry.All, c.p.Entry.Unknown} {
		parts = append(parts, c.walk("d", from, func(n table.Node) string {
			switch {
			case n.Op == table.Mark:
				return ""
			case n.A == table.Outside:
				return "true"
			case from == c.p.Entry.First && int(n.A) >= len(c.p.Checks):
				return c.misaffected(c.p.Admits[int(n.A)-len(c.p.Checks)].Effects)
			}
			return "false"
		}, "Bool"))
	}
	var may []string
	for _, part := range parts {
		if part != "false" {
			may = append(may, part)
		}
	}
	return anyOf(may)
}

// misaffected is that some effects are not those of the document, as [table.CheckEffects] has them.
func (c *coder) misaffected(effects []table.EffectOfRow) string {
	slot := func(name string) uint16 { return uint16(c.space.places[c.space.property(name)].Slot) }
	switch borrow, paid := c.space.meant(effects); {
	case c.space.gate == "fence" && borrow != nil:
		flag := fmt.Sprintf("%sf%d", c.document, c.space.property("borrow"))
		if *borrow {
			return not(flag)
		}
		return flag
	case c.space.gate == "fence.retry" && paid:
		return fmt.Sprintf("(distinct %s %s)", c.text(slot("created_on")), c.text(slot("charge.name")))
	}
	return fmt.Sprint(c.space.gate == "fence" || c.space.gate == "fence.retry" || len(effects) > 0)
}

// meant says which documents some effects are of: of fences, those that borrow or do not; of retries, whether it is those
// that their creator pays for. Of others, and of none, it is nil and false.
func (s *space) meant(effects []table.EffectOfRow) (borrow *bool, paid bool) {
	is := func(want ...table.EffectOfRow) bool {
		return len(want) == len(effects) && !slices.ContainsFunc(want, func(one table.EffectOfRow) bool { return !slices.Contains(effects, one) })
	}
	on := func(name, counter string, delta int64) table.EffectOfRow {
		if at := s.property(name); at >= 0 {
			return table.EffectOfRow{Text: uint16(s.places[at].Slot), Counter: counter, Delta: delta}
		}
		return table.EffectOfRow{Text: table.MaxNodes}
	}
	primary, borrowed := on("primary.name", table.CounterDepth, 1), on("borrowed.name", table.CounterDepth, 1)
	switch yes, no := true, false; {
	case is(primary, borrowed):
		borrow = &yes
	case is(primary):
		borrow = &no
	}
	return borrow, is(on("charge.name", table.CounterRetryBudget, -1)) || is(on("created_on", table.CounterRetryBudget, -1))
}

// solve asks the solver for a document that meets a condition of a coder for one document.
func (p *proving) solve(c *coder, condition string) (solver.Answer, inputs.Flat, error) {
	session, err := solver.Start(p.ctx, p.options.Solver, p.options.Limit)
	if err != nil {
		return solver.Unknown, inputs.Flat{}, err
	}
	defer session.Close()
	session.Say(p.space.declared(c.document))
	session.Say(c.w.String())
	answer, values, err := session.Ask(condition, p.space.variables(c.document))
	if err != nil || answer != solver.Found {
		return answer, inputs.Flat{}, err
	}
	return answer, p.space.flat(c.document, values), nil
}
