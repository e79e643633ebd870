package native

import "github.com/admitctl/admitctl/inputs"

// FanoutRows are the reasons of the gate "fanout" in the order of its decision table.
func FanoutRows() []string {
	return []string{
		"class_unknown", "class_disabled", "class_reserved", "slack_below_floor", "tool_depth_over_limit",
		"siblings_over_limit", "queue_age_over_limit", "retry_amplification", "token_burn_vs_success",
	}
}

// ValidFanout reports whether a document can be decided.
func ValidFanout(d *inputs.Fanout) bool {
	return identifier(d.Class) && sensed(d.QueueAgeMS, maxAmount) && slack(d.DeadlineSlackMS) &&
		sensed(d.TokensInWindow, maxAmount) && sensed(d.SuccessesInWindow, maxCount) &&
		sensed(d.ToolDepth, maxCount) && sensed(d.RetriesInWindow, maxCount) &&
		within(d.Siblings, maxCount) && within(d.Inflight, maxCount) && within(d.MeterAgeMS, maxAmount) &&
		!d.ClassEnabled.IsUnknown() && allowed(d.MaxDepth, maxCount) && allowed(d.MaxSiblings, maxCount)
}

// DecideFanout decides any document.
func (t *Thresholds) DecideFanout(d *inputs.Fanout) Verdict {
	if !ValidFanout(d) {
		return invalid
	}
	return t.DecideClass(d)
}

// DecideClass decides a valid document of the gate "fanout".
func (t *Thresholds) DecideClass(d *inputs.Fanout) Verdict {
	const drain, rejectAndDrain = "drain", "reject_class_and_drain"
	class, known := t.Classes[d.Class]
	switch {
	case !known:
		return Verdict{Reason: "class_unknown", Action: "reject_class"}
	case class.Reserved:
		return Verdict{Reason: "class_reserved", Action: "split_queues"}
	case class.disabled(d):
		return Verdict{Reason: "class_disabled", Action: rejectAndDrain}
	case class.short(d):
		return Verdict{Reason: "slack_below_floor", Action: drain}
	case class.deep(d):
		return Verdict{Reason: "tool_depth_over_limit", Action: rejectAndDrain}
	case class.wide(d):
		return Verdict{Reason: "siblings_over_limit", Action: rejectAndDrain}
	case class.old(d):
		return Verdict{Reason: "queue_age_over_limit", Action: drain}
	}
	tokens, successes, live := t.Fanout.read(d, class.Requires)
	switch {
	case t.Fanout.amplified(d, successes, class.Requires):
		return Verdict{Reason: "retry_amplification", Action: rejectAndDrain}
	case !class.answered(tokens, successes):
		return Verdict{Reason: "token_burn_vs_success", Action: "reject_until_meter"}
	case class.burns(tokens, successes):
		if t.Fanout.ProbeWhenIdle && live && idle(d) {
			return Verdict{Admit: true, Reason: "admit_probe", Action: "probe"}
		}
		return Verdict{Reason: "token_burn_vs_success", Action: rejectAndDrain}
	}
	if age, _ := d.QueueAgeMS.Get(); age*2 > class.QueueAgeMS {
		return Verdict{Admit: true, Reason: "admit", Action: "keep_one_worker_watch_slack"}
	}
	return Verdict{Admit: true, Reason: "admit", Action: "keep_worker_cap_depth"}
}

// FanoutViolations are all rows that a valid document violates; a probe violates none.
func (t *Thresholds) FanoutViolations(d *inputs.Fanout) Violations {
	class, known := t.Classes[d.Class]
	switch {
	case !known:
		return 1 << 0
	case class.Reserved:
		return 1 << 2
	}
	var v Violations
	v.add(1, class.disabled(d))
	v.add(3, class.short(d))
	v.add(4, class.deep(d))
	v.add(5, class.wide(d))
	v.add(6, class.old(d))
	tokens, successes, live := t.Fanout.read(d, class.Requires)
	v.add(7, t.Fanout.amplified(d, successes, class.Requires))
	burns := !class.answered(tokens, successes) || class.burns(tokens, successes)
	v.add(8, burns && !(v == 0 && t.Fanout.ProbeWhenIdle && live && idle(d)))
	return v
}

func (c *Class) disabled(d *inputs.Fanout) bool {
	own, given := d.ClassEnabled.Get()
	return !c.Enabled || given && !own
}

func (c *Class) short(d *inputs.Fanout) bool {
	left, known := d.DeadlineSlackMS.Get()
	if !known {
		return c.Requires&DeadlineSlack != 0
	}
	return left < c.SlackMSBelow
}

func (c *Class) deep(d *inputs.Fanout) bool {
	depth, known := d.ToolDepth.Get()
	if !known {
		return c.Requires&ToolDepth != 0
	}
	return depth > stricter(c.MaxDepth, d.MaxDepth)
}

func (c *Class) wide(d *inputs.Fanout) bool {
	calls, known := d.Siblings.Get()
	if !known {
		return d.Siblings.IsUnknown() || c.Requires&Siblings != 0
	}
	return calls > stricter(c.MaxSiblings, d.MaxSiblings)
}

func (c *Class) old(d *inputs.Fanout) bool {
	age, known := d.QueueAgeMS.Get()
	if !known {
		return c.Requires&QueueAge != 0
	}
	return age > c.QueueAgeMS
}

// read is what the meter says, and whether its age is known and within its maximum; an old reading says nothing.
func (f *FanoutThresholds) read(d *inputs.Fanout, requires Signals) (tokens, successes inputs.Number, live bool) {
	age, known := d.MeterAgeMS.Get()
	live = known && age <= f.MeterMaxAgeMS
	if live || d.MeterAgeMS.IsAbsent() && requires&MeterAge == 0 {
		return d.TokensInWindow, d.SuccessesInWindow, live
	}
	return tokens, successes, live
}

func (f *FanoutThresholds) amplified(d *inputs.Fanout, successes inputs.Number, requires Signals) bool {
	if succeeded, known := successes.Get(); !known || succeeded > 0 {
		return false
	}
	retries, known := d.RetriesInWindow.Get()
	if !known {
		return requires&RetriesInWindow != 0
	}
	return retries >= f.RetryAmplificationMin
}

// answered reports whether tokens and successes are known as far as the class requires them.
func (c *Class) answered(tokens, successes inputs.Number) bool {
	_, spent := tokens.Get()
	_, succeeded := successes.Get()
	return (spent || c.Requires&TokensInWindow == 0) && (succeeded || c.Requires&SuccessesInWindow == 0)
}

// burns reports whether tokens buy too few successes, as far as both are known.
func (c *Class) burns(tokens, successes inputs.Number) bool {
	succeeded, known := successes.Get()
	if !known {
		return false
	}
	spent, _ := tokens.Get()
	return succeeded == 0 || spent > c.TokensPerSuccessEst*succeeded
}

// idle reports whether a live meter shows that nothing happens.
func idle(d *inputs.Fanout) bool {
	for _, signal := range [...]inputs.Number{d.TokensInWindow, d.SuccessesInWindow, d.RetriesInWindow, d.Inflight} {
		if value, known := signal.Get(); !known || value != 0 {
			return false
		}
	}
	return true
}
