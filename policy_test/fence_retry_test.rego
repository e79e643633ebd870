package admission.fence.retry_test

import data.admission.fence.retry
import data.admission.values_test as values

nominal := {
	"gate": "fence.retry",
	"attempt_id": "A1",
	"created_on": "free-eval",
	"charge": {"name": "free-eval", "retry_budget": 1},
}

precedence := ["reject_cross_plane_retry", "compensate_or_shed"]

decide(document) := decision if {
	decision := retry.decision with input as document with data.fence.retry.precedence as precedence
}

test_creator_with_budget_pays_for_its_retry if {
	decide(nominal) == {
		"gate": "fence.retry",
		"admit": true,
		"reason": "retry_same_plane",
		"action": "retry_same_plane",
		"violations": [],
		"effects": [{"plane": "free-eval", "counter": "retry_budget", "delta": -1}],
		"unknown": [],
	}
}

test_spent_budget_compensates_and_has_no_effects if {
	decide(object.union(nominal, {"charge": {"retry_budget": 0}})) == {
		"gate": "fence.retry",
		"admit": false,
		"reason": "compensate_or_shed",
		"action": "compensate_or_shed",
		"violations": [{"reason": "compensate_or_shed", "observed": 0, "limit": 0}],
		"effects": [],
		"unknown": [],
	}
}

test_another_plane_never_pays if {
	decide(object.union(nominal, {"charge": {"name": "gpu-a", "retry_budget": 3}})) == {
		"gate": "fence.retry",
		"admit": false,
		"reason": "reject_cross_plane_retry",
		"action": "compensate_on_creator",
		"violations": [{"reason": "reject_cross_plane_retry", "observed": "gpu-a", "limit": "free-eval"}],
		"effects": [],
		"unknown": [],
	}
}

test_names_are_compared_exactly if {
	decision := decide(object.union(nominal, {"charge": {"name": "Free-Eval"}}))
	decision.reason == "reject_cross_plane_retry"
}

test_unknown_budget_is_no_budget[note] if {
	some note, document in {
		"null": object.union(nominal, {"charge": {"retry_budget": null}}),
		"absent": object.union(object.remove(nominal, ["charge"]), {"charge": {"name": "free-eval"}}),
	}
	decision := decide(document)
	decision.reason == "compensate_or_shed"
	decision.violations == [{"reason": "compensate_or_shed", "observed": null, "limit": 0}]
	decision.effects == []
	decision.unknown == ["charge.retry_budget"]
}

crossed_and_spent := object.union(nominal, {"charge": {"name": "gpu-a", "retry_budget": 0}})

test_both_violations_are_listed_who_pays_first if {
	decide(crossed_and_spent).violations == [
		{"reason": "reject_cross_plane_retry", "observed": "gpu-a", "limit": "free-eval"},
		{"reason": "compensate_or_shed", "observed": 0, "limit": 0},
	]
}

test_precedence_is_data_and_what_it_leaves_out_sorts_after_by_name[note] if {
	some note, list in {
		"budget first": ["compensate_or_shed", "reject_cross_plane_retry"],
		"nothing listed": [],
	}
	decision := retry.decision with input as crossed_and_spent with data.fence.retry.precedence as list
	decision.reason == "compensate_or_shed"
	[violation.reason | some violation in decision.violations] == ["compensate_or_shed", "reject_cross_plane_retry"]
}

test_missing_field_is_refused[path] if {
	some path in ["/attempt_id", "/created_on", "/charge", "/charge/name"]
	values.refused(decide(json.remove(nominal, [path])))
}

test_missing_names_are_nobody_who_pays if {
	decision := decide({"gate": "fence.retry", "attempt_id": "A1"})
	decision.violations == [
		values.refusal,
		{"reason": "reject_cross_plane_retry", "observed": null, "limit": null},
		{"reason": "compensate_or_shed", "observed": null, "limit": 0},
	]
}

# Two names that are equal but are no strings prove nothing.
test_names_of_the_wrong_type_never_match if {
	decision := decide(object.union(nominal, {"created_on": 7, "charge": {"name": 7}}))
	[violation.reason | some violation in decision.violations] == ["invalid_input", "reject_cross_plane_retry"]
}

malformed := {
	"/gate": object.union(values.no_word, {"null": null, "another gate": "fence"}),
	"/attempt_id": object.union(values.no_identifier, values.null_value),
	"/created_on": object.union(values.no_identifier, values.null_value),
	"/charge": object.union(values.no_object, values.null_value),
	"/charge/name": object.union(values.no_identifier, values.null_value),
	"/charge/retry_budget": values.no_count,
}

test_malformed_field_is_refused[path][kind] if {
	some path, wrong in malformed
	some kind, value in wrong
	values.refused(decide(values.put(nominal, path, value)))
}

test_no_document_is_refused[note] if {
	some note, document in {"empty": {}, "an array": [], "null": null}
	values.refused(decide(document))
}

test_gate_may_be_absent if decide(object.remove(nominal, ["gate"])).admit == true

test_decision_without_a_usable_precedence_rejects if {
	decision := retry.decision with input as crossed_and_spent with data.fence.retry.precedence as null
	decision == {
		"gate": "fence.retry",
		"admit": false,
		"reason": "policy_undefined",
		"action": "reject",
		"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
		"effects": [],
		"unknown": [],
	}
}

# The source document's own cases, under the thresholds as shipped.
test_documented_borrowed_plane_without_budget_compensates if {
	decision := retry.decision with input as object.union(nominal, {"charge": {"retry_budget": 0}})
	decision.reason == "compensate_or_shed"
}

test_documented_borrowed_plane_retries_inside_its_own_budget if {
	decision := retry.decision with input as nominal
	decision.reason == "retry_same_plane"
	decision.effects == [{"plane": "free-eval", "counter": "retry_budget", "delta": -1}]
}
