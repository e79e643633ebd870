# Values that no field of a kind may hold: what a malformed document is made of, for the tests of every gate.
package admission.values_test

# Neither these nor null are the value of a field that is no signal; null alone is that of one that is.
null_value := {"null": null}

no_number := {
	"a string": "1",
	"true": true,
	"an object": {},
	"an array": [],
	"a fraction": 1.5,
}

no_count := object.union(no_number, {"-1": -1, "2^20+1": 1048577})

no_amount := object.union(no_number, {"-1": -1, "2^40+1": 1099511627777})

no_slack := object.union(no_number, {"-2^40-1": -1099511627777, "2^40+1": 1099511627777})

no_version := object.union(no_number, {"-1": -1, "2^53": 9007199254740992})

no_boolean := {
	"a string": "true",
	"0": 0,
	"an object": {},
}

no_identifier := {
	"a number": 7,
	"an object": {"name": "R3"},
	"empty": "",
	"a space": " ",
	"a space before": " R3",
	"a space after": "R3 ",
	"a no-break space after": "R3\u00a0",
	"a line break": "R\n3",
	"a terminal escape": "R\u001b[2J3",
	"a format character": "R\u202e3",
	"129 characters": concat("", [character | some _ in numbers.range(1, 129); character := "é"]),
}

no_object := {
	"a string": "gpu-a",
	"an array": [],
	"a number": 4,
}

no_word := {
	"another word": "perhaps",
	"a number": 1,
	"true": true,
	"empty": "",
}

# The document with one value put in the place of another, or added.
put(document, path, value) := json.patch(document, [{"op": "add", "path": path, "value": value}])

# A malformed document is refused with these first, whatever else it violates.
refusal := {"reason": "invalid_input", "observed": null, "limit": null}

refused(decision) if {
	decision.admit == false
	decision.reason == "invalid_input"
	decision.action == "reject"
	decision.violations[0] == refusal
	decision.effects == []
}

test_put_replaces_and_adds if {
	put({"a": {"b": 1}}, "/a/b", null) == {"a": {"b": null}}
	put({"a": {"b": 1}}, "/a/c", 2) == {"a": {"b": 1, "c": 2}}
}

test_the_longest_identifier_is_one_too_long if {
	count(no_identifier["129 characters"]) == 129
}
