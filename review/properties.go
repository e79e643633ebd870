package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Claim is a property that every gate must have.
type Claim string

// The claims, in the order in which they are told.
const (
	// ClaimDecided is that every valid document gets exactly one decision with the effects that it must have: no rule is
	// undefined or in conflict with another, no built-in fails, no number overflows.
	ClaimDecided Claim = "decided"
	// ClaimUnknown is that a signal which becomes unknown never turns a reject into an admit. It is claimed of every
	// signal; where rows of the thresholds list what they require, of a required one for the rows that list it.
	ClaimUnknown Claim = "unknown"
	// ClaimWorse is that a number which gets worse, as the schema says which way that is, never turns a reject into an
	// admit.
	ClaimWorse Claim = "worse"
	// ClaimTightens is that a limit of the caller's own never turns a reject into an admit when it is added, lowered or,
	// of a switch, turned off.
	ClaimTightens Claim = "tightens"
	// ClaimReason is that a reason can be the reason of a decision: of one that has several actions, with each of them.
	ClaimReason Claim = "reason"
)

// Status is what became of a claim.
type Status string

// The statuses. The zero Status is none of them, and nobody may take it for proved.
const (
	StatusProved   Status = "proved"
	StatusOff      Status = "off"      // of a reason: proved that thresholds keep it from being one, and others do not
	StatusUnproved Status = "unproved" // nobody could tell
	StatusRefuted  Status = "refuted"  // there is an example
)

// Properties is what [Prove] found of one set of policies.
type Properties struct {
	Policies Revision             `json:"policies"`
	Gates    map[string][]Finding `json:"gates"` // by claim, and of one claim in the order of the gate's fields or rows
}

// Count is how many findings of all gates have a status.
func (p Properties) Count(status Status) int {
	count := 0
	for _, findings := range p.Gates {
		for _, finding := range findings {
			if finding.Status == status {
				count++
			}
		}
	}
	return count
}

// Finding is what became of one claim.
type Finding struct {
	Claim  Claim    `json:"claim"`
	Of     string   `json:"of,omitempty"`     // a field of the document, or a reason; "" the whole gate
	Action string   `json:"action,omitempty"` // of a reason that has several
	Status Status   `json:"status"`
	By     Method   `json:"by,omitempty"`  // what proved or refuted it
	Why    string   `json:"why,omitempty"` // it is not proved
	Off    []string `json:"off,omitempty"` // the thresholds that switch a reason off
	// Before and After are decided by OPA. Of a refuted claim about a field, After differs from Before in that field
	// alone, is rejected no less by what it says, and is admitted. Of another claim After alone is there: the document that
	// is not decided as claimed, or the one nearest to the nominal document that has the reason.
	Before *Example `json:"before,omitempty"`
	After  *Example `json:"after,omitempty"`
}

// Example is a document with its decision.
type Example struct {
	Document inputs.Document `json:"document"`
	Decision engine.Decision `json:"decision"`
}

// Prove says which properties one set of policies has. Its error is that of ctx: what could not be proved is unproved.
// Of the options, those for changes are not used.
func Prove(ctx context.Context, side Side, o Options) (Properties, error) {
	o = o.filled()
	made := Properties{Policies: Revision{side.Name, side.Program.Revision()}, Gates: map[string][]Finding{}}
	for _, name := range side.Program.Gates() {
		if len(o.Gates) > 0 && !slices.Contains(o.Gates, name) {
			continue
		}
		findings := proveGate(ctx, side, name, o)
		if ctx.Err() != nil {
			return Properties{}, fmt.Errorf("proving %s: %w", name, context.Cause(ctx))
		}
		made.Gates[name] = findings
	}
	return made, nil
}

// proving is the proof of one gate.
type proving struct {
	*closest
	side    Side
	gate    engine.Gate
	table   *table.Gate
	options Options
	bases   []inputs.Flat // documents that tell much of what the table can come to
	others  *alternatives
}

func proveGate(ctx context.Context, side Side, name string, o Options) []Finding {
	gate, _ := side.Program.Gate(name)
	own := side.Program.Table(name)
	if own == nil {
		return allUnproved("a rule is outside of what a table holds, so that OPA decides (see check)")
	}
	var nominal inputs.Flat
	if gate.Nominal == nil || !inputs.Flatten(gate.Nominal, &nominal) {
		nominal, _ = anyNominal(own)
	}
	space, err := newSpace(name, gate.Properties, []*table.Gate{own}, &nominal, o.Domains[name], side.Program.Schemas())
	if err != nil {
		return allUnproved(err.Error())
	}
	p := &proving{side: side, gate: gate, table: own, options: o}
	p.closest = &closest{ctx: ctx, space: space, nominal: nominal, free: func(int) bool { return true }}
	p.candidates(edgesOf([]*table.Gate{own}))
	p.bases = slices.DeleteFunc(own.Directed(table.Effort{Draws: 4000, Most: 3000}), func(flat inputs.Flat) bool { return space.document(&flat) == nil })
	p.others = &alternatives{proving: p}
	findings := []Finding{p.decided()}
	for _, claim := range []Claim{ClaimUnknown, ClaimWorse, ClaimTightens} {
		for i, place := range space.places {
			if s, ok := p.stepOf(claim, i); ok && ctx.Err() == nil {
				findings = append(findings, p.never(claim, place.Name, s))
			}
		}
	}
	return append(findings, p.reasons()...)
}

// allUnproved is a gate of which nothing can be told.
func allUnproved(why string) []Finding {
	var all []Finding
	for _, claim := range []Claim{ClaimDecided, ClaimUnknown, ClaimWorse, ClaimTightens, ClaimReason} {
		all = append(all, Finding{Claim: claim, Status: StatusUnproved, Why: why})
	}
	return all
}

// unproved is a finding that nobody could prove or refute.
func (f Finding) unproved(why string) Finding {
	f.Status, f.Why = StatusUnproved, why
	return f
}

// admits reports whether the table admits a document.
func (p *proving) admits(flat *inputs.Flat) bool {
	result := p.table.Examine(flat).Result
	return int(result) >= len(p.table.Program().Checks) && result != table.Outside
}

// decides reports whether the table decides a document, with the effects that it must have.
func (p *proving) decides(flat *inputs.Flat) bool {
	document := p.space.document(flat)
	if document == nil {
		return false
	}
	_, err := p.table.Judge(document)
	return err == nil && p.table.Examine(flat).Result != table.Outside
}

// nearest is polish that also puts back two fields at once, such as two versions that must be equal.
func (p *proving) nearest(flat inputs.Flat) inputs.Flat {
	for again := true; again && p.ctx.Err() == nil; {
		flat, again = p.polish(flat), false
		for i := range p.space.places {
			for j := range i {
				if again || !p.space.off(&flat, &p.nominal, i) || !p.space.off(&flat, &p.nominal, j) {
					continue
				}
				next := flat
				p.space.take(&next, &p.nominal, i)
				p.space.take(&next, &p.nominal, j)
				if p.wanted(&next) {
					flat, again = next, true
				}
			}
		}
	}
	return flat
}

// ask lets OPA decide a document; nil where it is none of the gate's.
func (p *proving) ask(flat *inputs.Flat) *Example {
	document := p.space.document(flat)
	if document == nil {
		return nil
	}
	decision, err := p.side.Program.Ask(p.ctx, document)
	if err != nil && p.ctx.Err() != nil {
		return nil
	}
	return &Example{document, decision}
}
