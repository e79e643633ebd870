package review

import (
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
	case base.Program.Revision() == head.Program.Revision() || edits.leave(gate) || p.tables[0].Same(p.tables[1]):
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
