package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

// reasons are the findings that each reason of the gate can be one: of its rows, but for that of malformed documents,
// in the order of the rows, and of its ways to admit.
func (p *proving) reasons() []Finding {
	var all []Finding
	var seen []string
	for _, check := range p.gate.Checks {
		if check.Reason != engine.ReasonInvalidInput && !slices.Contains(seen, check.Reason) {
			seen = append(seen, check.Reason)
			all = append(all, p.reason(check.Reason))
		}
	}
	for _, way := range p.gate.Admits {
		if !slices.Contains(seen, way.Reason) {
			seen = append(seen, way.Reason)
			all = append(all, p.reason(way.Reason))
		}
	}
	return all
}

// results are the results of a table that give a reason.
func results(p *table.Program, reason string) []int {
	var all []int
	for i, check := range p.Checks {
		if check.Reason == reason {
			all = append(all, i)
		}
	}
	for i, way := range p.Admits {
		if way.Reason == reason {
			all = append(all, len(p.Checks)+i)
		}
	}
	return all
}

func (p *proving) reason(reason string) Finding {
	f := Finding{Claim: ClaimReason, Of: reason}
	answer, flat, by, err := p.reach(reason)
	if f.By = by; answer == solver.Found {
		wanted := results(p.table.Program(), reason)
		p.wanted = func(flat *inputs.Flat) bool {
			return slices.Contains(wanted, int(p.table.Examine(flat).Result)) && p.decides(flat)
		}
		if !p.wanted(&flat) {
			return f.unproved("its example is not decided as it must be")
		}
		flat = p.nearest(flat)
		if f.After = p.ask(&flat); f.After == nil || f.After.Decision.Reason != reason {
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
	if off := p.others.allowing(reason); off != nil {
		f.Status, f.Off = StatusOff, off
		f.Why = "under these thresholds it cannot be the reason"
		return f
	}
	f.Status, f.Why = StatusRefuted, p.hidden(reason)
	return f
}

// reach asks for a document whose decision has a reason.
func (p *proving) reach(reason string) (solver.Answer, inputs.Flat, Method, error) {
	wanted := results(p.table.Program(), reason)
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
func (p *proving) hidden(reason string) string {
	checks := p.table.Program().Checks
	rows := results(p.table.Program(), reason)
	if len(rows) == 0 || rows[0] >= len(checks) {
		return "no valid document has it, under these thresholds and all others that were tried"
	}
	tried := []string{reason}
	for _, check := range checks[:rows[0]] {
		if !slices.Contains(tried, check.Reason) && p.implies(rows, results(p.table.Program(), check.Reason)) {
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

// alternatives are the same rules under other thresholds.
type alternatives struct {
	*proving
	tried map[string]*proving // by what was laid over; nil where it does not load, or has no table
}

// edit is another value of a threshold.
type edit struct {
	path  string
	steps []string
	value any
}

// into writes the edit into an overlay.
func (e edit) into(over map[string]any) {
	last := len(e.steps) - 1
	for _, step := range e.steps[:last] {
		inner, ok := over[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			over[step] = inner
		}
		over = inner
	}
	over[e.steps[last]] = e.value
}

// The most other thresholds that are tried, of one and of two edits.
const (
	mostEdits = 40
	mostPairs = 40
)

// allowing names the thresholds that keep a reason from being one: one of them, or two together, of which another value
// lets it. It is nil where none was found.
func (a *alternatives) allowing(reason string) []string {
	edits := a.edits(reason)
	for _, e := range edits[:min(len(edits), mostEdits)] {
		if a.allow(reason, e) {
			return []string{e.path}
		}
	}
	pairs := 0
	for i, one := range edits {
		for _, other := range edits[i+1:] {
			_, number := one.value.(int64)
			_, another := other.value.(int64)
			if one.path == other.path || number && another {
				continue
			}
			if pairs++; pairs > mostPairs || a.ctx.Err() != nil {
				return nil
			}
			if a.allow(reason, one, other) {
				return []string{one.path, other.path}
			}
		}
	}
	return nil
}

// edits lists other thresholds: first those that the reason's own rows are proved from, switches before numbers.
func (a *alternatives) edits(reason string) []edit {
	program := a.side.Program
	var paths []string
	add := func(path string) {
		for _, path := range a.rows(path) {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	for _, own := range []bool{true, false} {
		for _, check := range a.gate.Checks {
			if (check.Reason == reason) == own {
				for _, setting := range program.Feeding(check) {
					add(setting.Path)
				}
			}
		}
		for _, way := range a.gate.Admits {
			if (way.Reason == reason) == own {
				for _, setting := range program.Deciding(way) {
					add(setting.Path)
				}
			}
		}
	}
	var switches, numbers []edit
	for _, path := range paths {
		steps := stepsOf(path)
		for _, value := range program.Alternatives(steps) {
			if _, ok := value.(int64); ok {
				numbers = append(numbers, edit{path, steps, value})
			} else {
				switches = append(switches, edit{path, steps, value})
			}
		}
	}
	return slices.Concat(switches, numbers)
}

// rows are the paths of a threshold that is not set, in the first rows of the map that it stands in.
func (a *alternatives) rows(path string) []string {
	const most = 4
	head, tail, open := strings.Cut(path, ".*")
	if !open {
		return []string{path}
	}
	var data map[string]any
	if decodeWhole(a.side.Program.Data(), &data) != nil {
		return nil
	}
	rows, _ := table.At(data, stepsOf(head)).(map[string]any)
	var all []string
	for _, name := range sortedKeys(rows) {
		if len(all) < most {
			all = append(all, thresholds.Join(head, name)+tail)
		}
	}
	return all
}

// allow reports whether a reason can be one under edits.
func (a *alternatives) allow(reason string, edits ...edit) bool {
	other := a.under(edits)
	if other == nil {
		return false
	}
	answer, _, _, _ := other.reach(reason)
	return answer == solver.Found
}

// under is the proof of the gate under edits, nil where they do not load, or leave it to OPA. Numbers are bound to the table
// that is there; the rules are tabulated anew for everything else.
func (a *alternatives) under(edits []edit) *proving {
	over, numbers := map[string]any{}, map[string]any{}
	for _, e := range edits {
		if _, ok := e.value.(int64); ok {
			e.into(numbers)
		} else {
			e.into(over)
		}
	}
	switched := a.switched(over)
	if switched == nil || len(numbers) == 0 {
		return switched
	}
	var data map[string]any
	if decodeWhole(switched.side.Program.Data(), &data) != nil {
		return nil
	}
	for _, e := range edits {
		if _, ok := e.value.(int64); ok && table.At(data, e.steps) != nil {
			data = with(data, e.steps, e.value)
		}
	}
	bound, err := switched.table.Program().Bind(data, nil, "")
	if err != nil {
		return nil
	}
	return a.by(switched.side, bound)
}

// switched is the proof of the gate with switches and words laid over the thresholds.
func (a *alternatives) switched(over map[string]any) *proving {
	if len(over) == 0 {
		return a.proving
	}
	text, err := json.Marshal(over)
	if err != nil {
		return nil
	}
	if known, ok := a.tried[string(text)]; ok {
		return known
	}
	if a.tried == nil {
		a.tried = map[string]*proving{}
	}
	a.tried[string(text)] = nil
	program, err := a.side.Program.With(a.ctx, text)
	if err != nil || program.Table(a.gate.Name) == nil {
		return nil
	}
	a.tried[string(text)] = a.by(Side{a.side.Name, program}, program.Table(a.gate.Name))
	return a.tried[string(text)]
}

// by is the proof of the gate by another table.
func (a *alternatives) by(side Side, own *table.Gate) *proving {
	space, err := newSpace(a.gate.Name, a.gate.Properties, []*table.Gate{own}, &a.nominal, a.options.Domains[a.gate.Name], side.Program.Schemas())
	if err != nil {
		return nil
	}
	made := &proving{side: side, gate: a.gate, table: own, options: a.options}
	made.closest = &closest{ctx: a.ctx, space: space, nominal: a.nominal, free: a.free}
	return made
}
