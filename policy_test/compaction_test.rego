package admission.compaction_test

import data.admission.compaction
import data.admission.values_test as values

thresholds := {
	"enabled": true,
	"free_path": "enabled",
	"token_ceiling": 5000,
	"max_retries": 2,
	"console_max_age_ms": 300000,
	"requires": [],
	"precedence": [
		"reject_disabled",
		"reject_stale",
		"reject_free_path_dark",
		"reject_uncancelable",
		"reject_same_turn",
		"reject_already_compacted",
		"reject_turn_has_job",
		"reject_slack",
		"reject_retries",
		"reject_tokens",
	],
}

nominal := {
	"gate": "compaction",
	"slack_ms": 9000,
	"queue_age_ms": 1200,
	"est_gen_ms": 1500,
	"est_tokens": 800,
	"retry_count": 0,
	"token_ceiling": 5000,
	"transcript_version": 9,
	"latest_version": 9,
}

free := object.union(nominal, {"path": "free", "cancelable": true, "same_turn": false, "console_age_ms": 60000})

paid := object.union(nominal, {"path": "paid"})

counted_in_characters := object.union(object.remove(nominal, ["est_tokens"]), {"transcript_chars": 3200})

decide(document) := decide_with(document, {})

decide_with(document, changes) := decision if {
	decision := compaction.decision with input as document with data.compaction as object.union(thresholds, changes)
}

submitted := {
	"gate": "compaction",
	"admit": true,
	"reason": "admit",
	"action": "submit",
	"violations": [],
	"effects": [],
	"unknown": [],
}

rejected(action, violations, unknown) := {
	"gate": "compaction",
	"admit": false,
	"reason": violations[0].reason,
	"action": action,
	"violations": violations,
	"effects": [],
	"unknown": unknown,
}

reasons(decision) := [violation.reason | some violation in decision.violations]

test_current_job_inside_slack_and_under_ceiling_is_submitted[note] if {
	some note, document in {
		"no path named": nominal,
		"free path": free,
		"paid path": paid,
		"counted in characters": counted_in_characters,
		"no gate named": object.remove(nominal, ["gate"]),
	}
	decide(document) == submitted
}

test_disabled_rejects_everything if {
	decide_with(nominal, {"enabled": false}) == rejected(
		"serve_uncompacted",
		[{"reason": "reject_disabled", "observed": false, "limit": true}],
		[],
	)
}

test_version_that_differs_either_way_is_stale[note] if {
	some note, version in {"behind": 8, "ahead": 10}
	decide(object.union(nominal, {"transcript_version": version})) == rejected(
		"drop_and_ack",
		[{"reason": "reject_stale", "observed": version, "limit": 9}],
		[],
	)
}

test_unknown_latest_version_is_stale[note] if {
	some note, document in {
		"null": object.union(nominal, {"latest_version": null}),
		"absent": object.remove(nominal, ["latest_version"]),
	}
	decide(document) == rejected(
		"drop_and_ack",
		[{"reason": "reject_stale", "observed": 9, "limit": null}],
		["latest_version"],
	)
}

test_disabled_free_path_sheds_what_is_not_paid[note] if {
	some note, document in {
		"no path named": nominal,
		"free path": free,
		"free path, old reading": object.union(free, {"console_age_ms": 300001}),
	}
	decide_with(document, {"free_path": "disabled"}) == rejected(
		"serve_uncompacted",
		[{"reason": "reject_free_path_dark", "observed": "disabled", "limit": "enabled"}],
		[],
	)
}

test_disabled_free_path_leaves_the_paid_one if decide_with(paid, {"free_path": "disabled"}) == submitted

test_console_age_at_maximum_is_submitted if decide(object.union(free, {"console_age_ms": 300000})) == submitted

test_console_age_over_maximum_leaves_the_free_path_dark if {
	decide(object.union(free, {"console_age_ms": 300001})) == rejected(
		"serve_uncompacted",
		[{"reason": "reject_free_path_dark", "observed": 300001, "limit": 300000}],
		[],
	)
}

test_uncancelable_work_is_kept_off_the_free_path if {
	decide(object.union(free, {"cancelable": false})) == rejected(
		"serve_uncompacted",
		[{"reason": "reject_uncancelable", "observed": false, "limit": true}],
		[],
	)
}

test_work_of_this_turn_is_kept_off_the_free_path if {
	decide(object.union(free, {"same_turn": true})) == rejected(
		"serve_uncompacted",
		[{"reason": "reject_same_turn", "observed": true, "limit": false}],
		[],
	)
}

free_signals := {
	"console_age_ms": {"reason": "reject_free_path_dark", "observed": null, "limit": 300000},
	"cancelable": {"reason": "reject_uncancelable", "observed": null, "limit": true},
	"same_turn": {"reason": "reject_same_turn", "observed": null, "limit": false},
}

test_unknown_signal_of_the_free_path_fails_its_check[name] if {
	some name, violation in free_signals
	decide(object.union(free, {name: null})) == rejected("serve_uncompacted", [violation], [name])
}

test_absent_signal_of_the_free_path_is_unknown[name] if {
	some name, violation in free_signals
	decide(object.remove(free, [name])) == rejected("serve_uncompacted", [violation], [name])
}

test_checks_of_the_free_path_ask_nothing_of_other_paths[note][signals] if {
	some note, document in {"paid": paid, "no path named": nominal}
	some signals, patch in {
		"bad": {"cancelable": false, "same_turn": true, "console_age_ms": 300001},
		"null": {"cancelable": null, "same_turn": null, "console_age_ms": null},
	}
	decide(object.union(document, patch)) == submitted
}

test_version_compacted_already_is_dropped if {
	decide(object.union(nominal, {"last_compacted_version": 9})) == rejected(
		"drop_and_ack",
		[{"reason": "reject_already_compacted", "observed": 9, "limit": 9}],
		[],
	)
}

test_version_beside_the_one_compacted_last_is_submitted[note] if {
	some note, version in {"behind": 8, "ahead": 10}
	decide(object.union(nominal, {"last_compacted_version": version})) == submitted
}

test_turn_without_a_job_is_submitted if decide(object.union(nominal, {"jobs_this_turn": 0})) == submitted

test_turn_that_has_a_job_drops_the_next[note] if {
	some note, jobs in {"one": 1, "two": 2}
	decide(object.union(nominal, {"jobs_this_turn": jobs})) == rejected(
		"drop_and_ack",
		[{"reason": "reject_turn_has_job", "observed": jobs, "limit": 1}],
		[],
	)
}

test_projection_one_below_slack_is_submitted if decide(object.union(nominal, {"queue_age_ms": 7499})) == submitted

test_projection_equal_to_slack_keeps_the_last_summary if {
	decide(object.union(nominal, {"queue_age_ms": 7500})) == rejected(
		"keep_last_summary",
		[{"reason": "reject_slack", "observed": 9000, "limit": 9000}],
		[],
	)
}

test_deadline_that_has_passed_keeps_the_last_summary if {
	decide(object.union(nominal, {"slack_ms": -1, "queue_age_ms": 0, "est_gen_ms": 0})) == rejected(
		"keep_last_summary",
		[{"reason": "reject_slack", "observed": 0, "limit": -1}],
		[],
	)
}

test_unknown_slack_or_age_keeps_the_last_summary[name] if {
	some name, violation in {
		"slack_ms": {"reason": "reject_slack", "observed": 2700, "limit": null},
		"queue_age_ms": {"reason": "reject_slack", "observed": null, "limit": 9000},
	}
	decide(object.union(nominal, {name: null})) == rejected("keep_last_summary", [violation], [name])
	decide(object.remove(nominal, [name])) == rejected("keep_last_summary", [violation], [name])
}

test_retries_at_maximum_are_submitted if decide(object.union(nominal, {"retry_count": 2})) == submitted

test_retries_over_maximum_stop if {
	decide(object.union(nominal, {"retry_count": 3})) == rejected(
		"stop_retries_for_version",
		[{"reason": "reject_retries", "observed": 3, "limit": 2}],
		[],
	)
}

test_spend_equal_to_the_ceiling_is_submitted if {
	decide(object.union(nominal, {"retry_count": 1, "est_tokens": 2500})) == submitted
}

test_spend_over_the_ceiling_stops if {
	decide(object.union(nominal, {"retry_count": 1, "est_tokens": 2501})) == rejected(
		"stop_retries_for_version",
		[{"reason": "reject_tokens", "observed": 5002, "limit": 5000}],
		[],
	)
}

test_own_ceiling_tightens if {
	decide(object.union(nominal, {"token_ceiling": 800})) == submitted
	decide(object.union(nominal, {"token_ceiling": 799})) == rejected(
		"stop_retries_for_version",
		[{"reason": "reject_tokens", "observed": 800, "limit": 799}],
		[],
	)
}

test_own_ceiling_never_loosens if {
	decide(object.union(nominal, {"token_ceiling": 90000, "est_tokens": 5000})) == submitted
	decide(object.union(nominal, {"token_ceiling": 90000, "est_tokens": 5001})) == rejected(
		"stop_retries_for_version",
		[{"reason": "reject_tokens", "observed": 5001, "limit": 5000}],
		[],
	)
}

test_own_ceiling_of_the_wrong_type_violates_its_check[kind] if {
	some kind, value in object.union(values.no_number, values.null_value)
	decision := decide(object.union(nominal, {"token_ceiling": value}))
	decision.violations == [values.refusal, {"reason": "reject_tokens", "observed": 800, "limit": null}]
}

test_characters_count_a_token_for_every_four_rounded_up if {
	decide(object.union(counted_in_characters, {"transcript_chars": 20000})) == submitted
	decide(object.union(counted_in_characters, {"transcript_chars": 20001})) == rejected(
		"stop_retries_for_version",
		[{"reason": "reject_tokens", "observed": 5001, "limit": 5000}],
		[],
	)
}

test_largest_spend_is_exact if {
	decision := decide(object.union(nominal, {"est_tokens": 1099511627776, "retry_count": 1048576}))
	decision.violations == [
		{"reason": "reject_retries", "observed": 1048576, "limit": 2},
		{"reason": "reject_tokens", "observed": 1152922604118474752, "limit": 5000},
	]
}

# Everything wrong at once.
worst := object.union(free, {
	"transcript_version": 7,
	"console_age_ms": 300001,
	"cancelable": false,
	"same_turn": true,
	"last_compacted_version": 7,
	"jobs_this_turn": 1,
	"queue_age_ms": 11000,
	"retry_count": 6,
})

test_all_violations_are_listed_in_precedence_order if {
	decide_with(worst, {"enabled": false}) == rejected(
		"serve_uncompacted",
		[
			{"reason": "reject_disabled", "observed": false, "limit": true},
			{"reason": "reject_stale", "observed": 7, "limit": 9},
			{"reason": "reject_free_path_dark", "observed": 300001, "limit": 300000},
			{"reason": "reject_uncancelable", "observed": false, "limit": true},
			{"reason": "reject_same_turn", "observed": true, "limit": false},
			{"reason": "reject_already_compacted", "observed": 7, "limit": 7},
			{"reason": "reject_turn_has_job", "observed": 1, "limit": 1},
			{"reason": "reject_slack", "observed": 12500, "limit": 9000},
			{"reason": "reject_retries", "observed": 6, "limit": 2},
			{"reason": "reject_tokens", "observed": 5600, "limit": 5000},
		],
		[],
	)
}

test_precedence_is_data_and_what_it_leaves_out_sorts_after_by_name if {
	decision := decide_with(worst, {"precedence": ["reject_tokens", "reject_slack"]})
	decision.action == "stop_retries_for_version"
	reasons(decision) == [
		"reject_tokens",
		"reject_slack",
		"reject_already_compacted",
		"reject_free_path_dark",
		"reject_retries",
		"reject_same_turn",
		"reject_stale",
		"reject_turn_has_job",
		"reject_uncancelable",
	]
}

test_unknown_is_sorted if {
	nulls := {
		"slack_ms": null,
		"queue_age_ms": null,
		"latest_version": null,
		"cancelable": null,
		"same_turn": null,
		"console_age_ms": null,
	}
	decide(object.union(free, nulls)).unknown == [
		"cancelable",
		"console_age_ms",
		"latest_version",
		"queue_age_ms",
		"same_turn",
		"slack_ms",
	]
}

test_rollback_block_sheds_every_job if {
	rollback := {"enabled": false, "free_path": "disabled", "token_ceiling": 0, "max_retries": 0}
	decision := decide_with(object.union(nominal, {"retry_count": 1}), rollback)
	decision.violations == [
		{"reason": "reject_disabled", "observed": false, "limit": true},
		{"reason": "reject_free_path_dark", "observed": "disabled", "limit": "enabled"},
		{"reason": "reject_retries", "observed": 1, "limit": 0},
		{"reason": "reject_tokens", "observed": 1600, "limit": 0},
	]
	decision.action == "serve_uncompacted"
	reasons(decide_with(object.union(paid, {"est_tokens": 0}), rollback)) == ["reject_disabled"]
}

test_required_field_that_is_absent_fails_its_check_and_is_named[name] if {
	some name, row in {
		"jobs_this_turn": {"reason": "reject_turn_has_job", "observed": null, "limit": 1},
		"last_compacted_version": {"reason": "reject_already_compacted", "observed": null, "limit": 9},
	}
	decide_with(nominal, {"requires": [name]}) == rejected("drop_and_ack", [row], [name])
}

test_required_fields_that_are_there_are_checked_as_ever if {
	required := {"requires": ["jobs_this_turn", "last_compacted_version"]}
	decide_with(object.union(nominal, {"jobs_this_turn": 0, "last_compacted_version": 8}), required) == submitted
	reasons(decide_with(object.union(nominal, {"jobs_this_turn": 1, "last_compacted_version": 9}), required)) == [
		"reject_already_compacted",
		"reject_turn_has_job",
	]
	decide_with(nominal, required).unknown == ["jobs_this_turn", "last_compacted_version"]
}

test_missing_field_is_refused[name] if {
	some name in ["est_gen_ms", "est_tokens", "retry_count", "token_ceiling", "transcript_version"]
	values.refused(decide(object.remove(nominal, [name])))
}

# What a missing field proves nothing about is violated besides.
test_missing_field_fails_its_checks_too[name] if {
	some name, row in {
		"est_gen_ms": {"reason": "reject_slack", "observed": null, "limit": 9000},
		"est_tokens": {"reason": "reject_tokens", "observed": null, "limit": 5000},
		"token_ceiling": {"reason": "reject_tokens", "observed": 800, "limit": null},
		"transcript_version": {"reason": "reject_stale", "observed": null, "limit": 9},
	}
	decide(object.remove(nominal, [name])).violations == [values.refusal, row]
}

test_missing_retry_count_fails_retries_and_tokens if {
	decide(object.remove(nominal, ["retry_count"])).violations == [
		values.refusal,
		{"reason": "reject_retries", "observed": null, "limit": 2},
		{"reason": "reject_tokens", "observed": null, "limit": 5000},
	]
}

test_both_estimates_at_once_are_refused[note] if {
	some note, patch in {
		"both": {"transcript_chars": 3200},
		"one of them null": {"transcript_chars": null},
		"the other null": {"est_tokens": null, "transcript_chars": 3200},
	}
	values.refused(decide(object.union(nominal, patch)))
}

malformed_signals := {
	"/slack_ms": values.no_slack,
	"/queue_age_ms": values.no_amount,
	"/latest_version": values.no_version,
	"/cancelable": values.no_boolean,
	"/same_turn": values.no_boolean,
	"/console_age_ms": values.no_amount,
}

malformed := {
	"/gate": object.union(values.no_word, {"null": null, "another gate": "fence"}),
	"/est_gen_ms": object.union(values.no_amount, values.null_value),
	"/est_tokens": object.union(values.no_amount, values.null_value),
	"/retry_count": object.union(values.no_count, values.null_value),
	"/token_ceiling": object.union(values.no_amount, values.null_value),
	"/transcript_version": object.union(values.no_version, values.null_value),
	"/path": object.union(values.no_word, {"null": null, "upper case": "Free"}),
	"/jobs_this_turn": object.union(values.no_count, values.null_value),
	"/last_compacted_version": object.union(values.no_version, values.null_value),
}

test_malformed_signal_is_refused[path][kind] if {
	some path, wrong in malformed_signals
	some kind, value in wrong
	values.refused(decide(values.put(free, path, value)))
}

test_malformed_field_is_refused[path][kind] if {
	some path, wrong in malformed
	some kind, value in wrong
	values.refused(decide(values.put(free, path, value)))
}

test_malformed_characters_are_refused[kind] if {
	some kind, value in object.union(values.no_amount, values.null_value)
	values.refused(decide(object.union(counted_in_characters, {"transcript_chars": value})))
}

test_no_document_is_refused[note] if {
	some note, document in {"empty": {}, "an array": [], "null": null}
	values.refused(decide(document))
}

test_decision_without_a_usable_precedence_rejects if {
	decide_with(worst, {"precedence": null}) == {
		"gate": "compaction",
		"admit": false,
		"reason": "policy_undefined",
		"action": "reject",
		"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
		"effects": [],
		"unknown": [],
	}
}

# The source document's drill, under the thresholds as shipped.
drill(slack, age, gen, tokens, retries, ceiling, version, latest) := decision if {
	decision := compaction.decision with input as {
		"gate": "compaction",
		"slack_ms": slack,
		"queue_age_ms": age,
		"est_gen_ms": gen,
		"est_tokens": tokens,
		"retry_count": retries,
		"token_ceiling": ceiling,
		"transcript_version": version,
		"latest_version": latest,
	}
}

test_documented_case_one_is_stale_so_age_never_matters if {
	drill(4000, 11000, 1500, 800, 0, 5000, 7, 9) == rejected(
		"drop_and_ack",
		[
			{"reason": "reject_stale", "observed": 7, "limit": 9},
			{"reason": "reject_slack", "observed": 12500, "limit": 4000},
		],
		[],
	)
}

test_documented_case_one_on_the_current_version_is_late if {
	drill(4000, 11000, 1500, 800, 0, 5000, 9, 9) == rejected(
		"keep_last_summary",
		[{"reason": "reject_slack", "observed": 12500, "limit": 4000}],
		[],
	)
}

test_documented_case_two_blows_the_ceiling if {
	drill(9000, 1200, 1500, 800, 2, 2000, 9, 9) == rejected(
		"stop_retries_for_version",
		[{"reason": "reject_tokens", "observed": 2400, "limit": 2000}],
		[],
	)
}

test_documented_case_three_admits if drill(9000, 1200, 1500, 800, 0, 5000, 9, 9) == submitted
