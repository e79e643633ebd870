package mix

import "github.com/admitctl/admitctl/inputs"

// Compaction is the next document of the gate "compaction".
func (s *Source) Compaction() *inputs.Compaction {
	d := s.compaction()
	if s.chance(20) {
		d.EstTokens, d.TranscriptChars = inputs.Number{}, s.number(400, 6000)
	}
	switch {
	case s.chance(30):
		d.Path, d.Cancelable, d.SameTurn, d.ConsoleAgeMS = inputs.PathFree, inputs.KnownFlag(true), inputs.KnownFlag(false), s.number(0, 300000)
	case s.chance(20):
		d.Path = inputs.PathPaid
	}
	if s.chance(30) {
		d.JobsThisTurn = inputs.Known(0)
	}
	if s.chance(30) {
		version, _ := d.TranscriptVersion.Get()
		d.LastCompactedVersion = inputs.Known(version - 1)
	}
	if !s.admits() {
		spoil(s, d, s.compactionFaults())
	}
	return d
}

// BareCompaction is the next document with no more than the eight numbers of the drill.
func (s *Source) BareCompaction() *inputs.Compaction {
	d := s.compaction()
	d.TokenCeiling = s.number(4500, 5000) // the caller's, which is the stricter one
	if !s.admits() {
		spoil(s, d, []func(*inputs.Compaction){
			func(d *inputs.Compaction) { d.LatestVersion = s.number(200, 300) },
			func(d *inputs.Compaction) { d.QueueAgeMS = s.number(10000, 60000) },
			func(d *inputs.Compaction) { d.RetryCount, d.EstTokens = inputs.Known(2), s.number(1700, 4000) },
		})
	}
	return d
}

// compaction is a document that is admitted.
func (s *Source) compaction() *inputs.Compaction {
	version := s.from(10, 100)
	return &inputs.Compaction{
		QueueAgeMS: s.number(0, 3000), SlackMS: s.number(8000, 10000), EstGenMS: s.number(500, 4000),
		EstTokens: s.number(100, 1500), RetryCount: s.number(0, 2), TokenCeiling: s.number(4500, 8000),
		TranscriptVersion: inputs.Known(version), LatestVersion: inputs.Known(version),
	}
}

func (s *Source) compactionFaults() []func(*inputs.Compaction) {
	return []func(*inputs.Compaction){
		func(d *inputs.Compaction) { d.LatestVersion = s.bad(200, 300) },
		func(d *inputs.Compaction) { d.Path, d.ConsoleAgeMS = inputs.PathFree, s.bad(300001, 900000) },
		func(d *inputs.Compaction) {
			d.Path, d.ConsoleAgeMS, d.SameTurn, d.Cancelable = inputs.PathFree, inputs.Known(0), inputs.KnownFlag(false), inputs.KnownFlag(false)
		},
		func(d *inputs.Compaction) {
			d.Path, d.ConsoleAgeMS, d.Cancelable, d.SameTurn = inputs.PathFree, inputs.Known(0), inputs.KnownFlag(true), inputs.UnknownFlag()
		},
		func(d *inputs.Compaction) { d.LastCompactedVersion = d.TranscriptVersion },
		func(d *inputs.Compaction) { d.JobsThisTurn = s.number(1, 3) },
		func(d *inputs.Compaction) { d.QueueAgeMS = s.bad(10000, 60000) },
		func(d *inputs.Compaction) { d.RetryCount = s.number(3, 5) },
		func(d *inputs.Compaction) {
			d.RetryCount, d.TranscriptChars, d.EstTokens = inputs.Known(2), inputs.Number{}, s.number(1700, 4000)
		},
	}
}
