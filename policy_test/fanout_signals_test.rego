# Signals that nobody knows, limits of the caller, and what a class requires.
package admission.fanout_test

import data.admission.fanout
import data.admission.values_test as values

# The signal, and the row and action that it leaves when it is unknown.
signals := {
	"deadline_slack_ms": {
		"action": "drain",
		"row": {"reason": "slack_below_floor", "observed": null, "limit": 60000},
	},
	"tool_depth": {
		"action": "reject_class_and_drain",
		"row": {"reason": "tool_depth_over_limit", "observed": null, "limit": 1},
	},
	"queue_age_ms": {
		"action": "drain",
		"row": {"reason": "queue_age_over_limit", "observed": null, "limit": 15000},
	},
	"tokens_in_window": {
		"action": "reject_until_meter",
		"row": {"reason": "token_burn_vs_success", "observed": null, "limit": 16000},
	},
	"successes_in_window": {
		"action": "reject_until_meter",
		"row": {"reason": "token_burn_vs_success", "observed": 8000, "limit": null},
	},
}

test_unknown_signal_fails_its_check_and_is_named[name] if {
	some name, wanted in signals
	decide(object.union(nominal, {name: null})) == rejected(wanted.action, [wanted.row], [name])
	decide(object.remove(nominal, [name])) == rejected(wanted.action, [wanted.row], [name])
}

test_unknown_siblings_are_over_limit if {
	decide(object.union(nominal, {"siblings": null})) == rejected(
		"reject_class_and_drain",
		[{"reason": "siblings_over_limit", "observed": null, "limit": 2}],
		["siblings"],
	)
}

test_unknown_inflight_is_named_and_violates_nothing if {
	decision := decide(object.union(nominal, {"inflight": null}))
	decision.admit == true
	decision.unknown == ["inflight"]
}

test_unknown_tokens_wait_for_the_meter_without_successes_too if {
	decide(object.union(nominal, {"tokens_in_window": null, "successes_in_window": 0})) == rejected(
		"reject_until_meter",
		[{"reason": "token_burn_vs_success", "observed": null, "limit": 0}],
		["tokens_in_window"],
	)
}

test_unknown_is_sorted if {
	nulls := {
		"queue_age_ms": null,
		"deadline_slack_ms": null,
		"tokens_in_window": null,
		"successes_in_window": null,
		"tool_depth": null,
		"retries_in_window": null,
		"siblings": null,
		"inflight": null,
		"meter_age_ms": null,
	}
	decision := decide(object.union(nominal, nulls))
	decision.unknown == [
		"deadline_slack_ms",
		"inflight",
		"meter_age_ms",
		"queue_age_ms",
		"retries_in_window",
		"siblings",
		"successes_in_window",
		"tokens_in_window",
		"tool_depth",
	]
	reasons(decision) == [
		"slack_below_floor",
		"tool_depth_over_limit",
		"siblings_over_limit",
		"queue_age_over_limit",
		"token_burn_vs_success",
	]
}

test_meter_at_its_maximum_age_is_a_reading if {
	decide(object.union(nominal, {"meter_age_ms": 5000})) == admitted("keep_worker_cap_depth")
}

test_stale_meter_is_no_reading[note] if {
	some note, tc in {"over its maximum": {"age": 5001, "unknown": []}, "unknown": {"age": null, "unknown": ["meter_age_ms"]}}
	decide(object.union(nominal, {"meter_age_ms": tc.age})) == rejected(
		"reject_until_meter",
		[{"reason": "token_burn_vs_success", "observed": null, "limit": null}],
		tc.unknown,
	)
}

test_stale_meter_does_not_know_of_amplification if {
	stale := object.union(nominal, {"successes_in_window": 0, "retries_in_window": 14, "meter_age_ms": 5001})
	reasons(decide(stale)) == ["token_burn_vs_success"]
}

test_own_limit_tightens[note] if {
	some note, tc in {
		"depth": {"patch": {"max_depth": 0}, "row": {"reason": "tool_depth_over_limit", "observed": 1, "limit": 0}},
		"siblings": {
			"patch": {"siblings": 2, "max_siblings": 1},
			"row": {"reason": "siblings_over_limit", "observed": 2, "limit": 1},
		},
	}
	decide(object.union(nominal, tc.patch)) == rejected("reject_class_and_drain", [tc.row], [])
}

test_own_limit_that_is_tighter_still_admits_at_it[note] if {
	some note, patch in {"depth": {"tool_depth": 0, "max_depth": 0}, "siblings": {"siblings": 1, "max_siblings": 1}}
	decide(object.union(nominal, patch)).admit == true
}

test_own_limit_never_loosens[note] if {
	some note, tc in {
		"depth": {
			"patch": {"tool_depth": 2, "max_depth": 9},
			"row": {"reason": "tool_depth_over_limit", "observed": 2, "limit": 1},
		},
		"siblings": {
			"patch": {"siblings": 3, "max_siblings": 9},
			"row": {"reason": "siblings_over_limit", "observed": 3, "limit": 2},
		},
	}
	decide(object.union(nominal, tc.patch)) == rejected("reject_class_and_drain", [tc.row], [])
}

test_own_limit_of_the_wrong_type_violates_its_check[name][kind] if {
	some name, row in {
		"max_depth": {"reason": "tool_depth_over_limit", "observed": 1, "limit": null},
		"max_siblings": {"reason": "siblings_over_limit", "observed": 0, "limit": null},
		"class_enabled": {"reason": "class_disabled", "observed": false, "limit": true},
	}
	some kind, value in {"a string": "9", "null": null, "an object": {}}
	decide(object.union(nominal, {"siblings": 0, name: value})).violations == [values.refusal, row]
}

test_own_limit_of_siblings_asks_nothing_without_siblings if {
	decide(object.union(nominal, {"max_siblings": 0})).admit == true
}

test_signal_that_is_not_required_is_not_held_against_the_work[name] if {
	some name in object.keys(signals)
	decision := decide(object.union(nominal, {"class": "undemanding", name: null}))
	decision.admit == true
	decision.action == "keep_worker_cap_depth"
	decision.unknown == [name]
}

test_unknown_retries_that_are_not_required_are_no_amplification if {
	decision := decide(object.union(nominal, {"class": "undemanding", "successes_in_window": 0, "retries_in_window": null}))
	reasons(decision) == ["token_burn_vs_success"]
}

test_signal_that_is_not_required_is_checked_when_known if {
	worst := {
		"class": "undemanding",
		"queue_age_ms": 15001,
		"deadline_slack_ms": 59999,
		"tool_depth": 2,
		"successes_in_window": 0,
		"retries_in_window": 10,
	}
	reasons(decide(object.union(nominal, worst))) == [
		"slack_below_floor",
		"tool_depth_over_limit",
		"queue_age_over_limit",
		"retry_amplification",
		"token_burn_vs_success",
	]
	decide(object.union(nominal, {"class": "undemanding", "tokens_in_window": 16001})).reason == "token_burn_vs_success"
}

test_no_success_is_infinite_burn_whatever_is_required if {
	decide(object.union(nominal, {"class": "undemanding", "successes_in_window": 0, "tokens_in_window": null})).violations == [
		{"reason": "token_burn_vs_success", "observed": null, "limit": 0},
	]
}

test_class_without_a_queue_is_still_held_to_its_meter if {
	agent := object.union(nominal, {"class": "coding_agent", "queue_age_ms": null, "deadline_slack_ms": null})
	decision := decide(object.union(agent, {"meter_age_ms": 5000}))
	decision.admit == true
	decision.action == "keep_worker_cap_depth"
	decision.unknown == ["deadline_slack_ms", "queue_age_ms"]
	decide(agent) == rejected(
		"reject_until_meter",
		[{"reason": "token_burn_vs_success", "observed": null, "limit": null}],
		["deadline_slack_ms", "meter_age_ms", "queue_age_ms"],
	)
}

test_one_required_half_of_the_burn_is_enough_to_wait_for_the_meter[note] if {
	some note, tc in {
		"tokens": {"requires": ["tokens_in_window"], "limit": 16000, "observed": null},
		"successes": {"requires": ["successes_in_window"], "limit": null, "observed": 8000},
	}
	decision := fanout.decision with input as object.union(nominal, {sprintf("%s_in_window", [note]): null})
		with data.fanout as thresholds
		with data.classes as {"tool_fanout": object.union(classes.tool_fanout, {"requires": tc.requires})}
	decision.action == "reject_until_meter"
	decision.violations == [{"reason": "token_burn_vs_success", "observed": tc.observed, "limit": tc.limit}]
}

test_required_optional_signal_is_unknown_when_absent[name] if {
	some name, tc in {
		"siblings": {
			"action": "reject_class_and_drain",
			"row": {"reason": "siblings_over_limit", "observed": null, "limit": 2},
		},
		"meter_age_ms": {
			"action": "reject_until_meter",
			"row": {"reason": "token_burn_vs_success", "observed": null, "limit": null},
		},
	}
	demanding := object.union(nominal, {"class": "demanding", "siblings": 0, "meter_age_ms": 0})
	decide(object.remove(demanding, [name])) == rejected(tc.action, [tc.row], [name])
}
