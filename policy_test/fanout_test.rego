package admission.fanout_test

import data.admission.fanout
import data.admission.values_test as values

thresholds := {
	"retry_amplification_min": 10,
	"probe_when_idle": true,
	"meter_max_age_ms": 5000,
	"precedence": [
		"class_unknown",
		"class_disabled",
		"class_reserved",
		"slack_below_floor",
		"tool_depth_over_limit",
		"siblings_over_limit",
		"queue_age_over_limit",
		"retry_amplification",
		"token_burn_vs_success",
	],
}

reject_when := {"queue_age_ms": 15000, "slack_ms_below": 60000, "tokens_per_success_est": 8000}

classes := {
	"tool_fanout": {"max_depth": 1, "max_siblings": 2, "reject_when": reject_when},
	"switched_off": {"enabled": false, "max_depth": 1, "max_siblings": 2, "reject_when": reject_when},
	"switched_on": {"enabled": true, "reserved": false, "max_depth": 1, "max_siblings": 2, "reject_when": reject_when},
	"interactive": {"max_depth": 0, "reserved": true},
	"undemanding": {"requires": [], "max_depth": 1, "max_siblings": 2, "reject_when": reject_when},
	"demanding": {
		"requires": [
			"queue_age_ms",
			"deadline_slack_ms",
			"tokens_in_window",
			"successes_in_window",
			"tool_depth",
			"retries_in_window",
			"siblings",
			"meter_age_ms",
		],
		"max_depth": 1,
		"max_siblings": 2,
		"reject_when": reject_when,
	},
	# No queue and no deadline, but a meter that must be live.
	"coding_agent": {
		"requires": [
			"tokens_in_window",
			"successes_in_window",
			"tool_depth",
			"retries_in_window",
			"meter_age_ms",
		],
		"max_depth": 1,
		"max_siblings": 2,
		"reject_when": reject_when,
	},
}

nominal := {
	"gate": "fanout",
	"class": "tool_fanout",
	"queue_age_ms": 3000,
	"deadline_slack_ms": 90000,
	"tokens_in_window": 8000,
	"successes_in_window": 2,
	"tool_depth": 1,
	"retries_in_window": 0,
}

# A class whose window has run empty, with a live meter: it may be probed.
idle := object.union(nominal, {
	"tokens_in_window": 0,
	"successes_in_window": 0,
	"retries_in_window": 0,
	"inflight": 0,
	"meter_age_ms": 1000,
})

# The source document's evidence of 02:14.
probe := object.union(nominal, {
	"queue_age_ms": 47012,
	"tokens_in_window": 24110,
	"successes_in_window": 1,
	"tool_depth": 2,
	"retries_in_window": 14,
})

decide(document) := decide_with(document, {})

decide_with(document, changes) := decision if {
	decision := fanout.decision with input as document
		with data.fanout as object.union(thresholds, changes)
		with data.classes as classes
}

of(class) := {"class": class}

admitted(action) := {
	"gate": "fanout",
	"admit": true,
	"reason": "admit",
	"action": action,
	"violations": [],
	"effects": [],
	"unknown": [],
}

probed := object.union(admitted("probe"), {"reason": "admit_probe"})

rejected(action, violations, unknown) := {
	"gate": "fanout",
	"admit": false,
	"reason": violations[0].reason,
	"action": action,
	"violations": violations,
	"effects": [],
	"unknown": unknown,
}

reasons(decision) := [violation.reason | some violation in decision.violations]

test_work_within_every_limit_keeps_its_worker[note] if {
	some note, document in {
		"six numbers": nominal,
		"no gate named": object.remove(nominal, ["gate"]),
		"everything known": object.union(nominal, {"siblings": 2, "inflight": 1, "meter_age_ms": 5000, "class_enabled": true}),
		"class switched on": object.union(nominal, of("switched_on")),
		"class that requires nothing": object.union(nominal, of("undemanding")),
		"class that requires everything": object.union(nominal, {"class": "demanding", "siblings": 0, "meter_age_ms": 0}),
	}
	decide(document) == admitted("keep_worker_cap_depth")
}

test_queue_past_half_its_limit_is_watched if {
	decide(object.union(nominal, {"queue_age_ms": 7500})) == admitted("keep_worker_cap_depth")
	decide(object.union(nominal, {"queue_age_ms": 7501})) == admitted("keep_one_worker_watch_slack")
}

test_unknown_class_is_the_only_violation if {
	worst := object.union(probe, {"class": "tool_fan_out", "class_enabled": false, "deadline_slack_ms": null})
	decide(worst) == rejected(
		"reject_class",
		[{"reason": "class_unknown", "observed": "tool_fan_out", "limit": null}],
		[],
	)
}

test_reserved_class_is_the_only_violation if {
	worst := object.union(probe, {"class": "interactive", "class_enabled": false, "deadline_slack_ms": null})
	decide(worst) == rejected(
		"split_queues",
		[{"reason": "class_reserved", "observed": true, "limit": false}],
		[],
	)
}

test_class_switched_off_is_drained[note] if {
	some note, patch in {
		"by thresholds": of("switched_off"),
		"by the document": {"class_enabled": false},
		"by the document over thresholds": {"class": "switched_on", "class_enabled": false},
		"by thresholds over the document": {"class": "switched_off", "class_enabled": true},
	}
	decide(object.union(nominal, patch)) == rejected(
		"reject_class_and_drain",
		[{"reason": "class_disabled", "observed": false, "limit": true}],
		[],
	)
}

test_other_checks_of_a_class_that_is_off_still_count if {
	decide(object.union(probe, of("switched_off"))).violations == [
		{"reason": "class_disabled", "observed": false, "limit": true},
		{"reason": "tool_depth_over_limit", "observed": 2, "limit": 1},
		{"reason": "queue_age_over_limit", "observed": 47012, "limit": 15000},
		{"reason": "token_burn_vs_success", "observed": 24110, "limit": 8000},
	]
}

test_slack_at_the_floor_admits if decide(object.union(nominal, {"deadline_slack_ms": 60000})).admit == true

test_slack_below_the_floor_drains if {
	decide(object.union(nominal, {"deadline_slack_ms": 59999})) == rejected(
		"drain",
		[{"reason": "slack_below_floor", "observed": 59999, "limit": 60000}],
		[],
	)
}

test_depth_over_limit_drains_the_class if {
	decide(object.union(nominal, {"tool_depth": 2})) == rejected(
		"reject_class_and_drain",
		[{"reason": "tool_depth_over_limit", "observed": 2, "limit": 1}],
		[],
	)
}

test_siblings_at_limit_admit if decide(object.union(nominal, {"siblings": 2})).admit == true

test_siblings_over_limit_drain_the_class if {
	decide(object.union(nominal, {"siblings": 3})) == rejected(
		"reject_class_and_drain",
		[{"reason": "siblings_over_limit", "observed": 3, "limit": 2}],
		[],
	)
}

test_queue_age_at_limit_admits if decide(object.union(nominal, {"queue_age_ms": 15000})).admit == true

test_queue_age_over_limit_drains if {
	decide(object.union(nominal, {"queue_age_ms": 15001})) == rejected(
		"drain",
		[{"reason": "queue_age_over_limit", "observed": 15001, "limit": 15000}],
		[],
	)
}

test_retries_without_successes_are_load_below_the_minimum if {
	decide(object.union(nominal, {"successes_in_window": 0, "retries_in_window": 9})) == rejected(
		"reject_class_and_drain",
		[{"reason": "token_burn_vs_success", "observed": 8000, "limit": 0}],
		[],
	)
}

test_retries_without_successes_are_amplification_from_the_minimum if {
	decide(object.union(nominal, {"successes_in_window": 0, "retries_in_window": 10})) == rejected(
		"reject_class_and_drain",
		[
			{"reason": "retry_amplification", "observed": 10, "limit": 10},
			{"reason": "token_burn_vs_success", "observed": 8000, "limit": 0},
		],
		[],
	)
}

test_retries_with_a_success_are_no_amplification[note] if {
	some note, retries in {"many": 1048576, "unknown": null}
	decide(object.union(nominal, {"successes_in_window": 1, "retries_in_window": retries})).admit == true
}

test_unknown_retries_without_successes_are_amplification if {
	decide(object.union(nominal, {"successes_in_window": 0, "retries_in_window": null})) == rejected(
		"reject_class_and_drain",
		[
			{"reason": "retry_amplification", "observed": null, "limit": 10},
			{"reason": "token_burn_vs_success", "observed": 8000, "limit": 0},
		],
		["retries_in_window"],
	)
}

test_tokens_at_limit_admit if decide(object.union(nominal, {"tokens_in_window": 16000})).admit == true

test_tokens_over_limit_drain_the_class if {
	decide(object.union(nominal, {"tokens_in_window": 16001})) == rejected(
		"reject_class_and_drain",
		[{"reason": "token_burn_vs_success", "observed": 16001, "limit": 16000}],
		[],
	)
}

test_no_success_is_infinite_burn_even_without_tokens if {
	decide(object.union(nominal, {"successes_in_window": 0, "tokens_in_window": 0})) == rejected(
		"reject_class_and_drain",
		[{"reason": "token_burn_vs_success", "observed": 0, "limit": 0}],
		[],
	)
}

test_all_violations_are_listed_in_precedence_order if {
	worst := {
		"class_enabled": false,
		"deadline_slack_ms": 5000,
		"siblings": 3,
		"successes_in_window": 0,
	}
	decide(object.union(probe, worst)) == rejected(
		"reject_class_and_drain",
		[
			{"reason": "class_disabled", "observed": false, "limit": true},
			{"reason": "slack_below_floor", "observed": 5000, "limit": 60000},
			{"reason": "tool_depth_over_limit", "observed": 2, "limit": 1},
			{"reason": "siblings_over_limit", "observed": 3, "limit": 2},
			{"reason": "queue_age_over_limit", "observed": 47012, "limit": 15000},
			{"reason": "retry_amplification", "observed": 14, "limit": 10},
			{"reason": "token_burn_vs_success", "observed": 24110, "limit": 0},
		],
		[],
	)
}

test_precedence_is_data_and_what_it_leaves_out_sorts_after_by_name if {
	decision := decide_with(probe, {"precedence": ["token_burn_vs_success"]})
	decision.action == "reject_class_and_drain"
	reasons(decision) == ["token_burn_vs_success", "queue_age_over_limit", "tool_depth_over_limit"]
}

test_missing_class_is_refused if {
	decide(object.remove(nominal, ["class"])).violations == [
		values.refusal,
		{"reason": "class_unknown", "observed": null, "limit": null},
	]
}

malformed_signals := {
	"/queue_age_ms": values.no_amount,
	"/deadline_slack_ms": values.no_slack,
	"/tokens_in_window": values.no_amount,
	"/successes_in_window": values.no_count,
	"/tool_depth": values.no_count,
	"/retries_in_window": values.no_count,
}

malformed := {
	"/gate": object.union(values.no_word, {"null": null, "another gate": "fence"}),
	"/class": object.union(values.no_identifier, values.null_value),
	"/siblings": values.no_count,
	"/inflight": values.no_count,
	"/meter_age_ms": values.no_amount,
	"/class_enabled": object.union(values.no_boolean, values.null_value),
	"/max_depth": object.union(values.no_count, values.null_value),
	"/max_siblings": object.union(values.no_count, values.null_value),
}

test_malformed_signal_is_refused[path][kind] if {
	some path, wrong in malformed_signals
	some kind, value in wrong
	values.refused(decide(values.put(nominal, path, value)))
}

test_malformed_field_is_refused[path][kind] if {
	some path, wrong in malformed
	some kind, value in wrong
	values.refused(decide(values.put(nominal, path, value)))
}

test_malformed_field_of_a_class_that_reads_none_is_refused_too[class] if {
	some class in ["interactive", "no_such_class"]
	values.refused(decide(object.union(nominal, {"class": class, "tool_depth": "1"})))
}

test_no_document_is_refused[note] if {
	some note, document in {"empty": {}, "an array": [], "null": null}
	values.refused(decide(document))
}

test_decision_without_a_usable_precedence_rejects if {
	decide_with(probe, {"precedence": null}) == {
		"gate": "fanout",
		"admit": false,
		"reason": "policy_undefined",
		"action": "reject",
		"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
		"effects": [],
		"unknown": [],
	}
}

# The source document's probe and injectors, under the thresholds as shipped.
test_documented_probe_rejects_depth_and_lists_all_three if {
	decision := fanout.decision with input as probe
	decision == rejected(
		"reject_class_and_drain",
		[
			{"reason": "tool_depth_over_limit", "observed": 2, "limit": 1},
			{"reason": "queue_age_over_limit", "observed": 47012, "limit": 15000},
			{"reason": "token_burn_vs_success", "observed": 24110, "limit": 8000},
		],
		[],
	)
}

# The source document's code asks for the age before the depth, and for amplification last.
test_documented_probe_under_the_order_of_its_code_rejects_age if {
	decision := fanout.decision with input as probe
		with data.fanout.precedence as [
			"slack_below_floor",
			"queue_age_over_limit",
			"tool_depth_over_limit",
			"token_burn_vs_success",
			"retry_amplification",
		]
	decision.reason == "queue_age_over_limit"
	decision.action == "drain"
	reasons(decision) == ["queue_age_over_limit", "tool_depth_over_limit", "token_burn_vs_success"]
}

test_documented_injector_of_nested_fanout if {
	decision := fanout.decision with input as object.union(nominal, {"tool_depth": 2, "siblings": 2})
	decision.reason == "tool_depth_over_limit"
}

test_documented_injector_of_a_retry_storm if {
	decision := fanout.decision with input as object.union(nominal, {"successes_in_window": 0, "retries_in_window": 20})
	decision.reason == "retry_amplification"
}

test_documented_injector_of_a_slow_tool if {
	slow := fanout.decision with input as object.union(nominal, {"queue_age_ms": 15000})
	slow == admitted("keep_one_worker_watch_slack")
	slower := fanout.decision with input as object.union(nominal, {"queue_age_ms": 15001})
	slower.reason == "queue_age_over_limit"
}

test_documented_injector_of_a_dropped_meter if {
	decision := fanout.decision with input as object.union(nominal, {"tokens_in_window": null, "successes_in_window": null})
	decision == rejected(
		"reject_until_meter",
		[{"reason": "token_burn_vs_success", "observed": null, "limit": null}],
		["successes_in_window", "tokens_in_window"],
	)
}
