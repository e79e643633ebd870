package engine

import (
	"github.com/admitctl/admitctl/table"
)

// What a gate answers is the same whether a table or OPA decided.
type (
	// Decision is what a gate answers. The zero Decision rejects.
	Decision = table.Decision
	// Violation is one check that was not proved.
	Violation = table.Violation
	// Effect is a change of one counter of one plane.
	Effect = table.Effect
	// Policy names the policies that decided.
	Policy = table.Policy
	// Verdict is the part of a decision that a caller acts on. The zero Verdict rejects.
	Verdict = table.Verdict
)

// Reasons that no gate gives by a check: the decision could not be made.
const (
	ReasonInvalidInput = table.ReasonInvalidInput
	ReasonUndefined    = table.ReasonUndefined
	ReasonConflict     = table.ReasonConflict
	ReasonError        = table.ReasonError
	ReasonTimeout      = table.ReasonTimeout
)

// ActionReject is the action of a decision that could not be made.
const ActionReject = table.ActionReject

// The counters of a plane.
const (
	CounterDepth       = table.CounterDepth
	CounterRetryBudget = table.CounterRetryBudget
)

// refuse is the decision of a question that could not be decided: a reject with that one reason.
func refuse(gate, reason, revision string, err error) Decision {
	var d Decision
	d.Refuse(gate, reason, revision, err)
	return d
}

// Invalid is the decision of a document that could not be read: a reject with [ReasonInvalidInput]. The gate is that
// of the document where it is known, else empty.
func (p *Program) Invalid(gate string, err error) Decision {
	return refuse(gate, ReasonInvalidInput, p.Revision(), err)
}
