package admission.subagent_test

import data.admission.subagent

# Thresholds of the tests' own, so that operators can change the shipped ones.
thresholds := {
	"roles": {
		"explorer": {"max_depth": 2, "max_siblings": 4, "tokens_per_success": 60000, "session_token_budget": 2000000},
		"switched_on": {
			"enabled": true,
			"max_depth": 2,
			"max_siblings": 4,
			"tokens_per_success": 60000,
			"session_token_budget": 2000000,
		},
		"switched_off": {
			"enabled": false,
			"max_depth": 2,
			"max_siblings": 4,
			"tokens_per_success": 60000,
			"session_token_budget": 2000000,
		},
		"dearest": {
			"max_depth": 1048576,
			"max_siblings": 1048576,
			"tokens_per_success": 1099511627776,
			"session_token_budget": 1099511627776,
		},
	},
	"precedence": [
		"role_unknown",
		"role_disabled",
		"depth_over_limit",
		"siblings_over_limit",
		"session_budget_spent",
		"token_burn_vs_success",
	],
}

nominal := {
	"gate": "subagent",
	"role": "explorer",
	"parent_id": "session-7f3",
	"depth": 1,
	"siblings_started": 3,
	"tokens_in_session": 110000,
	"successes_in_session": 2,
}

# Every check of the role fails.
worst := object.union(nominal, {
	"depth": 3,
	"siblings_started": 4,
	"tokens_in_session": 1950000,
	"est_tokens": 50001,
})

decide(document) := decide_with(document, {})

decide_with(document, changes) := decision if {
	decision := subagent.decision with input as document
		with data.subagent as object.union(thresholds, changes)
}

patched(patch) := decide(object.union(nominal, patch))

without(field) := decide(object.remove(nominal, [field]))

admitted := {
	"gate": "subagent",
	"admit": true,
	"reason": "admit",
	"action": "start_subagent",
	"violations": [],
	"effects": [],
	"unknown": [],
}

rejected(action, violations, unknown) := {
	"gate": "subagent",
	"admit": false,
	"reason": violations[0].reason,
	"action": action,
	"violations": violations,
	"effects": [],
	"unknown": unknown,
}

over(reason, action, observed, limit) := rejected(
	action,
	[{"reason": reason, "observed": observed, "limit": limit}],
	[],
)

reasons(decision) := [violation.reason | some violation in decision.violations]

test_subagent_within_every_limit_starts[note] if {
	some note, document in {
		"the four signals": nominal,
		"no gate named": object.remove(nominal, ["gate"]),
		"everything known": object.union(nominal, {"est_tokens": 60000, "max_depth": 2, "max_siblings": 4}),
		"role switched on": object.union(nominal, {"role": "switched_on"}),
	}
	decide(document) == admitted
}

test_unknown_role_is_the_only_violation if {
	document := object.union(worst, {"role": "Explorer", "tokens_in_session": null, "max_depth": 0})
	decide(document) == over("role_unknown", "work_inline", "Explorer", null)
}

test_unknown_role_names_no_signal[signal] if {
	some signal in ["depth", "siblings_started", "tokens_in_session", "successes_in_session"]
	decision := patched({"role": "planner", signal: null})
	decision == over("role_unknown", "work_inline", "planner", null)
}

test_role_switched_off_is_worked_inline if {
	patched({"role": "switched_off"}) == over("role_disabled", "work_inline", false, true)
}

test_other_checks_of_a_role_that_is_off_still_count if {
	decision := patched({"role": "switched_off", "depth": 3, "siblings_started": null})
	decision == rejected(
		"work_inline",
		[
			{"reason": "role_disabled", "observed": false, "limit": true},
			{"reason": "depth_over_limit", "observed": 3, "limit": 2},
			{"reason": "siblings_over_limit", "observed": null, "limit": 4},
		],
		["siblings_started"],
	)
}

test_depth_at_limit_admits if patched({"depth": 2}) == admitted

test_depth_over_limit_is_worked_inline if {
	patched({"depth": 3}) == over("depth_over_limit", "work_inline", 3, 2)
}

test_own_depth_limit_tightens if {
	patched({"depth": 1, "max_depth": 1}) == admitted
	patched({"depth": 2, "max_depth": 1}) == over("depth_over_limit", "work_inline", 2, 1)
}

test_own_depth_limit_never_loosens if {
	patched({"depth": 2, "max_depth": 3}) == admitted
	patched({"depth": 3, "max_depth": 3}) == over("depth_over_limit", "work_inline", 3, 2)
}

test_siblings_below_limit_admit if patched({"siblings_started": 3}) == admitted

test_siblings_at_limit_are_worked_inline if {
	patched({"siblings_started": 4}) == over("siblings_over_limit", "work_inline", 4, 4)
}

test_own_siblings_limit_tightens if {
	patched({"siblings_started": 1, "max_siblings": 2}) == admitted
	patched({"siblings_started": 2, "max_siblings": 2}) == over("siblings_over_limit", "work_inline", 2, 2)
}

test_own_siblings_limit_never_loosens if {
	patched({"siblings_started": 3, "max_siblings": 5}) == admitted
	patched({"siblings_started": 4, "max_siblings": 5}) == over("siblings_over_limit", "work_inline", 4, 4)
}

test_own_limit_of_zero_starts_nothing if {
	patched({"siblings_started": 0, "max_siblings": 0}) == over("siblings_over_limit", "work_inline", 0, 0)
}

test_budget_spent_to_the_last_token_admits[note] if {
	some note, patch in {
		"no estimate": {"tokens_in_session": 2000000},
		"an estimate of nothing": {"tokens_in_session": 2000000, "est_tokens": 0},
		"an estimate": {"tokens_in_session": 1940000, "est_tokens": 60000},
	}
	decide(object.union(nominal, object.union({"successes_in_session": 40}, patch))) == admitted
}

test_budget_overspent_is_reported[note] if {
	some note, patch in {
		"no estimate": {"tokens_in_session": 2000001},
		"an estimate of nothing": {"tokens_in_session": 2000001, "est_tokens": 0},
		"an estimate": {"tokens_in_session": 1940000, "est_tokens": 60001},
	}
	decision := decide(object.union(nominal, object.union({"successes_in_session": 40}, patch)))
	decision == over("session_budget_spent", "report_and_stop", 2000001, 2000000)
}

test_first_success_may_cost_what_one_may if {
	patched({"tokens_in_session": 0, "successes_in_session": 0}) == admitted
	patched({"tokens_in_session": 60000, "successes_in_session": 0}) == admitted
}

test_burn_without_a_success_is_reported if {
	decision := patched({"tokens_in_session": 60001, "successes_in_session": 0})
	decision == over("token_burn_vs_success", "report_and_stop", 60001, 60000)
}

test_burn_counts_the_success_to_come if {
	patched({"tokens_in_session": 180000}) == admitted
	patched({"tokens_in_session": 180001}) == over("token_burn_vs_success", "report_and_stop", 180001, 180000)
}

# What is expected is held against the budget alone: it has not been spent in vain yet.
test_burn_leaves_the_estimate_out if {
	patched({"tokens_in_session": 180000, "est_tokens": 60000}) == admitted
}

test_largest_numbers_are_computed_exactly if {
	largest := {
		"role": "dearest",
		"depth": 1048576,
		"siblings_started": 1048575,
		"tokens_in_session": 1099511627776,
		"successes_in_session": 1048576,
	}
	patched(largest) == admitted
	dearer := patched(object.union(largest, {"est_tokens": 1}))
	dearer == over("session_budget_spent", "report_and_stop", 1099511627777, 1099511627776)
	unmetered := patched(object.union(largest, {"tokens_in_session": null}))
	unmetered.violations[1] == {"reason": "token_burn_vs_success", "observed": null, "limit": 1152922604118474752}
}

unknown_signals := {
	"depth": {
		"action": "work_inline",
		"violations": [{"reason": "depth_over_limit", "observed": null, "limit": 2}],
	},
	"siblings_started": {
		"action": "work_inline",
		"violations": [{"reason": "siblings_over_limit", "observed": null, "limit": 4}],
	},
	"tokens_in_session": {
		"action": "report_and_stop",
		"violations": [
			{"reason": "session_budget_spent", "observed": null, "limit": 2000000},
			{"reason": "token_burn_vs_success", "observed": null, "limit": 180000},
		],
	},
	"successes_in_session": {
		"action": "report_and_stop",
		"violations": [{"reason": "token_burn_vs_success", "observed": 110000, "limit": null}],
	},
}

test_null_signal_fails_its_checks[signal] if {
	some signal, want in unknown_signals
	patched({signal: null}) == rejected(want.action, want.violations, [signal])
}

test_missing_signal_is_unknown_too[signal] if {
	some signal, want in unknown_signals
	without(signal) == rejected(want.action, want.violations, [signal])
}

test_unknown_tokens_stay_unknown_with_an_estimate if {
	patched({"tokens_in_session": null, "est_tokens": 1}).violations[0] == {
		"reason": "session_budget_spent",
		"observed": null,
		"limit": 2000000,
	}
}

test_nothing_known_fails_everything if {
	decision := patched({
		"depth": null,
		"siblings_started": null,
		"tokens_in_session": null,
		"successes_in_session": null,
	})
	decision == rejected(
		"work_inline",
		[
			{"reason": "depth_over_limit", "observed": null, "limit": 2},
			{"reason": "siblings_over_limit", "observed": null, "limit": 4},
			{"reason": "session_budget_spent", "observed": null, "limit": 2000000},
			{"reason": "token_burn_vs_success", "observed": null, "limit": null},
		],
		["depth", "siblings_started", "successes_in_session", "tokens_in_session"],
	)
}

test_all_violations_are_listed_in_precedence_order if {
	decide(object.union(worst, {"role": "switched_off"})) == rejected(
		"work_inline",
		[
			{"reason": "role_disabled", "observed": false, "limit": true},
			{"reason": "depth_over_limit", "observed": 3, "limit": 2},
			{"reason": "siblings_over_limit", "observed": 4, "limit": 4},
			{"reason": "session_budget_spent", "observed": 2000001, "limit": 2000000},
			{"reason": "token_burn_vs_success", "observed": 1950000, "limit": 180000},
		],
		[],
	)
}

test_precedence_is_data_and_what_it_leaves_out_sorts_after_by_name if {
	decision := decide_with(worst, {"precedence": ["session_budget_spent"]})
	decision.action == "report_and_stop"
	reasons(decision) == [
		"session_budget_spent",
		"depth_over_limit",
		"siblings_over_limit",
		"token_burn_vs_success",
	]
}

# Values that no field of a kind may hold.
no_number := {
	"a string": "1",
	"true": true,
	"false": false,
	"an object": {},
	"an array": [],
	"a fraction": 1.5,
}

no_count := object.union(no_number, {"-1": -1, "2^20+1": 1048577})

no_amount := object.union(no_number, {"-1": -1, "2^40+1": 1099511627777})

no_identifier := {
	"null": null,
	"a number": 7,
	"false": false,
	"an object": {"name": "explorer"},
	"an array": [],
	"empty": "",
	"a space": " ",
	"a space after": "explorer ",
	"a line break": "ex\nplorer",
	"a format character": "ex\u202eplorer",
	"129 characters": concat("", [character | some _ in numbers.range(1, 129); character := "é"]),
}

malformed := {
	"gate": {"null": null, "another gate": "fanout", "false": false, "a number": 1, "empty": ""},
	"role": no_identifier,
	"parent_id": no_identifier,
	"depth": no_count,
	"siblings_started": no_count,
	"tokens_in_session": no_amount,
	"successes_in_session": no_count,
	"est_tokens": object.union(no_amount, {"null": null}),
	"max_depth": object.union(no_count, {"null": null}),
	"max_siblings": object.union(no_count, {"null": null}),
}

# A malformed document is refused with this first, whatever else it violates.
refused(decision) if {
	decision.admit == false
	decision.reason == "invalid_input"
	decision.action == "reject"
	decision.violations[0] == {"reason": "invalid_input", "observed": null, "limit": null}
	decision.effects == []
}

# Put, and not merged: a union would merge an object into one that is there.
put(document, field, value) := json.patch(document, [{"op": "add", "path": sprintf("/%s", [field]), "value": value}])

test_malformed_field_is_refused[field][kind] if {
	some field, wrong in malformed
	some kind, value in wrong
	refused(decide(put(nominal, field, value)))
}

test_malformed_field_of_an_unknown_role_is_refused_too[field][kind] if {
	some field, wrong in malformed
	some kind, value in wrong
	refused(decide(put(object.union(nominal, {"role": "planner"}), field, value)))
}

test_ends_of_every_range_are_whole[field][value] if {
	some field, ends in {
		"depth": [0, 1048576],
		"siblings_started": [0, 1048576],
		"tokens_in_session": [0, 1099511627776],
		"successes_in_session": [0, 1048576],
		"est_tokens": [0, 1099511627776],
		"max_depth": [0, 1048576],
		"max_siblings": [0, 1048576],
	}
	some value in ends
	decide(put(nominal, field, value)).reason != "invalid_input"
}

# What is malformed proves nothing, and is not shown as if it had been observed.
test_malformed_number_is_unknown if {
	refusal := {"reason": "invalid_input", "observed": null, "limit": null}
	depth := {"reason": "depth_over_limit", "observed": null, "limit": 2}
	siblings := {"reason": "siblings_over_limit", "observed": null, "limit": 4}
	budget := {"reason": "session_budget_spent", "observed": null, "limit": 2000000}
	patched({"depth": "1"}).violations == [refusal, depth]
	patched({"siblings_started": "1"}).violations == [refusal, siblings]
	patched({"tokens_in_session": false}).violations == [
		refusal,
		budget,
		{"reason": "token_burn_vs_success", "observed": null, "limit": 180000},
	]
	patched({"successes_in_session": 1.5}).violations == [
		refusal,
		{"reason": "token_burn_vs_success", "observed": 110000, "limit": null},
	]
	patched({"successes_in_session": 1.5}).unknown == ["successes_in_session"]
	patched({"est_tokens": null}).violations == [refusal, budget]
	patched({"max_depth": null}).violations == [refusal, {"reason": "depth_over_limit", "observed": 1, "limit": null}]
	patched({"max_siblings": "4"}).violations == [refusal, {"reason": "siblings_over_limit", "observed": 3, "limit": null}]
}

test_missing_role_is_refused if {
	without("role").violations == [
		{"reason": "invalid_input", "observed": null, "limit": null},
		{"reason": "role_unknown", "observed": null, "limit": null},
	]
}

test_missing_parent_is_refused if reasons(without("parent_id")) == ["invalid_input"]

test_no_document_is_refused[note] if {
	some note, document in {"empty": {}, "an array": [], "null": null}
	refused(decide(document))
}

test_decision_without_a_usable_precedence_rejects if {
	decide_with(worst, {"precedence": null}) == {
		"gate": "subagent",
		"admit": false,
		"reason": "policy_undefined",
		"action": "reject",
		"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
		"effects": [],
		"unknown": [],
	}
}

# The thresholds as shipped let each role start its first.
test_first_subagent_of_each_role_starts_under_the_thresholds_as_shipped[role] if {
	some role in ["explorer", "implementer", "reviewer"]
	decision := subagent.decision with input as object.union(nominal, {
		"role": role,
		"siblings_started": 0,
		"tokens_in_session": 0,
		"successes_in_session": 0,
	})
	decision == admitted
}
