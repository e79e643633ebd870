package table

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

// Refuse makes d the decision of a question that could not be decided: a reject with that one reason.
func (d *Decision) Refuse(gate, reason, revision string, err error) {
	*d = Decision{
		Gate:       gate,
		Reason:     reason,
		Action:     ActionReject,
		Violations: append(d.Violations[:0], Violation{Reason: reason}),
		Effects:    kept(d.Effects),
		Unknown:    kept(d.Unknown),
		Policy:     Policy{Revision: revision},
		Error:      err.Error(),
	}
}

// kept is an empty list in the place of one that is there, and never nil: a decision prints [] and not null.
func kept[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list[:0]
}

// Verdict is the part of d that a caller acts on.
func (d *Decision) Verdict() Verdict {
	v := Verdict{Admit: d.Admit, Reason: d.Reason, Action: d.Action}
	v.count = copy(v.effects[:], d.Effects)
	return v
}

// maxEffects is how many effects a decision can have: that of a fence that borrows.
const maxEffects = 2

// Verdict is the part of a decision that a caller acts on. The zero Verdict rejects.
type Verdict struct {
	Admit   bool
	Reason  string // that of the first violation, or what is admitted
	Action  string // what the caller does now
	effects [maxEffects]Effect
	count   int
}

// Effects lists what the caller changes if it goes on; none of a reject.
func (v *Verdict) Effects() []Effect { return v.effects[:v.count] }
