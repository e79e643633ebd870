package inputs

import "iter"

// Fanout asks whether a class of tool calls may enqueue more work (gate "fanout").
type Fanout struct {
	Class             string // identifier, a key of classes; required
	QueueAgeMS        Number // milliseconds that the head of the queue has waited, 0 to 2^40; a signal
	DeadlineSlackMS   Number // milliseconds left until the deadline, -2^40 to 2^40; a signal
	TokensInWindow    Number // tokens spent in the meter's window, 0 to 2^40; a signal
	SuccessesInWindow Number // jobs that succeeded in the window, 0 to 2^20; a signal
	ToolDepth         Number // levels of nested tool calls, 0 to 2^20; a signal
	RetriesInWindow   Number // retries in the window, 0 to 2^20; a signal
	Siblings          Number // calls that one call fanned out into, 0 to 2^20; an optional signal
	Inflight          Number // jobs of the class under way, 0 to 2^20; an optional signal, needed by a probe
	MeterAgeMS        Number // milliseconds since the meter was read, 0 to 2^40; an optional signal
	ClassEnabled      Flag   // the class switch: false switches off, true never on; optional
	MaxDepth          Number // the caller's own limit, 0 to 2^20: tightens the threshold; optional
	MaxSiblings       Number // the caller's own limit, 0 to 2^20: tightens the threshold; optional
}

var fanoutShape = (&record[Fanout]{
	gate:     "fanout",
	document: func(d *Fanout) Document { return d },
	fields: []field[Fanout]{
		{name: "class", want: identifiers(), required: true, at: func(d *Fanout, _ bool) slot { return (*identifier)(&d.Class) }},
		{name: "queue_age_ms", want: amounts(), signal: true, required: true, at: func(d *Fanout, _ bool) slot { return &d.QueueAgeMS }},
		{name: "deadline_slack_ms", want: slacks(), signal: true, required: true, at: func(d *Fanout, _ bool) slot { return &d.DeadlineSlackMS }},
		{name: "tokens_in_window", want: amounts(), signal: true, required: true, at: func(d *Fanout, _ bool) slot { return &d.TokensInWindow }},
		{name: "successes_in_window", want: counts(), signal: true, required: true, at: func(d *Fanout, _ bool) slot { return &d.SuccessesInWindow }},
		{name: "tool_depth", want: counts(), signal: true, required: true, at: func(d *Fanout, _ bool) slot { return &d.ToolDepth }},
		{name: "retries_in_window", want: counts(), signal: true, required: true, at: func(d *Fanout, _ bool) slot { return &d.RetriesInWindow }},
		{name: "siblings", want: counts(), signal: true, at: func(d *Fanout, _ bool) slot { return &d.Siblings }},
		{name: "inflight", want: counts(), signal: true, at: func(d *Fanout, _ bool) slot { return &d.Inflight }},
		{name: "meter_age_ms", want: amounts(), signal: true, at: func(d *Fanout, _ bool) slot { return &d.MeterAgeMS }},
		{name: "class_enabled", want: flags(), at: func(d *Fanout, _ bool) slot { return &d.ClassEnabled }},
		{name: "max_depth", want: counts(), at: func(d *Fanout, _ bool) slot { return &d.MaxDepth }},
		{name: "max_siblings", want: counts(), at: func(d *Fanout, _ bool) slot { return &d.MaxSiblings }},
	},
	contradiction: func(*Fanout) *Error { return nil },
}).ready()

// Gate is "fanout".
func (d *Fanout) Gate() string { return fanoutShape.gate }

// Validate returns nil or an *[Error].
func (d *Fanout) Validate() error {
	if d.valid() {
		return nil
	}
	return fanoutShape.validate(d)
}

// valid is exact, as [Fanout.Validate] needs it.
func (d *Fanout) valid() bool {
	if d == nil {
		return false
	}
	signals := given(d.QueueAgeMS.state) & given(d.DeadlineSlackMS.state) & given(d.TokensInWindow.state) &
		given(d.SuccessesInWindow.state) & given(d.ToolDepth.state) & given(d.RetriesInWindow.state)
	never := d.ClassEnabled.state | d.MaxDepth.state | d.MaxSiblings.state
	numbers := over(d.QueueAgeMS, maxAmount) | beyond(d.DeadlineSlackMS, maxAmount) | over(d.TokensInWindow, maxAmount) |
		over(d.SuccessesInWindow, maxCount) | over(d.ToolDepth, maxCount) | over(d.RetriesInWindow, maxCount) |
		over(d.Siblings, maxCount) | over(d.Inflight, maxCount) | over(d.MeterAgeMS, maxAmount) |
		over(d.MaxDepth, maxCount) | over(d.MaxSiblings, maxCount)
	return signals == known && never&unknown == 0 && inside(numbers) && ValidName(d.Class)
}

// Fields yields the fields that are there.
func (d *Fanout) Fields() iter.Seq2[string, Value] { return fanoutShape.each(d) }

// MarshalJSON is the document as [Decode] takes it.
func (d Fanout) MarshalJSON() ([]byte, error) { return encode(&d) }

// UnmarshalJSON decodes as strictly as [Decode].
func (d *Fanout) UnmarshalJSON(data []byte) error { return decodeInto(data, fanoutShape, d) }
