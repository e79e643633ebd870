# The fence: may this intent be admitted, and may it borrow another plane to score? One block a row of its decision
# table, in the order of the rows; fence.precedence in thresholds.yaml says which violated row becomes the reason.
# A shed on the borrowed plane never changes the primary plane's retry budget: no reject has an effect.
package admission.fence

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing, of the wrong type or out of range; or it borrows no other plane, or no revision.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

# METADATA
# title: The primary plane's health is stale
# description: Its last sample is older than its maximum age, or was never taken; silence is not capacity.
# custom:
#   reason: reject_stale_primary_health
#   action: shed_intent
violated contains rego.metadata.rule().custom if not primary_fresh

# METADATA
# title: The primary plane's health was sampled lately
primary_fresh if guard.at_most(primary_health_age_ms, primary_health_max_age_ms)

# METADATA
# scope: document
# title: What each check saw, by reason
observed["reject_stale_primary_health"] := primary_health_age_ms

# METADATA
# scope: document
# title: What each check held it against, by reason
limit["reject_stale_primary_health"] := primary_health_max_age_ms

# METADATA
# title: The primary plane is full
# description: Its depth is at its limit, or unknown.
# custom:
#   reason: reject_primary_depth
#   action: shed_intent
violated contains rego.metadata.rule().custom if not primary_has_room

# METADATA
# title: The primary plane has room for one more intent
primary_has_room if guard.less(primary_depth, primary_depth_limit)

observed["reject_primary_depth"] := primary_depth
limit["reject_primary_depth"] := primary_depth_limit

# METADATA
# title: The primary plane's retry budget is spent
# description: Nothing is left to retry or to compensate with, or nobody knows what is left.
# custom:
#   reason: reject_primary_retry_exhausted
#   action: shed_intent
violated contains rego.metadata.rule().custom if not primary_can_retry

# METADATA
# title: The primary plane has a retry left
primary_can_retry if guard.less(0, primary_retry_budget)

observed["reject_primary_retry_exhausted"] := primary_retry_budget
limit["reject_primary_retry_exhausted"] := 0

# METADATA
# title: The borrowed plane's health is stale
# description: Its last sample is older than its maximum age, or was never taken; silence is not capacity.
# custom:
#   reason: reject_stale_borrowed_health
#   action: score_locally_or_skip
violated contains rego.metadata.rule().custom if not borrowed_fresh

# METADATA
# scope: document
# title: The borrowed plane's health was sampled lately, or none is borrowed
borrowed_fresh if alone

borrowed_fresh if guard.at_most(borrowed_health_age_ms, borrowed_health_max_age_ms)

observed["reject_stale_borrowed_health"] := borrowed_health_age_ms
limit["reject_stale_borrowed_health"] := borrowed_health_max_age_ms

# METADATA
# title: The borrowed plane is full
# description: Its depth is at its limit, or unknown.
# custom:
#   reason: shed_borrowed_depth
#   action: score_locally_or_skip
violated contains rego.metadata.rule().custom if not borrowed_has_room

# METADATA
# scope: document
# title: The borrowed plane has room for one more intent, or none is borrowed
borrowed_has_room if alone

borrowed_has_room if guard.less(borrowed_depth, borrowed_depth_limit)

observed["shed_borrowed_depth"] := borrowed_depth
limit["shed_borrowed_depth"] := borrowed_depth_limit

# METADATA
# title: The borrowed plane's retry budget is spent
# description: Nothing is left to retry or to compensate with, or nobody knows what is left.
# custom:
#   reason: shed_borrowed_retry
#   action: score_locally_or_skip
violated contains rego.metadata.rule().custom if not borrowed_can_retry

# METADATA
# scope: document
# title: The borrowed plane has a retry left, or none is borrowed
borrowed_can_retry if alone

borrowed_can_retry if guard.less(0, borrowed_retry_budget)

observed["shed_borrowed_retry"] := borrowed_retry_budget
limit["shed_borrowed_retry"] := 0

# METADATA
# scope: document
# title: What goes on when the intent is admitted, null where nobody says whether it borrows
# description: Each plane that takes part is one deeper, and no retry budget changes.
default admitted := null

admitted := {
	"reason": "admit",
	"action": "proceed",
	"effects": [{"plane": input.primary.name, "counter": "depth", "delta": 1}],
} if {
	alone
}

admitted := {
	"reason": "admit",
	"action": "admit_score_only",
	"effects": [
		{"plane": input.primary.name, "counter": "depth", "delta": 1},
		{"plane": input.borrowed.name, "counter": "depth", "delta": 1},
	],
} if {
	borrowing
}

# METADATA
# title: The violated rows in the order of fence.precedence
ranked := guard.ranked(violated, data.fence.precedence)

# METADATA
# title: The decision
# description: What undefined rules leave behind is a reject.
# entrypoint: true
default decision := {
	"gate": "fence",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "fence",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": admitted,
})
