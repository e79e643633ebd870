package policy_test

import "slices"

// modelCompaction: may this transcript be compacted now? The job must be about
// the newest transcript, fit into the turn's slack with time to spare, and stay
// within its retries and tokens; on the free path it must also be cancelable,
// not needed in this turn, and the path's console must have been read lately.
func modelCompaction(d document, t thresholds) decision {
	c := t["compaction"].(map[string]any)
	version, latest := read(d, "transcript_version"), read(d, "latest_version")
	retries, slack := read(d, "retry_count"), read(d, "slack_ms")
	spend := compactionTokens(d) * (retries.n + 1)
	ceiling := stricter(limitOf(c, "token_ceiling"), read(d, "token_ceiling"))
	finish := read(d, "queue_age_ms")
	finish.n += read(d, "est_gen_ms").n

	rows := []row{
		{"reject_disabled", "serve_uncompacted", c["enabled"] == false, false, true},
		{"reject_stale", "drop_and_ack", !latest.is(version.n), version.seen(), latest.seen()},
		{"reject_slack", "keep_last_summary", !slack.known || !finish.below(slack.n), finish.seen(), slack.seen()},
		{"reject_retries", "stop_retries_for_version", !retries.atMost(limitOf(c, "max_retries")), retries.seen(), limitOf(c, "max_retries")},
		{"reject_tokens", "stop_retries_for_version", spend > ceiling, spend, ceiling},
	}
	rows = slices.Concat(rows, freePathRows(d, c), turnRows(d, c))
	return settle(rows, listOf(c, "precedence"), decision{
		Gate: "compaction", Reason: "admit", Action: "submit", Unknown: compactionUnknown(d, c),
	})
}

// compactionTokens is the estimate in tokens: as given, or a quarter of the
// characters, rounded up.
func compactionTokens(d document) int64 {
	if chars := read(d, "transcript_chars"); chars.known {
		return (chars.n + 3) / 4
	}
	return read(d, "est_tokens").n
}

// freePathRows are the checks of the free path. With the free path switched
// off, only work that says it is paid passes; a document that names no path
// does not. The other checks look only at work that says it is free, and there
// a signal that is absent is unknown.
func freePathRows(d document, c thresholds) []row {
	free, off := d["path"] == "free", c["free_path"] == "disabled"
	console, maxAge := read(d, "console_age_ms"), limitOf(c, "console_max_age_ms")
	dark := row{"reject_free_path_dark", "serve_uncompacted", free && !console.atMost(maxAge), console.seen(), maxAge}
	if off && d["path"] != "paid" {
		dark.violated, dark.observed, dark.limit = true, "disabled", "enabled"
	}
	return []row{
		dark,
		{"reject_uncancelable", "serve_uncompacted", free && d["cancelable"] != true, d["cancelable"], true},
		{"reject_same_turn", "serve_uncompacted", free && d["same_turn"] != false, d["same_turn"], false},
	}
}

// turnRows are the two checks of optional facts: a version is compacted once,
// and a turn has one job. Absent, they are not checked, unless the operator
// requires them: then absent fails.
func turnRows(d document, c thresholds) []row {
	requires := listOf(c, "requires")
	last, version := read(d, "last_compacted_version"), read(d, "transcript_version")
	jobs := read(d, "jobs_this_turn")
	lacking := func(r reading, name string) bool { return !r.known && slices.Contains(requires, name) }
	return []row{
		{"reject_already_compacted", "drop_and_ack",
			last.is(version.n) || lacking(last, "last_compacted_version"), last.seen(), version.seen()},
		{"reject_turn_has_job", "drop_and_ack",
			jobs.atLeast(1) || lacking(jobs, "jobs_this_turn"), jobs.seen(), int64(1)},
	}
}

// compactionUnknown names what the checks of this document read and do not
// know: the three signals always, the free path's only on it, and what the
// operator requires.
func compactionUnknown(d document, c thresholds) []string {
	names := missing(d, "", "slack_ms", "queue_age_ms", "latest_version")
	if d["path"] == "free" {
		names = append(names, missing(d, "", "cancelable", "same_turn", "console_age_ms")...)
	}
	return sorted(names, missing(d, "", listOf(c, "requires")...))
}

// compactionDoc is a document in the order of the contract's documented cases.
func compactionDoc(slack, age, gen, tokens, retries, ceiling, version, latest int64) document {
	return document{"gate": "compaction", "slack_ms": slack, "queue_age_ms": age, "est_gen_ms": gen,
		"est_tokens": tokens, "retry_count": retries, "token_ceiling": ceiling,
		"transcript_version": version, "latest_version": latest}
}

// compactionCases are the documented numbers, and the rollback block.
func compactionCases() []documentedCase {
	n := func(n int64) any { return n }
	late := violation{"reject_slack", n(12500), n(4000)}
	return []documentedCase{
		{"an old version, which is late too", "", compactionDoc(4000, 11000, 1500, 800, 0, 5000, 7, 9),
			rejected("compaction", "drop_and_ack", violation{"reject_stale", n(7), n(9)}, late)},
		{"retries that spend past the ceiling", "", compactionDoc(9000, 1200, 1500, 800, 2, 2000, 9, 9),
			rejected("compaction", "stop_retries_for_version", violation{"reject_tokens", n(2400), n(2000)})},
		{"a job that fits", "", compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9),
			admittedAs("compaction", "admit", "submit")},
		{"the first one, up to date", "", compactionDoc(4000, 11000, 1500, 800, 0, 5000, 9, 9),
			rejected("compaction", "keep_last_summary", late)},
		{"the job that fits, rolled back", "rollback", compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9),
			rejected("compaction", "serve_uncompacted", violation{"reject_disabled", false, true},
				violation{"reject_free_path_dark", "disabled", "enabled"}, violation{"reject_tokens", n(800), n(0)})},
		{"required facts are absent", "requires", compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9),
			decision{Gate: "compaction", Reason: "reject_already_compacted", Action: "drop_and_ack",
				Violations: []violation{{"reject_already_compacted", nil, n(9)}, {"reject_turn_has_job", nil, n(1)}},
				Effects:    []effect{}, Unknown: []string{"jobs_this_turn", "last_compacted_version"}}},
		{"a free path that says nothing of itself", "free path off, probe off", freeAndSilent(),
			decision{Gate: "compaction", Reason: "reject_free_path_dark", Action: "serve_uncompacted",
				Violations: []violation{{"reject_free_path_dark", "disabled", "enabled"},
					{"reject_uncancelable", nil, true}, {"reject_same_turn", nil, false}},
				Effects: []effect{}, Unknown: []string{"cancelable", "console_age_ms", "same_turn"}}},
	}
}

// freeAndSilent is a job that fits, on the free path, with none of its signals.
func freeAndSilent() document {
	d := compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9)
	d["path"], d["same_turn"] = "free", nil
	return d
}

// compactionBoundaries are both sides of every comparison of the gate.
func compactionBoundaries() []boundary {
	plain := func() document { return compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9) }
	with := func(field string, value any) func() document {
		return func() document { d := plain(); place(d, field, value); return d }
	}
	free := func() document { return nominal("compaction")[1] }
	chars := func() document { d := plain(); delete(d, "est_tokens"); return d }
	return []boundary{
		{"latest_version", int64(9), int64(10), "reject_stale", plain},
		{"latest_version", int64(9), int64(8), "reject_stale", plain},
		{"latest_version", int64(9), nil, "reject_stale", plain},
		{"console_age_ms", int64(300000), int64(300001), "reject_free_path_dark", free},
		{"console_age_ms", int64(0), nil, "reject_free_path_dark", free},
		{"console_age_ms", int64(0), gone, "reject_free_path_dark", free},
		{"path", "paid", "free", "reject_free_path_dark", plain},
		{"path", gone, "free", "reject_free_path_dark", plain},
		{"cancelable", true, false, "reject_uncancelable", free},
		{"cancelable", true, nil, "reject_uncancelable", free},
		{"cancelable", true, gone, "reject_uncancelable", free},
		{"same_turn", false, true, "reject_same_turn", free},
		{"same_turn", false, nil, "reject_same_turn", free},
		{"same_turn", false, gone, "reject_same_turn", free},
		{"last_compacted_version", int64(8), int64(9), "reject_already_compacted", plain},
		{"last_compacted_version", int64(10), int64(9), "reject_already_compacted", plain},
		{"last_compacted_version", gone, int64(9), "reject_already_compacted", plain},
		{"jobs_this_turn", int64(0), int64(1), "reject_turn_has_job", plain},
		{"jobs_this_turn", gone, int64(1), "reject_turn_has_job", plain},
		{"queue_age_ms", int64(7499), int64(7500), "reject_slack", plain},
		{"queue_age_ms", int64(0), nil, "reject_slack", plain},
		{"est_gen_ms", int64(7799), int64(7800), "reject_slack", plain},
		{"slack_ms", int64(2701), int64(2700), "reject_slack", plain},
		{"slack_ms", int64(1 << 40), nil, "reject_slack", plain},
		{"slack_ms", int64(2701), int64(-1 << 40), "reject_slack", plain},
		{"retry_count", int64(2), int64(3), "reject_retries", plain},
		{"est_tokens", int64(5000), int64(5001), "reject_tokens", plain},
		{"est_tokens", int64(2500), int64(2501), "reject_tokens", with("retry_count", int64(1))},
		{"token_ceiling", int64(800), int64(799), "reject_tokens", plain},
		{"est_tokens", int64(5000), int64(5001), "reject_tokens", with("token_ceiling", int64(9999))},
		{"transcript_chars", int64(20000), int64(20001), "reject_tokens", chars},
	}
}
