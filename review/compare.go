package review

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Compare holds two sets of policies against each other. Its error is that of ctx: what could not be proved is in the
// comparison.
func Compare(ctx context.Context, base, head Side, o Options) (Comparison, error) {
	o = o.filled()
	made := Comparison{
		Base: Revision{base.Name, base.Program.Revision()}, Head: Revision{head.Name, head.Program.Revision()},
		Gates: map[string]GateComparison{},
	}
	edits := readEdits(base.Program, head.Program)
	made.Thresholds, made.Rules = edits.thresholds, edits.rules
	names := slices.Concat(base.Program.Gates(), head.Program.Gates())
	slices.Sort(names)
	for _, gate := range slices.Compact(names) {
		made.Gates[gate] = compareGate(ctx, gate, base, head, edits, o)
		if err := ctx.Err(); err != nil {
			return Comparison{}, fmt.Errorf("comparing %s: %w", gate, context.Cause(ctx))
		}
	}
	made.Verdict = overall(made.Gates)
	return made, nil
}

// compareGate compares one gate.
func compareGate(ctx context.Context, gate string, base, head Side, edits *edits, o Options) GateComparison {
	if base.Program.Revision() == head.Program.Revision() || edits.leave(gate) {
		return GateComparison{Verdict: Equal, Proof: Proof{Complete: true, By: ByIdentity}, Changes: []Change{}}
	}
	p := &pair{gate: gate, base: base, head: head, tables: [2]*table.Gate{base.Program.Table(gate), head.Program.Table(gate)}}
	before, inBase := base.Program.Gate(gate)
	after, inHead := head.Program.Gate(gate)
	switch {
	case !inBase:
		return alone(ctx, gate, base, head, KindLoosened, "the gate is new")
	case !inHead:
		return alone(ctx, gate, head, base, KindTightened, "the gate is gone")
	case !reflect.DeepEqual(withoutDescriptions(before.Properties), withoutDescriptions(after.Properties)):
		return unproved("the documents of the gate are not the same on both sides; what both can hold was not compared")
	case p.tables[0].Same(p.tables[1]):
		return GateComparison{Verdict: Equal, Proof: Proof{Complete: true, By: ByIdentity}, Changes: []Change{}}
	}
	tables := p.tables[:]
	why := ""
	if tables[0] == nil || tables[1] == nil {
		why = "a rule is outside of what a table holds, so that OPA decides (see check)"
		p.tables, tables = [2]*table.Gate{}, nil
	}
	nominal := nominalOf(p)
	space, err := newSpace(gate, before.Properties, tables, nominal, o.Domains[gate], head.Program.Schemas())
	if err != nil {
		return unproved(err.Error())
	}
	if p.space = space; tables != nil {
		p.readTables()
	}
	c := newComparing(ctx, p, edits, nominal, o)
	c.find(why)
	return c.told()
}

// alone is what became of a gate that one side has and the other has not, which refuses its documents. Where the side that
// has it admits one, that is the change: nothing can change the other way.
func alone(ctx context.Context, gate string, without, has Side, kind Kind, why string) GateComparison {
	own, _ := has.Program.Gate(gate)
	p := &pair{gate: gate, base: has, head: has, tables: [2]*table.Gate{has.Program.Table(gate), has.Program.Table(gate)}}
	nominal := nominalOf(p)
	if nominal == nil {
		return unproved(why + ", and no document was found that it admits")
	}
	space, err := newSpace(gate, own.Properties, nil, nominal, nil, has.Program.Schemas())
	if err != nil {
		return unproved(why + ": " + err.Error())
	}
	p.space = space
	d, err := p.ask(ctx, nominal)
	if err != nil || !d.base.Admit {
		return unproved(why + ", and no document was found that it admits")
	}
	refused, _ := without.Program.Ask(ctx, d.document)
	d.base = refused
	cause := Cause{Rule: "decision", Head: table.Origin{File: own.File, Line: own.Line}}
	if kind == KindTightened {
		d.base, d.head = d.head, refused
		cause.Base, cause.Head = cause.Head, cause.Base
	}
	return GateComparison{
		Verdict: Verdict(kind), Proof: Proof{Complete: true, By: BySearch, Cells: 1, Why: why},
		Changes: []Change{{
			Kind: kind, Base: outcomeOf(d.base).Outcome, Head: outcomeOf(d.head).Outcome, Proved: true,
			Inside: &Witness{Document: d.document, Base: d.base, Head: d.head, Off: []string{}}, Cause: []Cause{cause},
		}},
	}
}

func unproved(why string) GateComparison {
	return GateComparison{Verdict: Unproved, Proof: Proof{By: BySearch, Why: why}, Changes: []Change{}}
}

func withoutDescriptions(properties []inputs.Property) []inputs.Property {
	same := slices.Clone(properties)
	for i := range same {
		same[i].Description = ""
	}
	return same
}

// nominalOf is the document from which examples are measured.
func nominalOf(p *pair) *inputs.Flat {
	var flat inputs.Flat
	for _, side := range []Side{p.head, p.base} {
		if own, _ := side.Program.Gate(p.gate); own.Nominal != nil && inputs.Flatten(own.Nominal, &flat) {
			return &flat
		}
	}
	for _, g := range p.tables {
		if g != nil {
			if flat, ok := anyNominal(g); ok {
				return &flat
			}
		}
	}
	return nil
}

// overall is the verdict of all gates together.
func overall(gates map[string]GateComparison) Verdict {
	seen := map[Verdict]bool{}
	for _, gate := range gates {
		seen[gate.Verdict] = true
	}
	switch {
	case len(gates) == 0 || seen[Unproved] || seen[""]:
		return Unproved
	case seen[Mixed] || seen[Loosened] && seen[Tightened]:
		return Mixed
	case seen[Loosened]:
		return Loosened
	case seen[Tightened]:
		return Tightened
	case seen[Relabelled]:
		return Relabelled
	}
	return Equal
}

// comparing is the comparison of one gate.
type comparing struct {
	*closest
	pair    *pair
	edits   *edits
	options Options
	found   []found
	proof   Proof

	surveyed map[signature]inputs.Flat // the nearest document of each change that a survey found; nil before it
}

// found is a change, the nearest document that is known to change so, and whether no other can be nearer.
type found struct {
	signature
	flat    inputs.Flat
	nearest bool
}

func newComparing(ctx context.Context, p *pair, edits *edits, nominal *inputs.Flat, o Options) *comparing {
	c := &comparing{pair: p, edits: edits, options: o, closest: &closest{ctx: ctx, space: p.space, free: func(int) bool { return true }}}
	if nominal != nil {
		c.nominal = *nominal
	}
	if p.tables[0] != nil {
		c.edited = editedEdges(p.tables[0], p.tables[1])
	}
	c.candidates(edgesOf(p.tables[:]))
	return c
}

// editedEdges is what one of two tables compares with and the other does not, in constants and in rows of one name.
func editedEdges(base, head *table.Gate) []int64 {
	var edges []int64
	add := func(a, b []int64) {
		for _, value := range a {
			if !slices.Contains(b, value) {
				edges = append(edges, value)
			}
		}
	}
	of := func(g *table.Gate) []int64 {
		var values []int64
		for _, constant := range g.Constants() {
			values = append(values, constant.Value)
		}
		return values
	}
	add(of(base), of(head))
	add(of(head), of(base))
	for _, sides := range [][2]*table.Gate{{base, head}, {head, base}} {
		for lookup := range sides[0].Program().Lookups {
			for row := range sides[0].Rows(lookup) {
				if lookup < len(sides[1].Program().Lookups) {
					other, _ := sides[1].Row(lookup, row.Name)
					add(row.Numbers, other.Numbers)
				}
			}
		}
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// edgesOf is what some tables compare with.
func edgesOf(tables []*table.Gate) []int64 {
	const most = 32 // of each lookup
	var edges []int64
	for _, g := range tables {
		if g == nil {
			continue
		}
		for _, constant := range g.Constants() {
			edges = append(edges, constant.Value)
		}
		for lookup := range g.Program().Lookups {
			rows := 0
			for row := range g.Rows(lookup) {
				if rows++; rows > most {
					break
				}
				edges = append(edges, row.Numbers...)
			}
		}
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// want makes the search look for a change.
func (c *comparing) want(s signature) {
	c.wanted = func(flat *inputs.Flat) bool {
		got, ok := c.pair.judge(c.ctx, flat, s.part == PartValues)
		return ok && s.like(got)
	}
}

// like reports whether a change is of one kind with another.
func (s signature) like(other signature) bool { return s.alike() == other.alike() }

// alike is what changes of one kind have in common: of what only lists and shows differently, the outcome does not count.
func (s signature) alike() signature {
	switch s.part {
	case PartViolations, PartUnknown, PartValues:
		s.base, s.head = 0, 0
	}
	return s
}

// near is a document of a change, the nearest of one that is known and of what the survey found.
func (c *comparing) near(s signature, flat inputs.Flat) inputs.Flat {
	if c.surveyed == nil {
		c.surveyed = c.survey(c.pair.kind(c.ctx), c.pair.tell)
	}
	c.want(s)
	polished := c.polish(flat)
	if own, ok := c.surveyed[s.alike()]; ok {
		if own = c.polish(own); c.space.from(&own, &c.nominal).less(c.space.from(&polished, &c.nominal)) {
			return own
		}
	}
	return polished
}

// find finds every change, and proves that there are no others where it can.
func (c *comparing) find(why string) {
	switch {
	case why != "":
		c.tryDocuments(why)
	case c.options.Solver != "":
		c.solve()
	default:
		c.tryCells()
	}
	if !c.proof.Complete && c.pair.tables[0] != nil {
		c.addSurveyed()
	}
}

// addSurveyed adds what a survey finds, where no proof found all.
func (c *comparing) addSurveyed() {
	for s, flat := range c.survey(c.pair.kind(c.ctx), c.pair.tell) {
		if !slices.ContainsFunc(c.found, func(f found) bool { return s.like(f.signature) }) {
			c.found = append(c.found, found{signature: s, flat: c.near(s, flat)})
		}
	}
}

// told makes changes out of what was found.
func (c *comparing) told() GateComparison {
	made := GateComparison{Proof: c.proof, Changes: []Change{}}
	kinds := map[Kind]bool{}
	slices.SortStableFunc(c.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(order(a.signature), order(b.signature)), cmp.Compare(a.base, b.base), cmp.Compare(a.head, b.head))
	})
	for _, f := range c.found {
		change, err := c.change(f)
		if err != nil {
			if made.Proof.Complete = false; made.Proof.Why == "" {
				made.Proof.Why = err.Error()
			}
			continue
		}
		if kinds[f.kind] = true; len(made.Changes) == c.options.Most {
			made.More++
			continue
		}
		made.Changes = append(made.Changes, change)
	}
	switch {
	case kinds[KindLoosened] && kinds[KindTightened]:
		made.Verdict = Mixed
	case !made.Proof.Complete:
		made.Verdict = Unproved
	case kinds[KindLoosened]:
		made.Verdict = Loosened
	case kinds[KindTightened]:
		made.Verdict = Tightened
	case kinds[KindRelabelled]:
		made.Verdict = Relabelled
	default:
		made.Verdict = Equal
	}
	return made
}

// order is the place of a change among others: loosened, tightened, and then what changes by part.
func order(s signature) int {
	return slices.Index([]Kind{KindLoosened, KindTightened, KindRelabelled}, s.kind)*10 +
		slices.Index([]Part{"", PartReason, PartAction, PartEffects, PartViolations, PartUnknown, PartValues}, s.part)
}

// change makes a change out of what was found. OPA decides its documents on both sides; where that is not what was found,
// nothing is told but an error.
func (c *comparing) change(f found) (Change, error) {
	inside, err := c.pair.ask(c.ctx, &f.flat)
	if err != nil {
		return Change{}, err
	}
	if got := c.pair.signatureOf(inside.base, inside.head); got.kind != f.kind || got.part != f.part {
		return Change{}, fmt.Errorf("an example that tables decide differently is decided by OPA as before: report it, with both sets of policies")
	}
	made := Change{Kind: f.kind, Part: f.part, Base: outcomeOf(inside.base).Outcome, Head: outcomeOf(inside.head).Outcome, Proved: f.nearest, Inside: c.witness(inside)}
	c.want(f.signature)
	calm := func(flat *inputs.Flat) bool {
		got, ok := c.pair.judge(c.ctx, flat, true)
		return ok && got.kind == ""
	}
	if flat, ok := c.beside(f.flat, calm); ok {
		if next, err := c.pair.ask(c.ctx, &flat); err == nil {
			made.Outside = c.witness(next)
		}
	}
	made.Cause = c.edits.causes(c.pair, f.signature, inside)
	return made, nil
}

func (c *comparing) witness(d decided) *Witness {
	w := &Witness{Document: d.document, Base: d.base, Head: d.head, Off: []string{}, Distance: c.space.from(&d.flat, &c.nominal).sum}
	for i, place := range c.space.places {
		if c.space.off(&d.flat, &c.nominal, i) {
			w.Off = append(w.Off, place.Name)
		}
	}
	return w
}

// tryDocuments looks for changes among documents that OPA decides, and proves nothing else.
func (c *comparing) tryDocuments(why string) {
	c.proof = Proof{By: BySearch, Why: why}
	seen := map[signature]bool{}
	tried := func(flat *inputs.Flat) {
		got, ok := c.pair.judge(c.ctx, flat, true)
		if !ok {
			return
		}
		c.proof.Cells++
		if got.kind != "" && !seen[got] {
			seen[got] = true
			c.want(got)
			c.found = append(c.found, found{signature: got, flat: c.polish(*flat)})
		}
	}
	tried(&c.nominal)
	for i := range c.values {
		for k := range c.values[i] {
			tried(&c.values[i][k])
		}
	}
}
