package engine

import (
	"github.com/admitctl/admitctl/inputs"
)

// Reasons that no gate gives by a check: the decision could not be made.
const (
	ReasonInvalidInput = "invalid_input"
	ReasonUndefined    = "policy_undefined"
	ReasonConflict     = "policy_conflict"
	ReasonError        = "policy_error"
	ReasonTimeout      = "policy_timeout"
)

// ActionReject is the action of a decision that could not be made.
const ActionReject = "reject"

// Decision is what a gate answers. The zero Decision rejects.
type Decision struct {
	Gate       string      `json:"gate"`       // the gate that decided
	Admit      bool        `json:"admit"`      // exactly when there are no violations
	Reason     string      `json:"reason"`     // that of the first violation, or what is admitted: the label on metrics
	Action     string      `json:"action"`     // what the caller does now
	Violations []Violation `json:"violations"` // all of them, in the order of precedence
	Effects    []Effect    `json:"effects"`    // what the caller changes if it goes on; none of a reject
	Unknown    []string    `json:"unknown"`    // the signals that were read and not known, sorted: "primary.depth"
	Policy     Policy      `json:"policy"`     // what decided
	Error      string      `json:"error,omitempty"`
}

// Violation is one check that was not proved.
type Violation struct {
	Reason   string       `json:"reason"`
	Observed inputs.Value `json:"observed"` // null where unknown
	Limit    inputs.Value `json:"limit"`    // null where there is none, or it is unknown
}

// Effect is a change of one counter of one plane.
type Effect struct {
	Plane   string `json:"plane"`   // the plane's name
	Counter string `json:"counter"` // "depth" or "retry_budget"
	Delta   int64  `json:"delta"`   // 1 or -1
}

// The counters of a plane.
const (
	CounterDepth       = "depth"
	CounterRetryBudget = "retry_budget"
)

// Policy names the policies that decided.
type Policy struct {
	Revision string `json:"revision"` // "sha256:" and a digest of the rules and of the resolved thresholds together
}

// refuse is the decision of a question that could not be decided: a reject with that one reason.
func refuse(gate, reason, revision string, err error) Decision {
	return Decision{
		Gate:       gate,
		Reason:     reason,
		Action:     ActionReject,
		Violations: []Violation{{Reason: reason}},
		Effects:    []Effect{},
		Unknown:    []string{},
		Policy:     Policy{Revision: revision},
		Error:      err.Error(),
	}
}

// Invalid is the decision of a document that could not be read: a reject with [ReasonInvalidInput]. The gate is that
// of the document where it is known, else empty.
func (p *Program) Invalid(gate string, err error) Decision {
	return refuse(gate, ReasonInvalidInput, p.Revision(), err)
}
