package mix

import "github.com/admitctl/admitctl/inputs"

// Fence is the next document of the gate "fence".
func (s *Source) Fence() *inputs.Fence {
	d := s.fence(s.chance(60))
	for _, plane := range planes(d) {
		if s.chance(20) {
			plane.DepthLimit = s.number(2, 8)
		}
		if s.chance(20) {
			plane.HealthMaxAgeMS = s.number(1500, 4000)
		}
	}
	if !s.admits() {
		spoil(s, d, s.fenceFaults(d, s.bad))
	}
	return d
}

// BareFence is the next document whose planes carry the limits that count.
func (s *Source) BareFence() *inputs.Fence {
	d := s.fence(s.chance(60))
	for _, plane := range planes(d) {
		plane.DepthLimit, plane.HealthMaxAgeMS = inputs.Known(2), inputs.Known(1500)
	}
	if !s.admits() {
		spoil(s, d, s.fenceFaults(d, s.number))
	}
	return d
}

// fence is a document that is admitted.
func (s *Source) fence(borrow bool) *inputs.Fence {
	d := &inputs.Fence{IntentID: s.name("intent"), Borrow: inputs.KnownFlag(borrow), Primary: s.plane(s.primary)}
	if borrow {
		borrowed := s.plane(s.borrowed)
		d.Borrowed, d.Revision = &borrowed, s.name("revision")
	}
	return d
}

func (s *Source) plane(names []string) inputs.Plane {
	return inputs.Plane{Name: s.pick(names), Depth: s.number(0, 1), RetryBudget: s.number(1, 5), HealthAgeMS: s.number(0, 1500)}
}

func planes(d *inputs.Fence) []*inputs.Plane {
	if d.Borrowed == nil {
		return []*inputs.Plane{&d.Primary}
	}
	return []*inputs.Plane{&d.Primary, d.Borrowed}
}

func (s *Source) fenceFaults(d *inputs.Fence, bad func(low, high int64) inputs.Number) []func(*inputs.Fence) {
	var faults []func(*inputs.Fence)
	for _, plane := range planes(d) {
		faults = append(faults,
			func(*inputs.Fence) { plane.HealthAgeMS = bad(4001, 9000) },
			func(*inputs.Fence) { plane.Depth = bad(8, 12) },
			func(*inputs.Fence) { plane.RetryBudget = bad(0, 0) },
		)
	}
	return faults
}

// Retry is the next document of the gate "fence.retry".
func (s *Source) Retry() *inputs.Retry {
	d := &inputs.Retry{AttemptID: s.name("attempt"), CreatedOn: s.pick(s.borrowed)}
	d.Charge = inputs.Charge{Name: d.CreatedOn, RetryBudget: s.number(1, 5)}
	if !s.admits() {
		spoil(s, d, []func(*inputs.Retry){
			func(d *inputs.Retry) { d.Charge.Name = s.pick(s.primary) },
			func(d *inputs.Retry) { d.Charge.RetryBudget = s.bad(0, 0) },
		})
	}
	return d
}

// Bind is the next document of the gate "fence.bind".
func (s *Source) Bind() *inputs.Bind {
	d := &inputs.Bind{AttemptID: s.name("attempt"), ScoreRevision: s.name("revision"), AttemptState: inputs.KnownText(inputs.AttemptAccepted)}
	d.CurrentRevision = inputs.KnownText(d.ScoreRevision)
	if !s.admits() {
		spoil(s, d, []func(*inputs.Bind){
			func(d *inputs.Bind) {
				d.AttemptState = inputs.KnownText(s.pick([]string{inputs.AttemptShed, inputs.AttemptExpired}))
			},
			func(d *inputs.Bind) { d.AttemptState = inputs.KnownText(inputs.AttemptBound) },
			func(d *inputs.Bind) { d.CurrentRevision = inputs.KnownText(s.name("revision")) },
			func(d *inputs.Bind) { d.CurrentRevision = inputs.UnknownText() },
			func(d *inputs.Bind) { d.AttemptState = inputs.UnknownText() },
		})
	}
	return d
}
