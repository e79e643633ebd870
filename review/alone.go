package review

import (
	"context"

	"github.com/admitctl/admitctl/table"
)

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
