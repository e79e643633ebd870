package admission.fence_test

import data.admission.fence
import data.admission.values_test as values

thresholds := {
	"default": {"depth_limit": 4, "health_max_age_ms": 2000},
	"planes": {},
	"precedence": [
		"reject_stale_primary_health",
		"reject_primary_depth",
		"reject_primary_retry_exhausted",
		"reject_stale_borrowed_health",
		"shed_borrowed_depth",
		"shed_borrowed_retry",
	],
}

borrowing := {
	"gate": "fence",
	"intent_id": "I1",
	"revision": "R3",
	"borrow": true,
	"primary": {"name": "gpu-a", "depth": 0, "retry_budget": 3, "health_age_ms": 0},
	"borrowed": {"name": "free-eval", "depth": 0, "retry_budget": 3, "health_age_ms": 0},
}

alone := {
	"gate": "fence",
	"intent_id": "I2",
	"borrow": false,
	"primary": {"name": "gpu-a", "depth": 0, "retry_budget": 3, "health_age_ms": 0},
}

decide(document) := decision if {
	decision := fence.decision with input as document with data.fence as thresholds
}

decide_with(document, changes) := decision if {
	decision := fence.decision with input as document with data.fence as object.union(thresholds, changes)
}

# The whole of a decision that admits the borrowing document.
score_only := {
	"gate": "fence",
	"admit": true,
	"reason": "admit",
	"action": "admit_score_only",
	"violations": [],
	"effects": [
		{"plane": "gpu-a", "counter": "depth", "delta": 1},
		{"plane": "free-eval", "counter": "depth", "delta": 1},
	],
	"unknown": [],
}

# The document as it is but for one field is rejected with this one violation and without any effect.
sheds(patch, violation, action) if {
	decide(object.union(borrowing, patch)) == {
		"gate": "fence",
		"admit": false,
		"reason": violation.reason,
		"action": action,
		"violations": [violation],
		"effects": [],
		"unknown": [],
	}
}

admits(patch) if decide(object.union(borrowing, patch)) == score_only

test_borrow_admits_score_only_and_deepens_both_planes if decide(borrowing) == score_only

test_alone_proceeds_and_deepens_its_own_plane_only if {
	decide(alone) == {
		"gate": "fence",
		"admit": true,
		"reason": "admit",
		"action": "proceed",
		"violations": [],
		"effects": [{"plane": "gpu-a", "counter": "depth", "delta": 1}],
		"unknown": [],
	}
}

test_gate_may_be_absent if decide(object.remove(borrowing, ["gate"])) == score_only

test_primary_age_at_maximum_admits if admits({"primary": {"health_age_ms": 2000}})

test_primary_age_over_maximum_sheds if {
	sheds(
		{"primary": {"health_age_ms": 2001}},
		{"reason": "reject_stale_primary_health", "observed": 2001, "limit": 2000},
		"shed_intent",
	)
}

test_primary_depth_below_limit_admits if admits({"primary": {"depth": 3}})

test_primary_depth_at_limit_sheds_and_has_no_effects if {
	sheds(
		{"primary": {"depth": 4}},
		{"reason": "reject_primary_depth", "observed": 4, "limit": 4},
		"shed_intent",
	)
}

test_primary_budget_of_one_admits if admits({"primary": {"retry_budget": 1}})

test_primary_budget_of_none_sheds if {
	sheds(
		{"primary": {"retry_budget": 0}},
		{"reason": "reject_primary_retry_exhausted", "observed": 0, "limit": 0},
		"shed_intent",
	)
}

test_borrowed_age_at_maximum_admits if admits({"borrowed": {"health_age_ms": 2000}})

test_borrowed_age_over_maximum_sheds if {
	sheds(
		{"borrowed": {"health_age_ms": 2001}},
		{"reason": "reject_stale_borrowed_health", "observed": 2001, "limit": 2000},
		"score_locally_or_skip",
	)
}

test_borrowed_depth_below_limit_admits if admits({"borrowed": {"depth": 3}})

test_borrowed_depth_at_limit_sheds_and_has_no_effects if {
	sheds(
		{"borrowed": {"depth": 4}},
		{"reason": "shed_borrowed_depth", "observed": 4, "limit": 4},
		"score_locally_or_skip",
	)
}

test_borrowed_budget_of_one_admits if admits({"borrowed": {"retry_budget": 1}})

test_borrowed_budget_of_none_sheds if {
	sheds(
		{"borrowed": {"retry_budget": 0}},
		{"reason": "shed_borrowed_retry", "observed": 0, "limit": 0},
		"score_locally_or_skip",
	)
}

# The signal, and the reason and limit of the one check that reads it.
signals := {
	"primary.health_age_ms": {"path": "/primary/health_age_ms", "reason": "reject_stale_primary_health", "limit": 2000},
	"primary.depth": {"path": "/primary/depth", "reason": "reject_primary_depth", "limit": 4},
	"primary.retry_budget": {"path": "/primary/retry_budget", "reason": "reject_primary_retry_exhausted", "limit": 0},
	"borrowed.health_age_ms": {"path": "/borrowed/health_age_ms", "reason": "reject_stale_borrowed_health", "limit": 2000},
	"borrowed.depth": {"path": "/borrowed/depth", "reason": "shed_borrowed_depth", "limit": 4},
	"borrowed.retry_budget": {"path": "/borrowed/retry_budget", "reason": "shed_borrowed_retry", "limit": 0},
}

test_unknown_signal_fails_its_check_and_is_named[name] if {
	some name, row in signals
	decision := decide(values.put(borrowing, row.path, null))
	decision.admit == false
	decision.violations == [{"reason": row.reason, "observed": null, "limit": row.limit}]
	decision.effects == []
	decision.unknown == [name]
}

test_absent_signal_is_unknown_too[name] if {
	some name, row in signals
	decision := decide(json.remove(borrowing, [row.path]))
	decision.violations == [{"reason": row.reason, "observed": null, "limit": row.limit}]
	decision.unknown == [name]
}

test_unknown_is_sorted if {
	decision := decide(object.union(borrowing, {
		"primary": {"depth": null, "retry_budget": null, "health_age_ms": null},
		"borrowed": {"depth": null, "retry_budget": null, "health_age_ms": null},
	}))
	decision.unknown == [
		"borrowed.depth",
		"borrowed.health_age_ms",
		"borrowed.retry_budget",
		"primary.depth",
		"primary.health_age_ms",
		"primary.retry_budget",
	]
}

drowned := object.union(borrowing, {
	"primary": {"depth": 5, "retry_budget": 0, "health_age_ms": 9000},
	"borrowed": {"depth": 6, "retry_budget": 0, "health_age_ms": 9001},
})

test_all_violations_are_listed_in_precedence_order if {
	decision := decide(drowned)
	decision.reason == "reject_stale_primary_health"
	decision.action == "shed_intent"
	decision.violations == [
		{"reason": "reject_stale_primary_health", "observed": 9000, "limit": 2000},
		{"reason": "reject_primary_depth", "observed": 5, "limit": 4},
		{"reason": "reject_primary_retry_exhausted", "observed": 0, "limit": 0},
		{"reason": "reject_stale_borrowed_health", "observed": 9001, "limit": 2000},
		{"reason": "shed_borrowed_depth", "observed": 6, "limit": 4},
		{"reason": "shed_borrowed_retry", "observed": 0, "limit": 0},
	]
	decision.effects == []
	decision.unknown == []
}

test_precedence_is_data_and_what_it_leaves_out_sorts_after_by_name if {
	decision := decide_with(drowned, {"precedence": ["shed_borrowed_retry", "reject_primary_depth"]})
	decision.reason == "shed_borrowed_retry"
	decision.action == "score_locally_or_skip"
	[violation.reason | some violation in decision.violations] == [
		"shed_borrowed_retry",
		"reject_primary_depth",
		"reject_primary_retry_exhausted",
		"reject_stale_borrowed_health",
		"reject_stale_primary_health",
		"shed_borrowed_depth",
	]
}

test_borrowed_plane_is_ignored_without_borrowing if {
	decision := decide(object.union(alone, {"borrowed": {"name": "free-eval", "depth": 9, "retry_budget": 0, "health_age_ms": null}}))
	decision.admit == true
	decision.action == "proceed"
	decision.effects == [{"plane": "gpu-a", "counter": "depth", "delta": 1}]
	decision.unknown == []
}

test_revision_is_optional_without_borrowing if decide(object.union(alone, {"revision": "R3"})).admit == true

test_own_limit_tightens[note] if {
	some note, tc in {
		"primary depth": {"patch": {"primary": {"depth": 2, "depth_limit": 2}}, "reason": "reject_primary_depth", "limit": 2},
		"borrowed depth": {"patch": {"borrowed": {"depth": 2, "depth_limit": 2}}, "reason": "shed_borrowed_depth", "limit": 2},
		"primary age": {
			"patch": {"primary": {"health_age_ms": 1501, "health_max_age_ms": 1500}},
			"reason": "reject_stale_primary_health",
			"limit": 1500,
		},
		"borrowed age": {
			"patch": {"borrowed": {"health_age_ms": 1501, "health_max_age_ms": 1500}},
			"reason": "reject_stale_borrowed_health",
			"limit": 1500,
		},
	}
	decision := decide(object.union(borrowing, tc.patch))
	decision.reason == tc.reason
	decision.violations[0].limit == tc.limit
}

test_own_limit_that_is_tighter_still_admits_below_it[note] if {
	some note, patch in {
		"primary depth": {"primary": {"depth": 1, "depth_limit": 2}},
		"borrowed depth": {"borrowed": {"depth": 1, "depth_limit": 2}},
		"primary age": {"primary": {"health_age_ms": 1500, "health_max_age_ms": 1500}},
		"borrowed age": {"borrowed": {"health_age_ms": 1500, "health_max_age_ms": 1500}},
	}
	admits(patch)
}

test_own_limit_never_loosens[note] if {
	some note, tc in {
		"primary depth": {"patch": {"primary": {"depth": 4, "depth_limit": 8}}, "reason": "reject_primary_depth", "limit": 4},
		"borrowed depth": {"patch": {"borrowed": {"depth": 4, "depth_limit": 8}}, "reason": "shed_borrowed_depth", "limit": 4},
		"primary age": {
			"patch": {"primary": {"health_age_ms": 2001, "health_max_age_ms": 60000}},
			"reason": "reject_stale_primary_health",
			"limit": 2000,
		},
		"borrowed age": {
			"patch": {"borrowed": {"health_age_ms": 2001, "health_max_age_ms": 60000}},
			"reason": "reject_stale_borrowed_health",
			"limit": 2000,
		},
	}
	decision := decide(object.union(borrowing, tc.patch))
	decision.reason == tc.reason
	decision.violations[0].limit == tc.limit
}

test_own_limit_of_the_wrong_type_violates_its_check[path][kind] if {
	some path, row in {
		"/primary/depth_limit": {"reason": "reject_primary_depth", "observed": 0, "limit": null},
		"/primary/health_max_age_ms": {"reason": "reject_stale_primary_health", "observed": 0, "limit": null},
		"/borrowed/depth_limit": {"reason": "shed_borrowed_depth", "observed": 0, "limit": null},
		"/borrowed/health_max_age_ms": {"reason": "reject_stale_borrowed_health", "observed": 0, "limit": null},
	}
	some kind, value in object.union(values.no_number, values.null_value)
	decision := decide(values.put(borrowing, path, value))
	decision.violations == [values.refusal, row]
}

rows := {"planes": {"free-eval": {"depth_limit": 2, "health_max_age_ms": 1500}, "gpu-a": {"depth_limit": 8}}}

test_row_of_a_plane_goes_over_the_default[note] if {
	some note, tc in {
		"tighter depth": {
			"patch": {"borrowed": {"depth": 2}},
			"violations": [{"reason": "shed_borrowed_depth", "observed": 2, "limit": 2}],
		},
		"tighter depth, one below": {"patch": {"borrowed": {"depth": 1}}, "violations": []},
		"tighter age": {
			"patch": {"borrowed": {"health_age_ms": 1501}},
			"violations": [{"reason": "reject_stale_borrowed_health", "observed": 1501, "limit": 1500}],
		},
		"tighter age, at maximum": {"patch": {"borrowed": {"health_age_ms": 1500}}, "violations": []},
		"looser depth": {"patch": {"primary": {"depth": 7}}, "violations": []},
		"looser depth, at limit": {
			"patch": {"primary": {"depth": 8}},
			"violations": [{"reason": "reject_primary_depth", "observed": 8, "limit": 8}],
		},
		"what a row leaves out": {
			"patch": {"primary": {"health_age_ms": 2001}},
			"violations": [{"reason": "reject_stale_primary_health", "observed": 2001, "limit": 2000}],
		},
		"own limit over a row": {
			"patch": {"primary": {"depth": 5, "depth_limit": 5}},
			"violations": [{"reason": "reject_primary_depth", "observed": 5, "limit": 5}],
		},
	}
	decide_with(object.union(borrowing, tc.patch), rows).violations == tc.violations
}

test_rows_follow_the_name_and_not_the_role if {
	swapped := object.union(borrowing, {"primary": {"name": "free-eval", "depth": 2}, "borrowed": {"name": "gpu-a", "depth": 7}})
	decide_with(swapped, rows).violations == [{"reason": "reject_primary_depth", "observed": 2, "limit": 2}]
}

test_missing_field_is_refused[path] if {
	some path in [
		"/intent_id",
		"/borrow",
		"/revision",
		"/primary",
		"/primary/name",
		"/borrowed",
		"/borrowed/name",
	]
	values.refused(decide(json.remove(borrowing, [path])))
}

test_missing_borrow_fails_the_borrowed_checks_too if {
	decision := decide(object.remove(alone, ["borrow"]))
	[violation.reason | some violation in decision.violations] == [
		"invalid_input",
		"reject_stale_borrowed_health",
		"shed_borrowed_depth",
		"shed_borrowed_retry",
	]
}

malformed_primary := {
	"/primary": object.union(values.no_object, values.null_value),
	"/primary/name": object.union(values.no_identifier, values.null_value),
	"/primary/depth": values.no_count,
	"/primary/retry_budget": values.no_count,
	"/primary/health_age_ms": values.no_amount,
	"/primary/depth_limit": object.union(values.no_count, values.null_value),
	"/primary/health_max_age_ms": object.union(values.no_amount, values.null_value),
}

malformed_borrowed := {
	"/borrowed": object.union(values.no_object, values.null_value),
	"/borrowed/name": object.union(values.no_identifier, values.null_value),
	"/borrowed/depth": values.no_count,
	"/borrowed/retry_budget": values.no_count,
	"/borrowed/health_age_ms": values.no_amount,
	"/borrowed/depth_limit": object.union(values.no_count, values.null_value),
	"/borrowed/health_max_age_ms": object.union(values.no_amount, values.null_value),
}

malformed := {
	"/gate": object.union(values.no_word, {"null": null, "another gate": "fence.retry", "upper case": "Fence"}),
	"/intent_id": object.union(values.no_identifier, values.null_value),
	"/revision": object.union(values.no_identifier, values.null_value),
	"/borrow": object.union(values.no_boolean, values.null_value),
}

test_malformed_primary_plane_is_refused[path][kind] if {
	some path, wrong in malformed_primary
	some kind, value in wrong
	values.refused(decide(values.put(borrowing, path, value)))
}

test_malformed_borrowed_plane_is_refused[path][kind] if {
	some path, wrong in malformed_borrowed
	some kind, value in wrong
	values.refused(decide(values.put(borrowing, path, value)))
}

test_malformed_field_is_refused[path][kind] if {
	some path, wrong in malformed
	some kind, value in wrong
	values.refused(decide(values.put(borrowing, path, value)))
}

test_malformed_borrowed_plane_is_refused_without_borrowing_too[note] if {
	some note, plane in {
		"null": null,
		"a string": "free-eval",
		"a depth of the wrong type": {"name": "free-eval", "depth": "4", "retry_budget": 0, "health_age_ms": 0},
		"no name": {"depth": 4, "retry_budget": 0, "health_age_ms": 0},
	}
	values.refused(decide(object.union(alone, {"borrowed": plane})))
}

test_borrowing_from_oneself_is_refused if {
	values.refused(decide(object.union(borrowing, {"borrowed": {"name": "gpu-a"}})))
}

test_no_document_is_refused[note] if {
	some note, document in {"empty": {}, "an array": [], "null": null, "a string": "fence"}
	values.refused(decide(document))
}

test_decision_without_a_usable_precedence_rejects if {
	decide_with(drowned, {"precedence": null}) == {
		"gate": "fence",
		"admit": false,
		"reason": "policy_undefined",
		"action": "reject",
		"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
		"effects": [],
		"unknown": [],
	}
}

# The source document's own four cases, under the thresholds as shipped.
test_documented_borrowed_depth_does_not_spend_primary if {
	decision := fence.decision with input as object.union(borrowing, {"borrowed": {"depth": 4, "retry_budget": 0}})
	decision.reason == "shed_borrowed_depth"
	decision.effects == []
}

test_documented_stale_borrowed_health_is_not_capacity if {
	decision := fence.decision with input as object.union(borrowing, {"borrowed": {"health_age_ms": 9000}})
	decision.reason == "reject_stale_borrowed_health"
	decision.effects == []
}

test_documented_idle_borrower_cannot_hide_primary_saturation if {
	decision := fence.decision with input as object.union(borrowing, {"primary": {"depth": 4}})
	decision.reason == "reject_primary_depth"
	decision.effects == []
}

test_documented_fresh_borrow_admits if {
	decision := fence.decision with input as object.union(borrowing, {"primary": {"retry_budget": 2}, "borrowed": {"retry_budget": 1}})
	decision == score_only
}
