package native

import "github.com/admitctl/admitctl/inputs"

// RetryRows are the reasons of the gate "fence.retry" in the order of its decision table.
func RetryRows() []string { return []string{"reject_cross_plane_retry", "compensate_or_shed"} }

// ValidRetry reports whether a document can be decided.
func ValidRetry(d *inputs.Retry) bool {
	return identifier(d.AttemptID) && identifier(d.CreatedOn) && identifier(d.Charge.Name) && sensed(d.Charge.RetryBudget, maxCount)
}

// DecideRetry decides any document.
func (t *Thresholds) DecideRetry(d *inputs.Retry) Change {
	if !ValidRetry(d) {
		return Change{Verdict: invalid}
	}
	return t.Retry(d)
}

// Retry decides a valid document.
func (t *Thresholds) Retry(d *inputs.Retry) Change {
	switch {
	case d.CreatedOn != d.Charge.Name:
		return reject("reject_cross_plane_retry", "compensate_on_creator")
	case !retriable(d.Charge.RetryBudget):
		return reject("compensate_or_shed", "compensate_or_shed")
	}
	return Change{
		Verdict: Verdict{Admit: true, Reason: "retry_same_plane", Action: "retry_same_plane"},
		Effects: [2]Effect{{Plane: d.Charge.Name, Counter: RetryBudget, Delta: -1}},
	}
}

// RetryViolations are all rows that a valid document violates.
func (t *Thresholds) RetryViolations(d *inputs.Retry) Violations {
	var v Violations
	v.add(0, d.CreatedOn != d.Charge.Name)
	v.add(1, !retriable(d.Charge.RetryBudget))
	return v
}
