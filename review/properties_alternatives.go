package review

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

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
func (a *alternatives) allowing(own label) []string {
	edits := a.edits(own)
	for _, e := range edits[:min(len(edits), mostEdits)] {
		if a.allow(own, e) {
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
			if a.allow(own, one, other) {
				return []string{one.path, other.path}
			}
		}
	}
	return nil
}

// edits lists other thresholds: first those that the reason's own rows are proved from, switches before numbers.
func (a *alternatives) edits(of label) []edit {
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
			if of.is(check.Reason, check.Action) == own {
				for _, setting := range program.Feeding(check) {
					add(setting.Path)
				}
			}
		}
		for _, way := range a.gate.Admits {
			if of.is(way.Reason, way.Action) == own {
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
func (a *alternatives) allow(own label, edits ...edit) bool {
	other := a.under(edits)
	if other == nil {
		return false
	}
	answer, _, _, _ := other.reach(own)
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
