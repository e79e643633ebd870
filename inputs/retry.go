package inputs

import "iter"

// Retry asks whether an attempt may retry, and whether the plane that pays is the one that created it (gate
// "fence.retry").
type Retry struct {
	AttemptID string // identifier; required
	CreatedOn string // identifier of the plane that created the attempt; required
	Charge    Charge // required
}

// Charge is the plane that would pay for a retry.
type Charge struct {
	Name        string // identifier; required
	RetryBudget Number // retries left, 0 to 2^20; a signal
}

var retryShape = (&record[Retry]{
	gate:     "fence.retry",
	document: func(d *Retry) Document { return d },
	fields: []field[Retry]{
		{name: "attempt_id", want: identifiers(), required: true, at: func(d *Retry, _ bool) slot { return (*identifier)(&d.AttemptID) }},
		{name: "created_on", want: identifiers(), required: true, at: func(d *Retry, _ bool) slot { return (*identifier)(&d.CreatedOn) }},
		{name: "charge", required: true, object: func(*Retry, bool) bool { return true }},
		{name: "charge.name", want: identifiers(), required: true, at: func(d *Retry, _ bool) slot { return (*identifier)(&d.Charge.Name) }},
		{name: "charge.retry_budget", want: counts(), signal: true, required: true, at: func(d *Retry, _ bool) slot { return &d.Charge.RetryBudget }},
	},
	contradiction: func(*Retry) *Error { return nil },
}).ready()

// Gate is "fence.retry".
func (d *Retry) Gate() string { return retryShape.gate }

// Validate returns nil or an *[Error].
func (d *Retry) Validate() error {
	if d.valid() {
		return nil
	}
	return retryShape.validate(d)
}

// valid is exact, as [Retry.Validate] needs it.
func (d *Retry) valid() bool {
	return d != nil && d.Charge.RetryBudget.state != absent && inside(over(d.Charge.RetryBudget, maxCount)) &&
		ValidName(d.AttemptID) && ValidName(d.CreatedOn) && ValidName(d.Charge.Name)
}

// Fields yields the fields that are there.
func (d *Retry) Fields() iter.Seq2[string, Value] { return retryShape.each(d) }

// MarshalJSON is the document as [Decode] takes it.
func (d Retry) MarshalJSON() ([]byte, error) { return encode(&d) }

// UnmarshalJSON decodes as strictly as [Decode].
func (d *Retry) UnmarshalJSON(data []byte) error { return decodeInto(data, retryShape, d) }
