package policy_test

import "slices"

// fanoutSignals are the six numbers that a fanout document brings.
var fanoutSignals = []string{"queue_age_ms", "deadline_slack_ms", "tokens_in_window",
	"successes_in_window", "tool_depth", "retries_in_window"}

// modelFanout: may this class put work on the free worker? A class that nobody
// declared, or that is reserved, is turned away without a look at any signal.
func modelFanout(d document, t thresholds) decision {
	name := d["class"].(string)
	class, declared := setting(t, "classes", name).(map[string]any)
	admitted := decision{Gate: "fanout", Reason: "admit", Unknown: []string{}}
	switch {
	case !declared:
		return settle([]row{{"class_unknown", "reject_class", true, name, nil}}, nil, admitted)
	case class["reserved"] == true:
		return settle([]row{{"class_reserved", "split_queues", true, true, false}}, nil, admitted)
	}

	f := fanoutReadings(d, class, t)
	admitted.Action, admitted.Unknown = f.admitAction(), f.unknown()
	rows := append(f.workRows(), f.meterRows()...)
	decided := settle(rows, listOf(t, "fanout", "precedence"), admitted)
	if f.probes(decided.Violations) {
		decided.Admit, decided.Reason, decided.Action = true, "admit_probe", "probe"
		decided.Violations = []violation{}
	}
	return decided
}

// fanoutRead is one document read under one class.
type fanoutRead struct {
	d        document
	class    thresholds // the class's row
	fanout   thresholds // what holds for every class
	requires []string   // the signals that the class must bring

	tokens, successes, retries, meterAge reading
}

// fanoutReadings reads the document. The class must bring the six signals
// unless it lists its own. An old or unknown reading of the meter is no
// reading: tokens and successes are then unknown to everything below.
func fanoutReadings(d document, class, t thresholds) fanoutRead {
	f := fanoutRead{d: d, class: class, fanout: t["fanout"].(map[string]any), requires: fanoutSignals}
	if _, set := class["requires"]; set {
		f.requires = listOf(class, "requires")
	}
	f.retries, f.meterAge = read(d, "retries_in_window"), read(d, "meter_age_ms")
	_, metered := d["meter_age_ms"]
	if (metered || f.required("meter_age_ms")) && !f.meterLive() {
		return f
	}
	f.tokens, f.successes = read(d, "tokens_in_window"), read(d, "successes_in_window")
	return f
}

// required: must the class bring this signal?
func (f fanoutRead) required(name string) bool { return slices.Contains(f.requires, name) }

// meterLive: is the meter's age known and not over its maximum?
func (f fanoutRead) meterLive() bool { return f.meterAge.atMost(limitOf(f.fanout, "meter_max_age_ms")) }

// fails: does a check of one of the six fail? It does when it does not hold,
// but a signal that the class need not bring is not held against the work
// while it is unknown.
func (f fanoutRead) fails(name string, r reading, holds bool) bool {
	return !holds && (r.known || f.required(name))
}

// workRows are the checks of the class's switch and of the work's shape: time
// left, depth, siblings, age. Depth and siblings may be tightened by the
// document, and either side may switch the class off. Siblings that are absent
// are not checked unless the class must bring them; null never passes.
func (f fanoutRead) workRows() []row {
	slack, age := read(f.d, "deadline_slack_ms"), read(f.d, "queue_age_ms")
	depth, siblings := read(f.d, "tool_depth"), read(f.d, "siblings")
	floor, maxAge := limitOf(f.class, "reject_when", "slack_ms_below"), limitOf(f.class, "reject_when", "queue_age_ms")
	maxDepth := stricter(limitOf(f.class, "max_depth"), read(f.d, "max_depth"))
	maxSiblings := stricter(limitOf(f.class, "max_siblings"), read(f.d, "max_siblings"))
	off := f.class["enabled"] == false || f.d["class_enabled"] == false
	_, counted := f.d["siblings"]
	return []row{
		{"class_disabled", "reject_class_and_drain", off, false, true},
		{"slack_below_floor", "drain", f.fails("deadline_slack_ms", slack, slack.atLeast(floor)), slack.seen(), floor},
		{"tool_depth_over_limit", "reject_class_and_drain", f.fails("tool_depth", depth, depth.atMost(maxDepth)), depth.seen(), maxDepth},
		{"siblings_over_limit", "reject_class_and_drain",
			(counted || f.required("siblings")) && !siblings.atMost(maxSiblings), siblings.seen(), maxSiblings},
		{"queue_age_over_limit", "drain", f.fails("queue_age_ms", age, age.atMost(maxAge)), age.seen(), maxAge},
	}
}

// meterRows are the checks of the meter. Retries amplify when it is known that
// nothing succeeded and they are not few. Tokens burn when they are more than
// the class's rate allows for its successes: no success at all, or an unknown
// number that the class must bring, counts as infinite.
func (f fanoutRead) meterRows() []row {
	minimum, rate := limitOf(f.fanout, "retry_amplification_min"), limitOf(f.class, "reject_when", "tokens_per_success_est")
	none := f.successes.is(0)
	amplified := none && f.fails("retries_in_window", f.retries, f.retries.below(minimum))
	unmetered := f.required("tokens_in_window") && !f.tokens.known || f.required("successes_in_window") && !f.successes.known
	allowed := reading{rate * f.successes.n, f.successes.known}
	over := f.tokens.known && allowed.known && f.tokens.n > allowed.n
	action := "reject_class_and_drain"
	if unmetered {
		action = "reject_until_meter"
	}
	return []row{
		{"retry_amplification", "reject_class_and_drain", amplified, f.retries.seen(), minimum},
		{"token_burn_vs_success", action, unmetered || none || over, f.tokens.seen(), allowed.seen()},
	}
}

// admitAction: past half of the allowed age, admitted work wants watching. An
// age that the class need not bring and did not is not held against it.
func (f fanoutRead) admitAction() string {
	age, limit := read(f.d, "queue_age_ms"), limitOf(f.class, "reject_when", "queue_age_ms")
	if age.known && age.n*2 > limit {
		return "keep_one_worker_watch_slack"
	}
	return "keep_worker_cap_depth"
}

// probes: may one piece of work go in to see whether the class works again? A
// window that ran empty has no successes and so could never reopen. Only the
// token check may fail, a live meter must show that nothing at all happened or
// is under way, and the operator must allow it.
func (f fanoutRead) probes(violations []violation) bool {
	onlyBurn := len(violations) == 1 && violations[0].Reason == "token_burn_vs_success"
	idle := f.tokens.is(0) && f.successes.is(0) && f.retries.is(0) && read(f.d, "inflight").is(0)
	return onlyBurn && idle && f.meterLive() && f.fanout["probe_when_idle"] == true
}

// unknown names what the document itself leaves unknown: the six where null,
// the optional signals where given as null, and those that the class must
// bring where absent.
func (f fanoutRead) unknown() []string {
	names := missing(f.d, "", fanoutSignals...)
	for _, name := range []string{"siblings", "inflight", "meter_age_ms"} {
		value, present := f.d[name]
		if present && value == nil || !present && f.required(name) {
			names = append(names, name)
		}
	}
	return sorted(names)
}

// fanoutDoc is a document in the order of the contract's documented cases.
func fanoutDoc(age, slack, tokens, successes, depth, retries any) document {
	d := document{"gate": "fanout", "class": "tool_fanout"}
	for i, v := range []any{age, slack, tokens, successes, depth, retries} {
		if n, whole := v.(int); whole {
			v = int64(n)
		}
		d[fanoutSignals[i]] = v
	}
	return d
}

// fanoutCases are the documented sample under both orders, and the injectors.
func fanoutCases() []documentedCase {
	n := func(n int64) any { return n }
	sample := func() document { return fanoutDoc(47012, 90000, 24110, 1, 2, 14) }
	depth := violation{"tool_depth_over_limit", n(2), n(1)}
	age := violation{"queue_age_over_limit", n(47012), n(15000)}
	burn := violation{"token_burn_vs_success", n(24110), n(8000)}
	const drained = "reject_class_and_drain"
	blackout := rejected("fanout", "reject_until_meter", violation{"token_burn_vs_success", nil, nil})
	blackout.Unknown = []string{"successes_in_window", "tokens_in_window"}
	kept := rejected("fanout", "reject_until_meter", violation{"token_burn_vs_success", nil, n(24000)})
	kept.Unknown = []string{"tokens_in_window"}
	return []documentedCase{
		{"the 02:14 sample", "", sample(), rejected("fanout", drained, depth, age, burn)},
		{"the sample in the code's own order", "code order", sample(), rejected("fanout", "drain", age, depth, burn)},
		{"injector 1, nested fanout", "", fanoutDoc(1000, 90000, 4000, 2, 2, 0), rejected("fanout", drained, depth)},
		{"injector 2, a storm of 429", "", fanoutDoc(1000, 90000, 4000, 0, 1, 20), rejected("fanout", drained,
			violation{"retry_amplification", n(20), n(10)}, violation{"token_burn_vs_success", n(4000), n(0)})},
		{"injector 3, a slow tool", "", fanoutDoc(15000, 90000, 4000, 2, 1, 0),
			admittedAs("fanout", "admit", "keep_one_worker_watch_slack")},
		{"half of the allowed age", "", fanoutDoc(7500, 90000, 4000, 2, 1, 0),
			admittedAs("fanout", "admit", "keep_worker_cap_depth")},
		{"past half of it", "", fanoutDoc(7501, 90000, 4000, 2, 1, 0),
			admittedAs("fanout", "admit", "keep_one_worker_watch_slack")},
		{"a class that the operator switched off", "classes off and reserved", fanoutDoc(0, 90000, 4000, 2, 1, 0),
			rejected("fanout", drained, violation{"class_disabled", false, true})},
		{"injector 3, too slow", "", fanoutDoc(15001, 90000, 4000, 2, 1, 0),
			rejected("fanout", "drain", violation{"queue_age_over_limit", n(15001), n(15000)})},
		{"injector 4, the meter dropped", "", fanoutDoc(1000, 90000, nil, nil, 1, 0), blackout},
		{"injector 4, successes kept", "", fanoutDoc(1000, 90000, nil, 3, 1, 0), kept},
	}
}

// fanoutReadingCases settle what an unknown signal means to a class: the "requires"
// set has classes that must bring different signals.
func fanoutReadingCases() []documentedCase {
	n := func(n int64) any { return n }
	of := func(class string, d document, optional document) document {
		d["class"] = class
		for field, value := range optional {
			d[field] = value
		}
		return d
	}
	unknowing := func(d decision, names ...string) decision { d.Unknown = names; return d }
	const drained, meterless = "reject_class_and_drain", "reject_until_meter"
	dark := violation{"token_burn_vs_success", nil, nil}
	allNull := []string{"deadline_slack_ms", "queue_age_ms", "retries_in_window", "successes_in_window", "tokens_in_window", "tool_depth"}
	return []documentedCase{
		{"a coding agent has no queue and no deadline", "requires", of("coding_agent", fanoutDoc(nil, nil, 10, 1, 0, 0), nil),
			unknowing(admittedAs("fanout", "admit", "keep_worker_cap_depth"), "deadline_slack_ms", "queue_age_ms")},
		{"its queue age counts when it is known", "requires", of("coding_agent", fanoutDoc(15001, nil, 10, 1, 0, 0), nil),
			unknowing(rejected("fanout", "drain", violation{"queue_age_over_limit", n(15001), n(15000)}), "deadline_slack_ms")},
		{"a required meter and required siblings are absent", "requires", of("metered", fanoutDoc(0, 40, 0, 1, 0, 0), nil),
			unknowing(rejected("fanout", drained, violation{"siblings_over_limit", nil, n(2)}, dark), "meter_age_ms", "siblings")},
		{"a class that must bring nothing", "requires", of("anything", fanoutDoc(nil, nil, nil, nil, nil, nil), nil),
			unknowing(admittedAs("fanout", "admit", "keep_worker_cap_depth"), allNull...)},
		{"no success is infinite burn whatever is required", "requires", of("anything", fanoutDoc(0, 9, nil, 0, 0, nil), nil),
			unknowing(rejected("fanout", drained, violation{"token_burn_vs_success", nil, n(0)}), "retries_in_window", "tokens_in_window")},
		{"a null count of siblings never passes", "requires", of("anything", fanoutDoc(0, 9, 0, 1, 0, 0), document{"siblings": nil}),
			unknowing(rejected("fanout", drained, violation{"siblings_over_limit", nil, n(1)}), "siblings")},
		{"a stale meter takes the required successes away", "requires",
			of("meter_only", fanoutDoc(0, 100, 0, 5, 0, 0), document{"meter_age_ms": n(5001)}),
			rejected("fanout", meterless, dark)},
		{"a stale meter does not know that nothing succeeded", "",
			of("tool_fanout", fanoutDoc(0, 60000, 0, 0, 0, 50), document{"meter_age_ms": nil, "inflight": nil}),
			unknowing(rejected("fanout", meterless, dark), "inflight", "meter_age_ms")},
		{"an idle window is probed", "", of("tool_fanout", fanoutDoc(0, 60000, 0, 0, 0, 0), document{"meter_age_ms": n(5000), "inflight": n(0)}),
			admittedAs("fanout", "admit_probe", "probe")},
		{"an idle window, probing off", "free path off, probe off",
			of("tool_fanout", fanoutDoc(0, 60000, 0, 0, 0, 0), document{"meter_age_ms": n(0), "inflight": n(0)}),
			rejected("fanout", drained, violation{"token_burn_vs_success", n(0), n(0)})},
		{"an idle window of a class that is off", "",
			of("tool_fanout", fanoutDoc(0, 60000, 0, 0, 0, 0), document{"meter_age_ms": n(0), "inflight": n(0), "class_enabled": false}),
			rejected("fanout", drained, violation{"class_disabled", false, true}, violation{"token_burn_vs_success", n(0), n(0)})},
		{"an idle window is not probed too deep, in any order", "shuffled precedence",
			of("tool_fanout", fanoutDoc(0, 60000, 0, 0, 2, 0), document{"meter_age_ms": n(0), "inflight": n(0)}),
			rejected("fanout", drained, violation{"token_burn_vs_success", n(0), n(0)}, violation{"tool_depth_over_limit", n(2), n(1)})},
		{"a reserved class that is off is reserved", "classes off and reserved", of("interactive", fanoutDoc(nil, nil, nil, nil, nil, nil), nil),
			rejected("fanout", "split_queues", violation{"class_reserved", true, false})},
		{"nobody declared the class", "", of("nobody", fanoutDoc(nil, nil, nil, nil, nil, nil), nil),
			rejected("fanout", "reject_class", violation{"class_unknown", "nobody", nil})},
	}
}

// fanoutBoundaries are both sides of every comparison of the gate.
func fanoutBoundaries() []boundary {
	plain := func() document { return fanoutDoc(1000, 90000, 4000, 2, 1, 0) }
	with := func(change document) func() document {
		return func() document {
			d := plain()
			for field, value := range change {
				place(d, field, value)
			}
			return d
		}
	}
	idle := func() document { return nominal("fanout")[1] }
	failed := with(document{"successes_in_window": int64(0)})
	const burn = "token_burn_vs_success"
	return []boundary{
		{"class", "tool_fanout", "nobody", "class_unknown", plain},
		{"class", "tool_fanout", "interactive", "class_reserved", plain},
		{"class_enabled", true, false, "class_disabled", plain},
		{"deadline_slack_ms", int64(60000), int64(59999), "slack_below_floor", plain},
		{"deadline_slack_ms", int64(60000), nil, "slack_below_floor", plain},
		{"tool_depth", int64(1), int64(2), "tool_depth_over_limit", plain},
		{"tool_depth", int64(0), nil, "tool_depth_over_limit", plain},
		{"max_depth", int64(1), int64(0), "tool_depth_over_limit", plain},
		{"tool_depth", int64(1), int64(2), "tool_depth_over_limit", with(document{"max_depth": int64(9)})},
		{"siblings", int64(2), int64(3), "siblings_over_limit", plain},
		{"siblings", gone, nil, "siblings_over_limit", plain},
		{"siblings", int64(1), int64(2), "siblings_over_limit", with(document{"max_siblings": int64(1)})},
		{"siblings", int64(2), int64(3), "siblings_over_limit", with(document{"max_siblings": int64(9)})},
		{"queue_age_ms", int64(15000), int64(15001), "queue_age_over_limit", plain},
		{"queue_age_ms", int64(0), nil, "queue_age_over_limit", plain},
		{"retries_in_window", int64(9), int64(10), "retry_amplification", failed},
		{"retries_in_window", int64(9), nil, "retry_amplification", failed},
		{"successes_in_window", int64(1), int64(0), "retry_amplification", with(document{"retries_in_window": nil})},
		{"successes_in_window", nil, int64(0), "retry_amplification", with(document{"retries_in_window": int64(10)})},
		{"tokens_in_window", int64(16000), int64(16001), burn, plain},
		{"tokens_in_window", int64(0), nil, burn, plain},
		{"successes_in_window", int64(1), int64(0), burn, with(document{"tokens_in_window": int64(0)})},
		{"successes_in_window", int64(1), nil, burn, plain},
		{"meter_age_ms", int64(5000), int64(5001), burn, plain},
		{"meter_age_ms", gone, nil, burn, plain},
		{"meter_age_ms", int64(5000), int64(5001), burn, idle},
		{"meter_age_ms", int64(0), gone, burn, idle},
		{"tokens_in_window", int64(0), int64(1), burn, idle},
		{"retries_in_window", int64(0), int64(1), burn, idle},
		{"inflight", int64(0), int64(1), burn, idle},
		{"inflight", int64(0), nil, burn, idle},
		{"inflight", int64(0), gone, burn, idle},
	}
}
