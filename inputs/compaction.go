package inputs

import "iter"

// Compaction asks whether a summary of a transcript may still be generated (gate "compaction").
type Compaction struct {
	QueueAgeMS           Number // milliseconds that the head of the queue has waited, 0 to 2^40; a signal
	SlackMS              Number // milliseconds left of the turn, -2^40 to 2^40; a signal
	EstGenMS             Number // milliseconds that the generation should take, 0 to 2^40; required
	EstTokens            Number // tokens of one try, 0 to 2^40; required unless TranscriptChars is there
	TranscriptChars      Number // characters, 0 to 2^40, a token for every four; never beside EstTokens
	RetryCount           Number // tries before this one, 0 to 2^20; required
	TokenCeiling         Number // tokens that the caller would spend, 0 to 2^40: tightens the threshold; required
	TranscriptVersion    Number // version that the job was cut from, 0 to 2^53-1; required
	LatestVersion        Number // version of the live transcript, 0 to 2^53-1; a signal
	Path                 string // PathFree or PathPaid; optional
	JobsThisTurn         Number // jobs that the turn has already, 0 to 2^20; optional
	LastCompactedVersion Number // version that was compacted last, 0 to 2^53-1; optional
	Cancelable           Flag   // whether the generation can be cancelled after submit; a signal of the free path
	SameTurn             Flag   // whether the result must return in this turn; a signal of the free path
	ConsoleAgeMS         Number // milliseconds since the free path's console was read, 0 to 2^40; its signal
}

// The paths that can generate a summary.
const (
	PathFree = "free"
	PathPaid = "paid"
)

var compactionShape = (&record[Compaction]{
	gate:     "compaction",
	document: func(d *Compaction) Document { return d },
	fields: []field[Compaction]{
		{name: "queue_age_ms", want: amounts(), signal: true, required: true, at: func(d *Compaction, _ bool) slot { return &d.QueueAgeMS }},
		{name: "slack_ms", want: slacks(), signal: true, required: true, at: func(d *Compaction, _ bool) slot { return &d.SlackMS }},
		{name: "est_gen_ms", want: amounts(), required: true, at: func(d *Compaction, _ bool) slot { return &d.EstGenMS }},
		{name: "est_tokens", want: amounts(), at: func(d *Compaction, _ bool) slot { return &d.EstTokens }},
		{name: "transcript_chars", want: amounts(), at: func(d *Compaction, _ bool) slot { return &d.TranscriptChars }},
		{name: "retry_count", want: counts(), required: true, at: func(d *Compaction, _ bool) slot { return &d.RetryCount }},
		{name: "token_ceiling", want: amounts(), required: true, at: func(d *Compaction, _ bool) slot { return &d.TokenCeiling }},
		{name: "transcript_version", want: versions(), required: true, at: func(d *Compaction, _ bool) slot { return &d.TranscriptVersion }},
		{name: "latest_version", want: versions(), signal: true, required: true, at: func(d *Compaction, _ bool) slot { return &d.LatestVersion }},
		{name: "path", want: oneOf(PathFree, PathPaid), at: func(d *Compaction, _ bool) slot { return (*identifier)(&d.Path) }},
		{name: "jobs_this_turn", want: counts(), at: func(d *Compaction, _ bool) slot { return &d.JobsThisTurn }},
		{name: "last_compacted_version", want: versions(), at: func(d *Compaction, _ bool) slot { return &d.LastCompactedVersion }},
		{name: "cancelable", want: flags(), signal: true, at: func(d *Compaction, _ bool) slot { return &d.Cancelable }},
		{name: "same_turn", want: flags(), signal: true, at: func(d *Compaction, _ bool) slot { return &d.SameTurn }},
		{name: "console_age_ms", want: amounts(), signal: true, at: func(d *Compaction, _ bool) slot { return &d.ConsoleAgeMS }},
	},
	contradiction: func(d *Compaction) *Error {
		switch {
		case !d.EstTokens.IsAbsent() && !d.TranscriptChars.IsAbsent():
			return contradicts("$.transcript_chars", `"est_tokens" and "transcript_chars" are both there`, "keep one estimate")
		case d.EstTokens.IsAbsent() && d.TranscriptChars.IsAbsent():
			return &Error{Path: "$", Problem: `missing required "est_tokens" or "transcript_chars" of compaction`,
				Mend: "estimate the job in tokens, or give the characters of the transcript", Kind: ErrMissingField}
		}
		return nil
	},
}).ready()

// Gate is "compaction".
func (d *Compaction) Gate() string { return compactionShape.gate }

// Validate returns nil or an *[Error].
func (d *Compaction) Validate() error {
	if d.valid() {
		return nil
	}
	return compactionShape.validate(d)
}

// valid is exact, as [Compaction.Validate] needs it.
func (d *Compaction) valid() bool {
	if d == nil {
		return false
	}
	required := d.EstGenMS.state & d.RetryCount.state & d.TokenCeiling.state & d.TranscriptVersion.state
	signals := given(d.QueueAgeMS.state) & given(d.SlackMS.state) & given(d.LatestVersion.state)
	estimates := d.EstTokens.state ^ d.TranscriptChars.state // one of them is known, the other absent
	never := d.EstTokens.state | d.TranscriptChars.state | d.JobsThisTurn.state | d.LastCompactedVersion.state
	numbers := over(d.QueueAgeMS, maxAmount) | beyond(d.SlackMS, maxAmount) | over(d.EstGenMS, maxAmount) |
		over(d.EstTokens, maxAmount) | over(d.TranscriptChars, maxAmount) | over(d.RetryCount, maxCount) |
		over(d.TokenCeiling, maxAmount) | over(d.TranscriptVersion, maxVersion) | over(d.LatestVersion, maxVersion) |
		over(d.JobsThisTurn, maxCount) | over(d.LastCompactedVersion, maxVersion) | over(d.ConsoleAgeMS, maxAmount)
	return required&signals == known && estimates == known && never&unknown == 0 && inside(numbers) &&
		(d.Path == "" || d.Path == PathFree || d.Path == PathPaid)
}

// Fields yields the fields that are there.
func (d *Compaction) Fields() iter.Seq2[string, Value] { return compactionShape.each(d) }

// MarshalJSON is the document as [Decode] takes it.
func (d Compaction) MarshalJSON() ([]byte, error) { return encode(&d) }

// UnmarshalJSON decodes as strictly as [Decode].
func (d *Compaction) UnmarshalJSON(data []byte) error { return decodeInto(data, compactionShape, d) }
