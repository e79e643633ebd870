package policy_test

// compactionRedraws draw the fields of a compaction job.
func compactionRedraws() []func(*drawing) {
	return []func(*drawing){
		func(g *drawing) { g.choose("path", "free", "paid") },
		func(g *drawing) { g.choose("cancelable", true, true, false) },
		func(g *drawing) { g.choose("same_turn", false, false, true) },
		func(g *drawing) { g.whole("console_age_ms", g.threshold("compaction", "console_max_age_ms")) },
		func(g *drawing) {
			g.whole("transcript_version", g.at("latest_version"), g.at("last_compacted_version"), maxVersion)
		},
		func(g *drawing) { g.whole("latest_version", g.at("transcript_version")) },
		func(g *drawing) { g.whole("last_compacted_version", g.at("transcript_version")) },
		func(g *drawing) { g.whole("jobs_this_turn", 0, 1) },
		func(g *drawing) {
			g.whole("retry_count", g.threshold("compaction", "max_retries"), g.retriesAtCeiling())
		},
		func(g *drawing) {
			g.whole("token_ceiling", g.threshold("compaction", "token_ceiling"), g.estimate()*(g.at("retry_count")+1))
		},
		(*drawing).redrawEstimate,
		func(g *drawing) { g.whole("slack_ms", g.at("queue_age_ms")+g.at("est_gen_ms")) },
		func(g *drawing) { g.whole("est_gen_ms", g.at("slack_ms")-g.at("queue_age_ms"), 1500) },
		func(g *drawing) { g.whole("queue_age_ms", g.at("slack_ms")-g.at("est_gen_ms")) },
	}
}

// ceiling is the token ceiling that counts: the lower of the two.
func (g *drawing) ceiling() int64 {
	return stricter(g.threshold("compaction", "token_ceiling"), read(g.d, "token_ceiling"))
}

// estimate is the document's estimate in tokens, 0 while it has none.
func (g *drawing) estimate() int64 { return compactionTokens(g.d) }

// retriesAtCeiling are the retries with which the spend comes nearest to the
// ceiling without passing it.
func (g *drawing) retriesAtCeiling() int64 { return g.ceiling()/max(1, g.estimate()) - 1 }

// redrawEstimate draws the estimate near the most that fits under the ceiling,
// in tokens or in characters, never both.
func (g *drawing) redrawEstimate() {
	place(g.d, "est_tokens", gone)
	place(g.d, "transcript_chars", gone)
	most := g.ceiling() / (g.at("retry_count") + 1)
	if g.oneIn(3) {
		g.d["transcript_chars"] = g.number(0, maxAmount, []int64{4 * most, 4*most + 3, 4*most - 3, 4})
		return
	}
	g.d["est_tokens"] = g.number(0, maxAmount, []int64{most, g.ceiling()})
}

// fitCompaction keeps a nominal job within these thresholds: paid where the
// free path is off, few enough retries and tokens, a console read lately, and
// the facts that the operator requires.
func (g *drawing) fitCompaction() {
	if setting(g.t, "compaction", "free_path") == "disabled" {
		g.d["path"] = "paid"
	}
	g.lower("console_age_ms", g.threshold("compaction", "console_max_age_ms"))
	g.lower("retry_count", g.threshold("compaction", "max_retries"))
	most := g.ceiling() / (g.at("retry_count") + 1)
	g.lower("est_tokens", most)
	g.lower("transcript_chars", 4*most)
	for _, name := range listOf(g.t, "compaction", "requires") {
		if g.d[name] == nil {
			g.d[name] = int64(0)
		}
	}
}
