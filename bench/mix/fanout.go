package mix

import "github.com/admitctl/admitctl/inputs"

// Fanout is the next document of the gate "fanout".
func (s *Source) Fanout() *inputs.Fanout {
	d := s.fanout()
	if s.chance(40) {
		d.Siblings = s.number(0, 2)
	}
	if s.chance(40) {
		d.MeterAgeMS, d.Inflight = s.number(0, 5000), s.number(0, 1)
	}
	if s.chance(20) {
		d.MaxDepth, d.MaxSiblings, d.ClassEnabled = s.number(1, 4), s.number(2, 8), inputs.KnownFlag(true)
	}
	switch {
	case s.chance(8): // a window that has run empty, which a probe may open again
		d.TokensInWindow, d.SuccessesInWindow, d.RetriesInWindow = inputs.Known(0), inputs.Known(0), inputs.Known(0)
		d.Inflight, d.MeterAgeMS = inputs.Known(0), s.number(0, 5000)
	case !s.admits():
		spoil(s, d, s.fanoutFaults())
	}
	return d
}

// BareFanout is the next document with no more than the class and the six numbers of the drill.
func (s *Source) BareFanout() *inputs.Fanout {
	d := s.fanout()
	if !s.admits() {
		spoil(s, d, s.bareFanoutFaults(s.number))
	}
	return d
}

// fanout is a document that is admitted.
func (s *Source) fanout() *inputs.Fanout {
	return &inputs.Fanout{
		Class: "tool_fanout", QueueAgeMS: s.number(0, 15000), DeadlineSlackMS: s.number(60000, 120000),
		TokensInWindow: s.number(1000, 8000), SuccessesInWindow: s.number(1, 4), ToolDepth: s.number(0, 1), RetriesInWindow: s.number(0, 20),
	}
}

func (s *Source) bareFanoutFaults(bad func(low, high int64) inputs.Number) []func(*inputs.Fanout) {
	return []func(*inputs.Fanout){
		func(d *inputs.Fanout) { d.DeadlineSlackMS = bad(-10000, 59999) },
		func(d *inputs.Fanout) { d.ToolDepth = bad(2, 4) },
		func(d *inputs.Fanout) { d.QueueAgeMS = bad(15001, 60000) },
		func(d *inputs.Fanout) { d.SuccessesInWindow, d.RetriesInWindow = inputs.Known(0), bad(10, 40) },
		func(d *inputs.Fanout) { d.TokensInWindow = bad(32001, 90000) },
	}
}

func (s *Source) fanoutFaults() []func(*inputs.Fanout) {
	return append(s.bareFanoutFaults(s.bad),
		func(d *inputs.Fanout) { d.Class = "batch" },
		func(d *inputs.Fanout) { d.Class = "interactive" },
		func(d *inputs.Fanout) { d.ClassEnabled = inputs.KnownFlag(false) },
		func(d *inputs.Fanout) { d.Siblings = s.bad(3, 9) },
		func(d *inputs.Fanout) { d.MeterAgeMS = s.bad(5001, 60000) },
	)
}
