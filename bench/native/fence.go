package native

import "github.com/admitctl/admitctl/inputs"

// FenceRows are the reasons of the gate "fence" in the order of its decision table.
func FenceRows() []string {
	return []string{
		"reject_stale_primary_health", "reject_primary_depth", "reject_primary_retry_exhausted",
		"reject_stale_borrowed_health", "shed_borrowed_depth", "shed_borrowed_retry",
	}
}

// ValidFence reports whether a document can be decided.
func ValidFence(d *inputs.Fence) bool {
	borrow, known := d.Borrow.Get()
	switch {
	case !known || !identifier(d.IntentID) || d.Revision != "" && !identifier(d.Revision) || !validPlane(&d.Primary):
		return false
	case d.Borrowed == nil:
		return !borrow
	}
	return validPlane(d.Borrowed) && !(borrow && d.Revision == "") && d.Borrowed.Name != d.Primary.Name
}

func validPlane(p *inputs.Plane) bool {
	return identifier(p.Name) &&
		sensed(p.Depth, maxCount) && sensed(p.RetryBudget, maxCount) && sensed(p.HealthAgeMS, maxAmount) &&
		allowed(p.DepthLimit, maxCount) && allowed(p.HealthMaxAgeMS, maxAmount)
}

// DecideFence decides any document.
func (t *Thresholds) DecideFence(d *inputs.Fence) Change {
	if !ValidFence(d) {
		return Change{Verdict: invalid}
	}
	return t.Fence(d)
}

// Fence decides a valid document.
func (t *Thresholds) Fence(d *inputs.Fence) Change {
	const shed, skip = "shed_intent", "score_locally_or_skip"
	primary := t.limits(&d.Primary)
	switch {
	case !fresh(&d.Primary, primary):
		return reject("reject_stale_primary_health", shed)
	case !roomy(&d.Primary, primary):
		return reject("reject_primary_depth", shed)
	case !retriable(d.Primary.RetryBudget):
		return reject("reject_primary_retry_exhausted", shed)
	}
	if borrow, _ := d.Borrow.Get(); !borrow {
		return Change{
			Verdict: Verdict{Admit: true, Reason: "admit", Action: "proceed"},
			Effects: [2]Effect{{Plane: d.Primary.Name, Counter: Depth, Delta: 1}},
		}
	}
	borrowed := t.limits(d.Borrowed)
	switch {
	case !fresh(d.Borrowed, borrowed):
		return reject("reject_stale_borrowed_health", skip)
	case !roomy(d.Borrowed, borrowed):
		return reject("shed_borrowed_depth", skip)
	case !retriable(d.Borrowed.RetryBudget):
		return reject("shed_borrowed_retry", skip)
	}
	return Change{
		Verdict: Verdict{Admit: true, Reason: "admit", Action: "admit_score_only"},
		Effects: [2]Effect{{Plane: d.Primary.Name, Counter: Depth, Delta: 1}, {Plane: d.Borrowed.Name, Counter: Depth, Delta: 1}},
	}
}

// FenceViolations are all rows that a valid document violates.
func (t *Thresholds) FenceViolations(d *inputs.Fence) Violations {
	var v Violations
	v.addPlane(0, &d.Primary, t.limits(&d.Primary))
	if borrow, _ := d.Borrow.Get(); borrow {
		v.addPlane(3, d.Borrowed, t.limits(d.Borrowed))
	}
	return v
}

func (v *Violations) addPlane(row int, p *inputs.Plane, limits Limits) {
	v.add(row, !fresh(p, limits))
	v.add(row+1, !roomy(p, limits))
	v.add(row+2, !retriable(p.RetryBudget))
}

func reject(reason, action string) Change {
	return Change{Verdict: Verdict{Reason: reason, Action: action}}
}

// limits are those of a plane's name, tightened by what the document carries.
func (t *Thresholds) limits(p *inputs.Plane) Limits {
	limits, ok := t.Planes[p.Name]
	if !ok {
		limits = t.Default
	}
	limits.Depth = stricter(limits.Depth, p.DepthLimit)
	limits.HealthAgeMS = stricter(limits.HealthAgeMS, p.HealthMaxAgeMS)
	return limits
}

// stricter is a threshold, or the caller's own limit where that is lower.
func stricter(threshold int64, own inputs.Number) int64 {
	if limit, known := own.Get(); known {
		return min(threshold, limit)
	}
	return threshold
}

func fresh(p *inputs.Plane, limits Limits) bool {
	age, known := p.HealthAgeMS.Get()
	return known && age <= limits.HealthAgeMS
}

func roomy(p *inputs.Plane, limits Limits) bool {
	depth, known := p.Depth.Get()
	return known && depth < limits.Depth
}

// retriable reports whether a budget has a retry left; one that nobody knows is 0.
func retriable(budget inputs.Number) bool {
	left, _ := budget.Get()
	return left > 0
}
