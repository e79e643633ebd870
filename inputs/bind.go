package inputs

import "iter"

// Bind asks whether a score may attach to the revision that it scored (gate "fence.bind").
type Bind struct {
	AttemptID       string // identifier; required
	ScoreRevision   string // identifier of the revision that was scored; required
	CurrentRevision Text   // identifier of the current revision, the watermark; a signal
	AttemptState    Text   // one of the Attempt constants; a signal
}

// The states of an attempt: only an accepted one that is not yet bound may bind its score.
const (
	AttemptAccepted = "accepted"
	AttemptShed     = "shed"
	AttemptBound    = "bound"
	AttemptExpired  = "expired"
)

var bindShape = (&record[Bind]{
	gate:     "fence.bind",
	document: func(d *Bind) Document { return d },
	fields: []field[Bind]{
		{name: "attempt_id", want: identifiers(), required: true, at: func(d *Bind, _ bool) slot { return (*identifier)(&d.AttemptID) }},
		{name: "score_revision", want: identifiers(), required: true, at: func(d *Bind, _ bool) slot { return (*identifier)(&d.ScoreRevision) }},
		{name: "current_revision", want: identifiers(), signal: true, required: true, at: func(d *Bind, _ bool) slot { return &d.CurrentRevision }},
		{name: "attempt_state", want: oneOf(AttemptAccepted, AttemptShed, AttemptBound, AttemptExpired), signal: true, required: true, at: func(d *Bind, _ bool) slot { return &d.AttemptState }},
	},
	contradiction: func(*Bind) *Error { return nil },
}).ready()

// Gate is "fence.bind".
func (d *Bind) Gate() string { return bindShape.gate }

// Validate returns nil or an *[Error].
func (d *Bind) Validate() error {
	if d.valid() {
		return nil
	}
	return bindShape.validate(d)
}

// valid is exact, as [Bind.Validate] needs it.
func (d *Bind) valid() bool {
	if d == nil || d.CurrentRevision.state == absent || d.AttemptState.state == absent {
		return false
	}
	if d.AttemptState.state == known {
		switch d.AttemptState.value {
		case AttemptAccepted, AttemptShed, AttemptBound, AttemptExpired:
		default:
			return false
		}
	}
	return named(d.CurrentRevision) && ValidName(d.AttemptID) && ValidName(d.ScoreRevision)
}

// Fields yields the fields that are there.
func (d *Bind) Fields() iter.Seq2[string, Value] { return bindShape.each(d) }

// MarshalJSON is the document as [Decode] takes it.
func (d Bind) MarshalJSON() ([]byte, error) { return encode(&d) }

// UnmarshalJSON decodes as strictly as [Decode].
func (d *Bind) UnmarshalJSON(data []byte) error { return decodeInto(data, bindShape, d) }
