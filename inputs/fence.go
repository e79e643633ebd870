package inputs

import (
	"iter"
	"slices"
)

// Fence asks whether an intent may be admitted on its own plane and, if it borrows, on the borrowed one (gate
// "fence").
type Fence struct {
	IntentID string // identifier; required
	Revision string // identifier of what is to be scored; required when borrowing
	Borrow   Flag   // required
	Primary  Plane  // required
	Borrowed *Plane // required when borrowing, else validated and ignored; another plane than Primary
}

// Plane is a failure domain as it was last sampled.
type Plane struct {
	Name           string // identifier, the plane's key in fence.planes; required
	Depth          Number // intents on the plane, 0 to 2^20; a signal
	RetryBudget    Number // retries left, 0 to 2^20; a signal
	HealthAgeMS    Number // age of the health sample in milliseconds, 0 to 2^40; a signal
	DepthLimit     Number // the caller's own limit, 0 to 2^20: tightens the threshold, never loosens it; optional
	HealthMaxAgeMS Number // the caller's own maximum age in milliseconds, 0 to 2^40: as DepthLimit; optional
}

var fenceShape = (&record[Fence]{
	gate:     "fence",
	document: func(d *Fence) Document { return d },
	fields: slices.Concat(
		[]field[Fence]{
			{name: "intent_id", want: identifiers(), required: true, at: func(d *Fence, _ bool) slot { return (*identifier)(&d.IntentID) }},
			{name: "revision", want: identifiers(), at: func(d *Fence, _ bool) slot { return (*identifier)(&d.Revision) }},
			{name: "borrow", want: flags(), required: true, at: func(d *Fence, _ bool) slot { return &d.Borrow }},
		},
		planeFields("primary", true, func(d *Fence, _ bool) *Plane { return &d.Primary }),
		planeFields("borrowed", false, func(d *Fence, create bool) *Plane {
			if d.Borrowed == nil && create {
				d.Borrowed = new(Plane)
			}
			return d.Borrowed
		}),
	),
	contradiction: func(d *Fence) *Error {
		borrow, _ := d.Borrow.Get()
		switch {
		case borrow && d.Borrowed == nil:
			return contradicts("$.borrowed", `"borrow" is true and "borrowed" is missing`, `name the plane to borrow, or set "borrow" to false`)
		case borrow && d.Revision == "":
			return contradicts("$.revision", `"borrow" is true and "revision" is missing`, `name the revision to score, or set "borrow" to false`)
		case d.Borrowed != nil && d.Borrowed.Name == d.Primary.Name:
			return contradicts("$.borrowed.name", `"primary.name" and "borrowed.name" are both `+shorten(d.Primary.Name),
				"borrowing from oneself shares a retry budget: name two planes")
		}
		return nil
	},
}).ready()

func planeFields(name string, required bool, plane func(d *Fence, create bool) *Plane) []field[Fence] {
	in := func(find func(*Plane) slot) func(*Fence, bool) slot {
		return func(d *Fence, create bool) slot {
			if plane := plane(d, create); plane != nil {
				return find(plane)
			}
			return nil
		}
	}
	return []field[Fence]{
		{name: name, required: required, object: func(d *Fence, create bool) bool { return plane(d, create) != nil }},
		{name: name + ".name", want: identifiers(), required: true, at: in(func(p *Plane) slot { return (*identifier)(&p.Name) })},
		{name: name + ".depth", want: counts(), signal: true, required: true, at: in(func(p *Plane) slot { return &p.Depth })},
		{name: name + ".retry_budget", want: counts(), signal: true, required: true, at: in(func(p *Plane) slot { return &p.RetryBudget })},
		{name: name + ".health_age_ms", want: amounts(), signal: true, required: true, at: in(func(p *Plane) slot { return &p.HealthAgeMS })},
		{name: name + ".depth_limit", want: counts(), at: in(func(p *Plane) slot { return &p.DepthLimit })},
		{name: name + ".health_max_age_ms", want: amounts(), at: in(func(p *Plane) slot { return &p.HealthMaxAgeMS })},
	}
}

func contradicts(path, problem, mend string) *Error {
	return &Error{Path: path, Problem: problem, Mend: mend, Kind: ErrContradiction}
}

// Gate is "fence".
func (d *Fence) Gate() string { return fenceShape.gate }

// Validate returns nil or an *[Error].
func (d *Fence) Validate() error {
	if d.valid() {
		return nil
	}
	return fenceShape.validate(d)
}

// valid is exact, as [Fence.Validate] needs it.
func (d *Fence) valid() bool {
	if d == nil || d.Borrow.state != known || !ValidName(d.IntentID) || !optional(d.Revision) || !d.Primary.valid() {
		return false
	}
	if d.Borrowed == nil {
		return !d.Borrow.value
	}
	return d.Borrowed.valid() && d.Borrowed.Name != d.Primary.Name && (!d.Borrow.value || d.Revision != "")
}

func (p *Plane) valid() bool {
	signals := given(p.Depth.state) & given(p.RetryBudget.state) & given(p.HealthAgeMS.state)
	limits := p.DepthLimit.state | p.HealthMaxAgeMS.state
	return signals == known && limits&unknown == 0 && ValidName(p.Name) && inside(over(p.Depth, maxCount)|over(p.RetryBudget, maxCount)|
		over(p.HealthAgeMS, maxAmount)|over(p.DepthLimit, maxCount)|over(p.HealthMaxAgeMS, maxAmount))
}

// Fields yields the fields that are there.
func (d *Fence) Fields() iter.Seq2[string, Value] { return fenceShape.each(d) }

// MarshalJSON is the document as [Decode] takes it.
func (d Fence) MarshalJSON() ([]byte, error) { return encode(&d) }

// UnmarshalJSON decodes as strictly as [Decode].
func (d *Fence) UnmarshalJSON(data []byte) error { return decodeInto(data, fenceShape, d) }
