package admission.fence.bind_test

import data.admission.fence.bind
import data.admission.values_test as values

nominal := {
	"gate": "fence.bind",
	"attempt_id": "A1",
	"score_revision": "R3",
	"current_revision": "R3",
	"attempt_state": "accepted",
}

precedence := ["reject_late_score", "reject_already_bound", "reject_revision_moved"]

decide(document) := decision if {
	decision := bind.decision with input as document with data.fence.bind.precedence as precedence
}

rejected(action, violations, unknown) := {
	"gate": "fence.bind",
	"admit": false,
	"reason": violations[0].reason,
	"action": action,
	"violations": violations,
	"effects": [],
	"unknown": unknown,
}

test_accepted_score_of_the_current_revision_binds if {
	decide(nominal) == {
		"gate": "fence.bind",
		"admit": true,
		"reason": "bind",
		"action": "bind",
		"violations": [],
		"effects": [],
		"unknown": [],
	}
}

test_late_score_is_dropped[state] if {
	some state in ["shed", "expired"]
	decide(object.union(nominal, {"attempt_state": state})) == rejected(
		"drop_score",
		[{"reason": "reject_late_score", "observed": state, "limit": "accepted"}],
		[],
	)
}

test_bound_attempt_binds_no_second_score_and_is_not_late if {
	decide(object.union(nominal, {"attempt_state": "bound"})) == rejected(
		"drop_score",
		[{"reason": "reject_already_bound", "observed": "bound", "limit": "accepted"}],
		[],
	)
}

test_moved_revision_compensates_on_the_borrowed_plane if {
	decide(object.union(nominal, {"current_revision": "R4"})) == rejected(
		"compensate_borrowed",
		[{"reason": "reject_revision_moved", "observed": "R3", "limit": "R4"}],
		[],
	)
}

test_revisions_are_compared_exactly if {
	decide(object.union(nominal, {"current_revision": "r3"})).reason == "reject_revision_moved"
}

test_unknown_state_is_late_and_not_bound[note] if {
	some note, document in {
		"null": object.union(nominal, {"attempt_state": null}),
		"absent": object.remove(nominal, ["attempt_state"]),
	}
	decide(document) == rejected(
		"drop_score",
		[{"reason": "reject_late_score", "observed": null, "limit": "accepted"}],
		["attempt_state"],
	)
}

test_unknown_watermark_counts_as_moved[note] if {
	some note, document in {
		"null": object.union(nominal, {"current_revision": null}),
		"absent": object.remove(nominal, ["current_revision"]),
	}
	decide(document) == rejected(
		"compensate_borrowed",
		[{"reason": "reject_revision_moved", "observed": "R3", "limit": null}],
		["current_revision"],
	)
}

test_everything_unknown_is_named_sorted if {
	decide(object.union(nominal, {"attempt_state": null, "current_revision": null})) == rejected(
		"drop_score",
		[
			{"reason": "reject_late_score", "observed": null, "limit": "accepted"},
			{"reason": "reject_revision_moved", "observed": "R3", "limit": null},
		],
		["attempt_state", "current_revision"],
	)
}

test_late_comes_before_moved if {
	decide(object.union(nominal, {"attempt_state": "shed", "current_revision": "R4"})) == rejected(
		"drop_score",
		[
			{"reason": "reject_late_score", "observed": "shed", "limit": "accepted"},
			{"reason": "reject_revision_moved", "observed": "R3", "limit": "R4"},
		],
		[],
	)
}

bound_and_moved := object.union(nominal, {"attempt_state": "bound", "current_revision": "R4"})

test_already_bound_comes_before_moved if {
	decide(bound_and_moved) == rejected(
		"drop_score",
		[
			{"reason": "reject_already_bound", "observed": "bound", "limit": "accepted"},
			{"reason": "reject_revision_moved", "observed": "R3", "limit": "R4"},
		],
		[],
	)
}

test_precedence_is_data if {
	decision := bind.decision with input as bound_and_moved
		with data.fence.bind.precedence as ["reject_revision_moved", "reject_already_bound"]
	decision.reason == "reject_revision_moved"
	decision.action == "compensate_borrowed"
}

test_what_precedence_leaves_out_sorts_after_by_name if {
	decision := bind.decision with input as object.union(bound_and_moved, {"attempt_state": "shed"})
		with data.fence.bind.precedence as ["reject_revision_moved"]
	[violation.reason | some violation in decision.violations] == ["reject_revision_moved", "reject_late_score"]
	unlisted := bind.decision with input as bound_and_moved with data.fence.bind.precedence as []
	[violation.reason | some violation in unlisted.violations] == ["reject_already_bound", "reject_revision_moved"]
}

test_missing_field_is_refused[path] if {
	some path in ["/attempt_id", "/score_revision"]
	values.refused(decide(json.remove(nominal, [path])))
}

test_missing_score_revision_holds_nowhere if {
	decision := decide(object.remove(nominal, ["score_revision"]))
	decision.violations == [values.refusal, {"reason": "reject_revision_moved", "observed": null, "limit": "R3"}]
}

# Two revisions that are equal but are no strings prove nothing.
test_revisions_of_the_wrong_type_never_match if {
	decision := decide(object.union(nominal, {"score_revision": 3, "current_revision": 3}))
	[violation.reason | some violation in decision.violations] == ["invalid_input", "reject_revision_moved"]
}

malformed := {
	"/gate": object.union(values.no_word, {"null": null, "another gate": "fence"}),
	"/attempt_id": object.union(values.no_identifier, values.null_value),
	"/score_revision": object.union(values.no_identifier, values.null_value),
	"/current_revision": values.no_identifier,
	"/attempt_state": object.union(values.no_word, {"upper case": "Accepted", "a revision": "R3"}),
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
	decision := bind.decision with input as bound_and_moved with data.fence.bind.precedence as null
	decision == {
		"gate": "fence.bind",
		"admit": false,
		"reason": "policy_undefined",
		"action": "reject",
		"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
		"effects": [],
		"unknown": [],
	}
}

# The source document's question: a pass for R3 never attaches to R4, under the thresholds as shipped.
test_documented_pass_for_r3_never_attaches_to_r4 if {
	decision := bind.decision with input as object.union(nominal, {"current_revision": "R4"})
	decision.reason == "reject_revision_moved"
	decision.effects == []
}
