# METADATA
# scope: package
# title: Guards
# description: >-
#   The part of every gate that operators never edit: what counts as a number, how two of them
#   are compared, how violations are put in order, and how a decision is put together.
#   Everything here fails closed: what cannot be proved is not true.
package admission.guard

# METADATA
# title: The value is a whole number
# description: Rego orders values across types (null < 15000 holds), so nothing is compared before this is proved.
whole(x) if {
	is_number(x)
	floor(x) == x
}

# METADATA
# title: Both are whole numbers and the first is less
less(a, b) if {
	whole(a)
	whole(b)
	a < b
}

# METADATA
# title: Both are whole numbers and the first is no more than the second
at_most(a, b) if {
	whole(a)
	whole(b)
	a <= b
}

# METADATA
# title: Both are whole numbers and they are equal
same(a, b) if {
	whole(a)
	whole(b)
	a == b
}

# METADATA
# title: Both are whole numbers and they differ
differ(a, b) if {
	whole(a)
	whole(b)
	a != b
}

# METADATA
# title: Both are strings and they are equal
alike(a, b) if {
	is_string(a)
	is_string(b)
	a == b
}

# METADATA
# title: Both are strings and they differ
unlike(a, b) if {
	is_string(a)
	is_string(b)
	a != b
}

# METADATA
# title: The sum of two whole numbers
total(a, b) := a + b if {
	whole(a)
	whole(b)
}

# METADATA
# title: The product of two whole numbers
times(a, b) := a * b if {
	whole(a)
	whole(b)
}

# METADATA
# title: A quarter of a whole number, rounded up
quarter(a) := ceil(a / 4) if whole(a)

# METADATA
# scope: document
# title: The stricter of a threshold and the limit that the document carries
# description: A caller may tighten a threshold, never loosen it; a limit that is no whole number proves nothing.
stricter(threshold, own) := own if less(own, threshold)

stricter(threshold, own) := threshold if at_most(threshold, own)

# METADATA
# title: What is in the first set and not in the second
without(all, others) := all - others

# METADATA
# title: All are identifiers
# description: 1 to 128 code points, no control or format characters, no outer spaces.
identifiers(values) if {
	every value in values {
		is_string(value)
		count(value) <= 128
		regex.match(`^[^\p{Cc}\p{Cf}\p{Z}]([^\p{Cc}\p{Cf}]*[^\p{Cc}\p{Cf}\p{Z}])?$`, value)
	}
}

# METADATA
# title: All are true or false
booleans(values) if {
	every value in values { is_boolean(value) }
}

# METADATA
# title: All are among the allowed words
among(values, allowed) if {
	every value in values { value in allowed }
}

# METADATA
# title: All are whole numbers in a range, both ends included
within(values, lowest, highest) if {
	every value in values {
		whole(value)
		value >= lowest
		value <= highest
	}
}

# METADATA
# title: All are counts
# description: 0 to 2^20.
counts(values) if within(values, 0, 1048576)

# METADATA
# title: All are amounts of milliseconds, tokens or characters
# description: 0 to 2^40.
amounts(values) if within(values, 0, 1099511627776)

# METADATA
# title: All are milliseconds left until a deadline, which may have passed
# description: -2^40 to 2^40.
slacks(values) if within(values, -1099511627776, 1099511627776)

# METADATA
# title: All are versions
# description: 0 to 2^53-1, the largest whole number that every JSON reader keeps exactly.
versions(values) if within(values, 0, 9007199254740991)

# METADATA
# title: The violated rows in order
# description: invalid_input first, then as the precedence list says, then what the list does not name, by name.
ranked(violated, precedence) := rows if {
	rows := [row |
		some reason in array.concat(["invalid_input"], array.concat(precedence, unlisted(violated, precedence)))
		some row in violated
		row.reason == reason
	]
	count(rows) == count(violated)
}

# METADATA
# title: The reasons that the precedence list does not name, by name
unlisted(violated, precedence) := sort({row.reason |
	some row in violated
	row.reason != "invalid_input"
	not row.reason in precedence
})

# METADATA
# title: A violation as a decision lists it
# description: What was observed and its limit are looked up by reason, null where unknown.
violation(row, observed, limit) := {
	"reason": row.reason,
	"observed": object.get(observed, row.reason, null),
	"limit": object.get(limit, row.reason, null),
}

# METADATA
# scope: document
# title: The decision of a gate
# description: Admits when no row is violated; otherwise the first violated row gives the reason and the action.
decision(gate) := {
	"gate": gate.name,
	"admit": true,
	"reason": gate.admit.reason,
	"action": gate.admit.action,
	"violations": [],
	"effects": gate.admit.effects,
	"unknown": sort(gate.unknown),
} if {
	count(gate.violated) == 0
}

decision(gate) := {
	"gate": gate.name,
	"admit": false,
	"reason": gate.violated[0].reason,
	"action": gate.violated[0].action,
	"violations": gate.violations,
	"effects": [],
	"unknown": sort(gate.unknown),
}
