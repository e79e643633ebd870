package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// found is a change, the nearest document that is known to change so, and whether no other can be nearer.
type found struct {
	signature
	flat    inputs.Flat
	nearest bool
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
	c.want(s)
	polished := c.polish(flat)
	if own, ok := c.once()[s.alike()]; ok {
		if own = c.polish(own); c.space.from(&own, &c.nominal).less(c.space.from(&polished, &c.nominal)) {
			return own
		}
	}
	return polished
}

// once is the survey, which is made no more than once.
func (c *comparing) once() map[signature]inputs.Flat {
	if c.surveyed == nil {
		c.surveyed = c.survey(c.pair.kind(c.ctx), c.pair.tell)
	}
	return c.surveyed
}

// addSurveyed adds what a survey finds, where no proof found all.
func (c *comparing) addSurveyed() {
	for s, flat := range c.once() {
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
		if got.kind != "" && !seen[got.alike()] {
			seen[got.alike()] = true
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
