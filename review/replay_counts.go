package review

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/admitctl/admitctl/table"
)

// counts are what one core counts. They add up to the same whoever counted what: of examples, the first in the log stay.
type counts struct {
	records  int
	replayed int
	compared int
	other    int
	drift    cells
	cells    cells
	gates    map[string]*ReplayedGate // without their cells
	failures map[ReplayCause]*ReplayedFailure
}

type cells map[cellOf]*ReplayedCell

type cellOf struct{ gate, base, head string }

func newCounts() counts {
	return counts{drift: cells{}, cells: cells{}, gates: map[string]*ReplayedGate{}, failures: map[ReplayCause]*ReplayedFailure{}}
}

// decided counts a record that was decided again.
func (c *counts) decided(w *replayer, base *table.Decision, changed bool) {
	c.replayed++
	gate := c.gates[w.head.Gate]
	if gate == nil {
		gate = &ReplayedGate{}
		c.gates[w.head.Gate] = gate
	}
	gate.Records++
	if changed {
		gate.Changed++
	}
	if !base.Admit {
		gate.Sheds.Base++
	}
	if !w.head.Admit {
		gate.Sheds.Head++
	}
	c.cells.count(w, base, &w.head, changed)
}

// count puts a record into its cell; one that changed may become an example.
func (c cells) count(w *replayer, base, head *table.Decision, changed bool) {
	key := cellOf{head.Gate, base.Reason, head.Reason}
	cell := c[key]
	if cell == nil {
		cell = &ReplayedCell{Gate: key.gate, Base: key.base, Head: key.head}
		c[key] = cell
	}
	cell.Count++
	if !changed {
		return
	}
	cell.Changed++
	if len(cell.Examples) < w.options.Most || w.sequence < cell.Examples[len(cell.Examples)-1].sequence {
		cell.Examples = first(append(cell.Examples, ReplayedRecord{
			File: w.file, Line: w.line, DecisionID: w.record.DecisionID, Input: bytes.Clone(w.record.Input),
			Base: copied(base), Head: copied(head), sequence: w.sequence,
		}), w.options.Most, func(e ReplayedRecord) int { return e.sequence })
	}
}

// copied is a decision whose lists are its own.
func copied(d *table.Decision) table.Decision {
	own := *d
	own.Violations, own.Effects, own.Unknown = slices.Clone(d.Violations), slices.Clone(d.Effects), slices.Clone(d.Unknown)
	return own
}

// first are the first so many examples of a log.
func first[E any](all []E, most int, sequence func(E) int) []E {
	slices.SortFunc(all, func(a, b E) int { return cmp.Compare(sequence(a), sequence(b)) })
	return all[:min(len(all), most)]
}

// fails counts a record that cannot be decided again.
func (c *counts) fails(cause ReplayCause, entry UnreplayableEntry, most int) {
	failure := c.failures[cause]
	if failure == nil {
		failure = &ReplayedFailure{Cause: cause}
		c.failures[cause] = failure
	}
	failure.Count++
	if len(failure.Examples) < most || entry.sequence < failure.Examples[len(failure.Examples)-1].sequence {
		failure.Examples = first(append(failure.Examples, entry), most, func(e UnreplayableEntry) int { return e.sequence })
	}
}

// add puts the counts of another core to these.
func (c *counts) add(other *counts, most int) {
	c.records += other.records
	c.replayed += other.replayed
	c.compared += other.compared
	c.other += other.other
	c.drift.add(other.drift, most)
	c.cells.add(other.cells, most)
	for name, gate := range other.gates {
		own := c.gates[name]
		if own == nil {
			own = &ReplayedGate{}
			c.gates[name] = own
		}
		own.Records += gate.Records
		own.Changed += gate.Changed
		own.Sheds.Base += gate.Sheds.Base
		own.Sheds.Head += gate.Sheds.Head
	}
	for cause, failure := range other.failures {
		own := c.failures[cause]
		if own == nil {
			own = &ReplayedFailure{Cause: cause}
			c.failures[cause] = own
		}
		own.Count += failure.Count
		own.Examples = first(append(own.Examples, failure.Examples...), most, func(e UnreplayableEntry) int { return e.sequence })
	}
}

func (c cells) add(other cells, most int) {
	for key, cell := range other {
		own := c[key]
		if own == nil {
			own = &ReplayedCell{Gate: key.gate, Base: key.base, Head: key.head}
			c[key] = own
		}
		own.Count += cell.Count
		own.Changed += cell.Changed
		own.Examples = first(append(own.Examples, cell.Examples...), most, func(e ReplayedRecord) int { return e.sequence })
	}
}

// sorted are the cells of a gate, or of all gates: what changed first, the most frequent first.
func (c cells) sorted(gate string) []ReplayedCell {
	all := []ReplayedCell{}
	for key, cell := range c {
		if gate == "" || key.gate == gate {
			own := *cell
			own.Examples = append([]ReplayedRecord{}, own.Examples...)
			all = append(all, own)
		}
	}
	slices.SortFunc(all, func(a, b ReplayedCell) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Base, b.Base), cmp.Compare(a.Head, b.Head))
	})
	return all
}

// result is what all cores counted.
func (r *replay) result() Replayed {
	c := &r.counts
	out := Replayed{
		Head: r.head.revisionOf(), Records: c.records, Decided: c.replayed, Other: c.other,
		Drift: Drift{Compared: c.compared, Cells: c.drift.sorted("")}, Gates: map[string]ReplayedGate{},
		Unreplayable: Unreplayable{Causes: []ReplayedFailure{}}, Torn: append([]string{}, r.torn...),
	}
	if r.base != nil {
		base := r.base.revisionOf()
		out.Base = &base
	}
	for _, cell := range out.Drift.Cells {
		out.Drift.Count += cell.Count
	}
	for name, counted := range c.gates {
		gate := *counted
		gate.Cells = c.cells.sorted(name)
		gate.Sheds.BasePerHundred = perHundred(gate.Sheds.Base, gate.Records)
		gate.Sheds.HeadPerHundred = perHundred(gate.Sheds.Head, gate.Records)
		out.Changed += gate.Changed
		out.Gates[name] = gate
	}
	for _, cause := range slices.Sorted(maps.Keys(c.failures)) {
		out.Unreplayable.Count += c.failures[cause].Count
		out.Unreplayable.Causes = append(out.Unreplayable.Causes, *c.failures[cause])
	}
	slices.SortStableFunc(out.Unreplayable.Causes, func(a, b ReplayedFailure) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

func perHundred(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
