package admission.guard_test

import data.admission.guard
import data.admission.values_test as values

test_whole[note] if {
	some note, x in {"zero": 0, "negative": -7, "one": 1, "2^53-1": 9007199254740991}
	guard.whole(x)
}

test_not_whole[note] if {
	some note, x in object.union(values.no_number, values.null_value)
	not guard.whole(x)
}

test_less_is_strict if {
	guard.less(3, 4)
	not guard.less(4, 4)
	not guard.less(5, 4)
}

test_at_most_includes_equal if {
	guard.at_most(3, 4)
	guard.at_most(4, 4)
	not guard.at_most(5, 4)
}

test_same_and_differ if {
	guard.same(7, 7)
	not guard.same(7, 9)
	guard.differ(7, 9)
	not guard.differ(7, 7)
}

# Rego orders values across types: each of these would hold if it were compared bare.
test_no_comparison_holds_for_what_is_no_number[note] if {
	some note, x in object.union(values.no_number, values.null_value)
	not guard.less(x, 4)
	not guard.less(-4, x)
	not guard.at_most(x, 4)
	not guard.at_most(-4, x)
	not guard.same(x, x)
	not guard.differ(x, 4)
	not guard.differ(4, x)
}

test_alike_compares_strings_only if {
	guard.alike("R3", "R3")
	not guard.alike("R3", "r3")
	not guard.alike("R3", "R4")
	not guard.alike(null, null)
	not guard.alike(3, 3)
}

test_unlike_compares_strings_only if {
	guard.unlike("gpu-a", "free-eval")
	not guard.unlike("gpu-a", "gpu-a")
	not guard.unlike(null, "gpu-a")
	not guard.unlike("gpu-a", 3)
}

test_arithmetic_is_exact if {
	guard.total(11000, 1500) == 12500
	guard.times(800, 3) == 2400
	guard.times(1099511627776, 1048577) == 1152922604118474752
}

test_arithmetic_of_an_unknown_is_undefined if {
	not guard.total(null, 1)
	not guard.total(1, null)
	not guard.times(null, 1)
	not guard.times(1, null)
	not guard.quarter(null)
	not guard.quarter(1.5)
}

test_quarter_rounds_up[note] if {
	some note, tc in {
		"0": {"characters": 0, "tokens": 0},
		"1": {"characters": 1, "tokens": 1},
		"4": {"characters": 4, "tokens": 1},
		"5": {"characters": 5, "tokens": 2},
		"2^40": {"characters": 1099511627776, "tokens": 274877906944},
	}
	guard.quarter(tc.characters) == tc.tokens
}

test_stricter_takes_the_lower_from_either_side if {
	guard.stricter(4, 2) == 2
	guard.stricter(4, 4) == 4
	guard.stricter(4, 8) == 4
}

test_stricter_proves_nothing_from_what_is_no_number[note] if {
	some note, x in object.union(values.no_number, values.null_value)
	not guard.stricter(4, x)
	not guard.stricter(x, 4)
}

test_identifiers[note] if {
	some note, name in {
		"one letter": "R",
		"a space inside": "eu west",
		"punctuation": "a/b:v1.2_#3",
		"no Latin": "плоскость",
		"128 characters": concat("", [character | some _ in numbers.range(1, 128); character := "é"]),
	}
	guard.identifiers({name})
}

test_no_identifiers[note] if {
	some note, name in object.union(values.no_identifier, values.null_value)
	not guard.identifiers({"R3", name})
}

test_ranges_include_both_ends if {
	guard.counts({0, 1048576})
	guard.amounts({0, 1099511627776})
	guard.slacks({-1099511627776, 0, 1099511627776})
	guard.versions({0, 9007199254740991})
}

test_no_counts[note] if {
	some note, x in object.union(values.no_count, values.null_value)
	not guard.counts({1, x})
}

test_no_amounts[note] if {
	some note, x in object.union(values.no_amount, values.null_value)
	not guard.amounts({1, x})
}

test_no_slacks[note] if {
	some note, x in object.union(values.no_slack, values.null_value)
	not guard.slacks({1, x})
}

test_no_versions[note] if {
	some note, x in object.union(values.no_version, values.null_value)
	not guard.versions({1, x})
}

test_booleans if {
	guard.booleans({true, false})
	not guard.booleans({true, null})
	not guard.booleans({"true"})
	not guard.booleans({0})
}

test_among_knows_its_words_only if {
	guard.among({"free"}, {"free", "paid"})
	guard.among(set(), {"free", "paid"})
	not guard.among({"free", "Paid"}, {"free", "paid"})
	not guard.among({null}, {"free", "paid"})
}

rows := {
	{"reason": "full", "action": "shed"},
	{"reason": "stale", "action": "drop"},
	{"reason": "custom_b", "action": "wait"},
	{"reason": "custom_a", "action": "wait"},
	{"reason": "invalid_input", "action": "reject"},
}

test_ranked_puts_invalid_input_first_then_the_list_then_names if {
	[row.reason | some row in guard.ranked(rows, ["stale", "quiet", "full"])] == [
		"invalid_input",
		"stale",
		"full",
		"custom_a",
		"custom_b",
	]
}

test_ranked_without_a_list_goes_by_name if {
	[row.reason | some row in guard.ranked(rows, [])] == [
		"invalid_input",
		"custom_a",
		"custom_b",
		"full",
		"stale",
	]
}

# A row without a reason must not vanish, and none may be listed twice: without an order there is no decision.
test_ranked_is_undefined_when_a_row_would_be_lost if {
	not guard.ranked({{"action": "wait"}}, [])
}

test_ranked_is_undefined_when_a_row_would_be_listed_twice if {
	not guard.ranked(rows, ["full", "full"])
	not guard.ranked(rows, ["invalid_input"])
}

test_without_leaves_what_only_the_first_set_has if {
	guard.without({"a", "b"}, {"b", "c"}) == {"a"}
}

test_violation_looks_up_what_was_observed if {
	guard.violation({"reason": "full", "action": "shed"}, {"full": 4}, {"full": 3}) == {
		"reason": "full",
		"observed": 4,
		"limit": 3,
	}
}

test_violation_is_null_where_nothing_was_observed if {
	guard.violation({"reason": "custom_a", "action": "wait"}, {"full": 4}, {"full": 3}) == {
		"reason": "custom_a",
		"observed": null,
		"limit": null,
	}
}

gate := {
	"name": "lab",
	"violated": [],
	"violations": [],
	"unknown": {"depth", "age"},
	"admit": {"reason": "admit", "action": "proceed", "effects": [{"plane": "gpu-a", "counter": "depth", "delta": 1}]},
}

test_decision_admits_when_nothing_is_violated if {
	guard.decision(gate) == {
		"gate": "lab",
		"admit": true,
		"reason": "admit",
		"action": "proceed",
		"violations": [],
		"effects": [{"plane": "gpu-a", "counter": "depth", "delta": 1}],
		"unknown": ["age", "depth"],
	}
}

test_decision_rejects_by_the_first_row_and_has_no_effects if {
	listed := [
		{"reason": "stale", "observed": null, "limit": 2000},
		{"reason": "full", "observed": 4, "limit": 4},
	]
	patch := {
		"violated": [{"reason": "stale", "action": "drop"}, {"reason": "full", "action": "shed"}],
		"violations": listed,
	}
	guard.decision(object.union(gate, patch)) == {
		"gate": "lab",
		"admit": false,
		"reason": "stale",
		"action": "drop",
		"violations": listed,
		"effects": [],
		"unknown": ["age", "depth"],
	}
}

test_decision_that_cannot_admit_is_undefined if {
	not guard.decision(object.union(gate, {"admit": null}))
}
