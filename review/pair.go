package review

import (
	"context"
	"slices"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// signature is how the decision of a document changes; the zero signature is not at all.
type signature struct {
	kind Kind
	part Part
	base int // among the outcomes of the pair
	head int
}

// outside is the outcome of a document that a table leaves to OPA.
const outside = -1

// pair is one gate on both sides.
type pair struct {
	gate       string
	space      *space
	base, head Side
	tables     [2]*table.Gate // of base and head, both or none
	outcomes   []outcome      // of both sides, equal ones once
	results    [2][]int       // the outcome of each result of a table
	fits       [2][]condition // when each result stands: else the engine refuses
	refusal    int            // the outcome of that
	reasons    [2][]int       // the reason of each check of a table, equal ones the same
	unknown    [2][]string    // the signals of each table
}

// outcome is what a walk can come to. Its effects are told by the fields that name their planes.
type outcome struct {
	Outcome
	effects string
}

// intern gives an outcome its place.
func (p *pair) intern(o outcome) int {
	at := slices.Index(p.outcomes, o)
	if at < 0 {
		at = len(p.outcomes)
		p.outcomes = append(p.outcomes, o)
	}
	return at
}

// readTables finds what the tables can come to.
func (p *pair) readTables() {
	var reasons []string
	p.refusal = p.intern(outcome{Outcome: Outcome{Reason: table.ReasonError, Action: table.ActionReject}})
	for side, g := range p.tables {
		program := g.Program()
		for _, check := range program.Checks {
			p.fits[side] = append(p.fits[side], condition{kind: conditionAlways})
			p.results[side] = append(p.results[side], p.intern(outcome{Outcome: Outcome{Reason: check.Reason, Action: check.Action}}))
			at := slices.Index(reasons, check.Reason)
			if at < 0 {
				at = len(reasons)
				reasons = append(reasons, check.Reason)
			}
			p.reasons[side] = append(p.reasons[side], at)
		}
		for _, way := range program.Admits {
			p.fits[side] = append(p.fits[side], p.space.fitting(way.Effects))
			effects := ""
			for _, effect := range way.Effects {
				effects += p.space.textName(effect.Text) + " " + effect.Counter + " " + number(effect.Delta) + ";"
			}
			p.results[side] = append(p.results[side], p.intern(outcome{Outcome{Admit: true, Reason: way.Reason, Action: way.Action}, effects}))
		}
		p.unknown[side] = program.Unknown
	}
}

// textName is the property that a slot of texts holds.
func (s *space) textName(slot uint16) string {
	for _, place := range s.places {
		if place.Kind == inputs.KindText && place.Slot == int(slot) {
			return place.Name
		}
	}
	return ""
}

// changed is how one outcome differs from another; the zero signature where it does not.
func (p *pair) changed(base, head int) signature {
	if base == outside || head == outside {
		return signature{}
	}
	b, h := p.outcomes[base], p.outcomes[head]
	s := signature{kind: KindRelabelled, base: base, head: head}
	switch {
	case b.Admit && !h.Admit:
		s.kind = KindTightened
	case !b.Admit && h.Admit:
		s.kind = KindLoosened
	case b.Reason != h.Reason:
		s.part = PartReason
	case b.Action != h.Action:
		s.part = PartAction
	case b.effects != h.effects:
		s.part = PartEffects
	default:
		return signature{}
	}
	return s
}

// examine is how the tables change the decision of a valid document: what the decisions show is not compared.
func (p *pair) examine(flat *inputs.Flat) signature {
	b, h := p.tables[0].Examine(flat), p.tables[1].Examine(flat)
	base, head := p.outcomeOf(0, b.Result, flat), p.outcomeOf(1, h.Result, flat)
	if s := p.changed(base, head); s.kind != "" || base == outside || head == outside || base == p.refusal {
		return s
	}
	s := signature{kind: KindRelabelled, base: base, head: head}
	switch {
	case !slices.Equal(named(p.reasons[0], b.Violated), named(p.reasons[1], h.Violated)):
		s.part = PartViolations
	case !slices.Equal(named(p.unknown[0], b.Unknown), named(p.unknown[1], h.Unknown)):
		s.part = PartUnknown
	default:
		return signature{}
	}
	return s
}

func (p *pair) outcomeOf(side int, result uint16, flat *inputs.Flat) int {
	switch {
	case result == table.Outside:
		return outside
	case !p.fits[side][result].holds(flat):
		return p.refusal
	}
	return p.results[side][result]
}

// named are the items whose bits are set.
func named[T any](items []T, bits uint64) []T {
	var all []T
	for i, item := range items {
		if bits>>i&1 == 1 {
			all = append(all, item)
		}
	}
	return all
}

// signatureOf is how a document's decision changes by what two decisions say.
func (p *pair) signatureOf(b, h engine.Decision) signature {
	base, head := p.intern(outcomeOf(b)), p.intern(outcomeOf(h))
	if s := p.changed(base, head); s.kind != "" {
		return s
	}
	s := signature{kind: KindRelabelled, base: base, head: head}
	reason := func(v engine.Violation) string { return v.Reason }
	switch {
	case !slices.Equal(b.Effects, h.Effects):
		s.part = PartEffects
	case !slices.EqualFunc(b.Violations, h.Violations, func(v, w engine.Violation) bool { return reason(v) == reason(w) }):
		s.part = PartViolations
	case !slices.Equal(b.Unknown, h.Unknown):
		s.part = PartUnknown
	case !slices.Equal(b.Violations, h.Violations):
		s.part = PartValues
	default:
		return signature{}
	}
	return s
}

func outcomeOf(d engine.Decision) outcome {
	return outcome{Outcome: Outcome{Admit: d.Admit, Reason: d.Reason, Action: d.Action}}
}

// decided is a document with what the two sides say of it.
type decided struct {
	flat       inputs.Flat
	document   inputs.Document
	base, head engine.Decision
}

// ask lets OPA decide a document on both sides. Where a side refuses it, its decision says so.
func (p *pair) ask(ctx context.Context, flat *inputs.Flat) (decided, error) {
	d := decided{flat: *flat, document: p.space.document(flat)}
	if d.document == nil {
		return d, errNoDocument
	}
	var err error
	if d.base, err = p.base.Program.Ask(ctx, d.document); err != nil && ctx.Err() != nil {
		return d, err
	}
	if d.head, err = p.head.Program.Ask(ctx, d.document); err != nil && ctx.Err() != nil {
		return d, err
	}
	return d, nil
}

// judge is how a document's decision changes, by the tables where there are any and else by OPA; false where it is no
// document of the space.
func (p *pair) judge(ctx context.Context, flat *inputs.Flat, values bool) (signature, bool) {
	document := p.space.document(flat)
	if document == nil {
		return signature{}, false
	}
	if p.tables[0] == nil {
		d, err := p.ask(ctx, flat)
		if err != nil {
			return signature{}, false
		}
		return p.signatureOf(d.base, d.head), true
	}
	s := p.examine(flat)
	if s.kind != "" || !values {
		return s, true
	}
	var b, h engine.Decision
	if p.tables[0].Answer(document, &b) != nil || p.tables[1].Answer(document, &h) != nil {
		return signature{}, false
	}
	if !slices.Equal(b.Violations, h.Violations) {
		at := p.intern(outcomeOf(b))
		return signature{KindRelabelled, PartValues, at, at}, true
	}
	return signature{}, true
}

// tell is something that differs where what the sides make of a document does.
func (p *pair) tell(flat *inputs.Flat) any {
	if p.tables[0] == nil {
		return *flat
	}
	return [2]table.Examination{p.tables[0].Examine(flat), p.tables[1].Examine(flat)}
}

// kind is how the decision of a document changes, whatever part of it does.
func (p *pair) kind(ctx context.Context) func(flat *inputs.Flat) (signature, bool) {
	return func(flat *inputs.Flat) (signature, bool) { return p.judge(ctx, flat, true) }
}
