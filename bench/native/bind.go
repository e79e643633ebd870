package native

import "github.com/admitctl/admitctl/inputs"

// BindRows are the reasons of the gate "fence.bind" in the order of its decision table.
func BindRows() []string {
	return []string{"reject_late_score", "reject_already_bound", "reject_revision_moved"}
}

// ValidBind reports whether a document can be decided.
func ValidBind(d *inputs.Bind) bool {
	if d.CurrentRevision.IsAbsent() || d.AttemptState.IsAbsent() || !identifier(d.AttemptID) || !identifier(d.ScoreRevision) {
		return false
	}
	if current, known := d.CurrentRevision.Get(); known && !identifier(current) {
		return false
	}
	state, known := d.AttemptState.Get()
	switch state {
	case inputs.AttemptAccepted, inputs.AttemptShed, inputs.AttemptBound, inputs.AttemptExpired:
		return true
	}
	return !known
}

// DecideBind decides any document.
func (t *Thresholds) DecideBind(d *inputs.Bind) Verdict {
	if !ValidBind(d) {
		return invalid
	}
	return t.Bind(d)
}

// Bind decides a valid document.
func (t *Thresholds) Bind(d *inputs.Bind) Verdict {
	switch state, _ := d.AttemptState.Get(); {
	case state == inputs.AttemptBound:
		return Verdict{Reason: "reject_already_bound", Action: "drop_score"}
	case state != inputs.AttemptAccepted:
		return Verdict{Reason: "reject_late_score", Action: "drop_score"}
	case moved(d):
		return Verdict{Reason: "reject_revision_moved", Action: "compensate_borrowed"}
	}
	return Verdict{Admit: true, Reason: "bind", Action: "bind"}
}

// BindViolations are all rows that a valid document violates.
func (t *Thresholds) BindViolations(d *inputs.Bind) Violations {
	state, _ := d.AttemptState.Get()
	var v Violations
	v.add(0, state != inputs.AttemptAccepted && state != inputs.AttemptBound)
	v.add(1, state == inputs.AttemptBound)
	v.add(2, moved(d))
	return v
}

// moved reports whether the score is of another revision than the current one, or nobody knows that.
func moved(d *inputs.Bind) bool {
	current, _ := d.CurrentRevision.Get()
	return current != d.ScoreRevision // no revision is empty
}
