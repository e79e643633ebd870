package native

import "github.com/admitctl/admitctl/inputs"

// CompactionRows are the reasons of the gate "compaction" in the order of its decision table.
func CompactionRows() []string {
	return []string{
		"reject_disabled", "reject_stale", "reject_free_path_dark", "reject_uncancelable", "reject_same_turn",
		"reject_already_compacted", "reject_turn_has_job", "reject_slack", "reject_retries", "reject_tokens",
	}
}

// ValidCompaction reports whether a document can be decided.
func ValidCompaction(d *inputs.Compaction) bool {
	return sensed(d.QueueAgeMS, maxAmount) && slack(d.SlackMS) && given(d.EstGenMS, maxAmount) &&
		allowed(d.EstTokens, maxAmount) && allowed(d.TranscriptChars, maxAmount) &&
		d.EstTokens.IsAbsent() != d.TranscriptChars.IsAbsent() &&
		given(d.RetryCount, maxCount) && given(d.TokenCeiling, maxAmount) &&
		given(d.TranscriptVersion, maxVersion) && sensed(d.LatestVersion, maxVersion) &&
		(d.Path == "" || d.Path == inputs.PathFree || d.Path == inputs.PathPaid) &&
		allowed(d.JobsThisTurn, maxCount) && allowed(d.LastCompactedVersion, maxVersion) && within(d.ConsoleAgeMS, maxAmount)
}

// DecideCompaction decides any document.
func (t *Thresholds) DecideCompaction(d *inputs.Compaction) Verdict {
	if !ValidCompaction(d) {
		return invalid
	}
	return t.Compaction.Decide(d)
}

// Decide decides a valid document.
func (t *CompactionThresholds) Decide(d *inputs.Compaction) Verdict {
	free := d.Path == inputs.PathFree
	switch {
	case !t.Enabled:
		return Verdict{Reason: "reject_disabled", Action: "serve_uncompacted"}
	case stale(d):
		return Verdict{Reason: "reject_stale", Action: "drop_and_ack"}
	case t.dark(d, free):
		return Verdict{Reason: "reject_free_path_dark", Action: "serve_uncompacted"}
	case free && uncancelable(d):
		return Verdict{Reason: "reject_uncancelable", Action: "serve_uncompacted"}
	case free && sameTurn(d):
		return Verdict{Reason: "reject_same_turn", Action: "serve_uncompacted"}
	case t.compacted(d):
		return Verdict{Reason: "reject_already_compacted", Action: "drop_and_ack"}
	case t.busy(d):
		return Verdict{Reason: "reject_turn_has_job", Action: "drop_and_ack"}
	case late(d):
		return Verdict{Reason: "reject_slack", Action: "keep_last_summary"}
	case t.retried(d):
		return Verdict{Reason: "reject_retries", Action: "stop_retries_for_version"}
	case t.costly(d):
		return Verdict{Reason: "reject_tokens", Action: "stop_retries_for_version"}
	}
	return Verdict{Admit: true, Reason: "admit", Action: "submit"}
}

// Violations are all rows that a valid document violates.
func (t *CompactionThresholds) Violations(d *inputs.Compaction) Violations {
	free := d.Path == inputs.PathFree
	var v Violations
	v.add(0, !t.Enabled)
	v.add(1, stale(d))
	v.add(2, t.dark(d, free))
	v.add(3, free && uncancelable(d))
	v.add(4, free && sameTurn(d))
	v.add(5, t.compacted(d))
	v.add(6, t.busy(d))
	v.add(7, late(d))
	v.add(8, t.retried(d))
	v.add(9, t.costly(d))
	return v
}

func stale(d *inputs.Compaction) bool {
	version, _ := d.TranscriptVersion.Get()
	latest, known := d.LatestVersion.Get()
	return !known || version != latest
}

func (t *CompactionThresholds) dark(d *inputs.Compaction, free bool) bool {
	if !t.FreePath {
		return d.Path != inputs.PathPaid
	}
	age, known := d.ConsoleAgeMS.Get()
	return free && (!known || age > t.ConsoleMaxAgeMS)
}

func uncancelable(d *inputs.Compaction) bool {
	cancelable, _ := d.Cancelable.Get()
	return !cancelable
}

func sameTurn(d *inputs.Compaction) bool {
	same, known := d.SameTurn.Get()
	return same || !known
}

func (t *CompactionThresholds) compacted(d *inputs.Compaction) bool {
	last, known := d.LastCompactedVersion.Get()
	if !known {
		return t.RequireLast
	}
	version, _ := d.TranscriptVersion.Get()
	return last == version
}

func (t *CompactionThresholds) busy(d *inputs.Compaction) bool {
	jobs, known := d.JobsThisTurn.Get()
	return jobs >= 1 || !known && t.RequireJobs
}

func late(d *inputs.Compaction) bool {
	age, known := d.QueueAgeMS.Get()
	left, also := d.SlackMS.Get()
	generation, _ := d.EstGenMS.Get()
	return !known || !also || age+generation >= left
}

func (t *CompactionThresholds) retried(d *inputs.Compaction) bool {
	retries, _ := d.RetryCount.Get()
	return retries > t.MaxRetries
}

func (t *CompactionThresholds) costly(d *inputs.Compaction) bool {
	tokens, known := d.EstTokens.Get()
	if !known {
		chars, _ := d.TranscriptChars.Get()
		tokens = (chars + 3) / 4
	}
	retries, _ := d.RetryCount.Get()
	return tokens*(retries+1) > stricter(t.TokenCeiling, d.TokenCeiling)
}
