package review

import (
	"errors"
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
)

// label is a reason, with the action of one row or way to admit where the reason has several; else without.
type label struct{ reason, action string }

// labels are the reasons of the gate in the order of its rows, but for that of malformed documents, and then of its ways
// to admit.
func labels(gate engine.Gate) []label {
	var whole, all []label
	actions := map[string][]string{}
	add := func(reason, action string) {
		if reason != engine.ReasonInvalidInput && !slices.Contains(whole, label{reason, action}) {
			whole = append(whole, label{reason, action})
			actions[reason] = append(actions[reason], action)
		}
	}
	for _, check := range gate.Checks {
		add(check.Reason, check.Action)
	}
	for _, way := range gate.Admits {
		add(way.Reason, way.Action)
	}
	for _, own := range whole {
		if len(actions[own.reason]) == 1 {
			own.action = ""
		}
		all = append(all, own)
	}
	return all
}

func (l label) is(reason, action string) bool {
	return l.reason == reason && (l.action == "" || l.action == action)
}

// results are the results of a table that give a label.
func (l label) results(p *table.Program) []int {
	var all []int
	for i, check := range p.Checks {
		if l.is(check.Reason, check.Action) {
			all = append(all, i)
		}
	}
	for i, way := range p.Admits {
		if l.is(way.Reason, way.Action) {
			all = append(all, len(p.Checks)+i)
		}
	}
	return all
}

// reasons are the findings that each reason of the gate can be one.
func (p *proving) reasons() []Finding {
	var all []Finding
	for _, own := range labels(p.gate) {
		if p.ctx.Err() == nil {
			all = append(all, p.reason(own))
		}
	}
	return all
}

func (p *proving) reason(own label) Finding {
	f := Finding{Claim: ClaimReason, Of: own.reason, Action: own.action}
	answer, flat, by, err := p.reach(own)
	if f.By = by; answer == solver.Found {
		wanted := own.results(p.table.Program())
		p.wanted = func(flat *inputs.Flat) bool {
			return slices.Contains(wanted, int(p.table.Examine(flat).Result)) && p.decides(flat)
		}
		if !p.wanted(&flat) {
			return f.unproved("its example is not decided as it must be")
		}
		flat = p.nearest(flat)
		if f.After = p.ask(&flat); f.After == nil || !own.is(f.After.Decision.Reason, f.After.Decision.Action) {
			f.After = nil
			return f.unproved("an example that the table decides is decided otherwise by OPA: report it, with these policies")
		}
		f.Status = StatusProved
		return f
	}
	switch {
	case err != nil:
		f.By = ""
		return f.unproved(err.Error())
	case answer != solver.None:
		f.By = ""
		return f.unproved("the solver could not tell in time")
	}
	if off := p.others.allowing(own); off != nil {
		f.Status, f.Off = StatusOff, off
		f.Why = "under these thresholds it cannot be the reason"
		return f
	}
	f.Status, f.Why = StatusRefuted, p.hidden(own)
	return f
}

// reach asks for a document whose decision has a reason.
func (p *proving) reach(own label) (solver.Answer, inputs.Flat, Method, error) {
	wanted := own.results(p.table.Program())
	if len(wanted) == 0 {
		return solver.None, inputs.Flat{}, ByCells, nil // no walk ends there
	}
	for _, flat := range p.bases {
		if slices.Contains(wanted, int(p.table.Examine(&flat).Result)) && p.decides(&flat) {
			return solver.Found, flat, BySearch, nil
		}
	}
	switch answer, flat, why := p.reachInCells(wanted); {
	case answer != solver.Unknown:
		return answer, flat, ByCells, nil
	case p.options.Solver == "":
		return answer, flat, "", errors.New(why)
	}
	c, err := p.space.coder(p.table, "p", before)
	if err != nil {
		return solver.Unknown, inputs.Flat{}, "", err
	}
	ends := c.walk("a", c.p.Entry.First, func(n table.Node) string {
		return fmt.Sprint(slices.Contains(wanted, int(n.A)))
	}, "Bool")
	answer, flat, err := p.solve(c, ends)
	return answer, flat, BySolver, err
}

// hidden says why a reason cannot be one under any thresholds that were tried.
func (p *proving) hidden(own label) string {
	checks := p.table.Program().Checks
	rows := own.results(p.table.Program())
	if len(rows) == 0 || rows[0] >= len(checks) {
		return "no valid document has it, under these thresholds and all others that were tried"
	}
	tried := []string{own.reason}
	for _, check := range checks[:rows[0]] {
		if !slices.Contains(tried, check.Reason) && p.implies(rows, label{reason: check.Reason}.results(p.table.Program())) {
			return fmt.Sprintf("whenever it is violated so is %s, which comes before it", check.Reason)
		}
		tried = append(tried, check.Reason)
	}
	return "whenever it is violated so is a reason that comes before it"
}

// implies reports whether one of some rows is violated whenever one of others is.
func (p *proving) implies(others, rows []int) bool {
	own := p.table.Program()
	e := newExplorer(p.space, []*table.Gate{p.table}, p.options.Cells)
	w := &wander{comparing: &comparing{closest: p.closest, pair: &pair{space: p.space}}, explorer: e}
	segments := segmentsOf(own, own.Entry.All, len(own.Checks))
	alone := false
	var without func(c cell, rows []int)
	without = func(c cell, rows []int) {
		if len(rows) == 0 {
			alone = true
			return
		}
		w.marked(c, 0, segments, rows[0], func(c cell, marked int) {
			if marked == 0 {
				without(c, rows[1:])
			}
		})
	}
	if whole, ok := e.whole(); ok {
		for _, other := range others {
			w.marked(whole, 0, segments, other, func(c cell, marked int) {
				if marked == 1 && !alone {
					without(c, rows)
				}
			})
		}
	}
	return !alone && e.lost == "" && e.left > 0
}
