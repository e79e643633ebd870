# The retry gate: may this attempt retry, and which plane pays? One block a row of its decision table;
# fence.retry.precedence in thresholds.yaml says which violated row becomes the reason.
package admission.fence.retry

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing, or a field is of the wrong type or out of range.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

# METADATA
# title: Another plane would pay for the retry
# description: A retry is paid by the plane that created the attempt, and by no other.
# custom:
#   reason: reject_cross_plane_retry
#   action: compensate_on_creator
violated contains rego.metadata.rule().custom if not creator_pays

# METADATA
# title: The plane that created the attempt pays for the retry
creator_pays if guard.alike(creator, payer)

# METADATA
# scope: document
# title: What each check saw, by reason
observed["reject_cross_plane_retry"] := payer

# METADATA
# scope: document
# title: What each check held it against, by reason
limit["reject_cross_plane_retry"] := creator

# METADATA
# title: The retry budget is spent
# description: Nothing is left, or nobody knows; compensate inside the plane or shed, never pass the retry on.
# custom:
#   reason: compensate_or_shed
#   action: compensate_or_shed
violated contains rego.metadata.rule().custom if not budget_left

# METADATA
# title: The plane that would pay has a retry left
budget_left if guard.less(0, retry_budget)

observed["compensate_or_shed"] := retry_budget
limit["compensate_or_shed"] := 0

# METADATA
# scope: document
# title: What goes on when the retry is admitted, null where nobody says who pays
# description: The plane that created the attempt pays, and no other.
default admitted := null

admitted := {
	"reason": "retry_same_plane",
	"action": "retry_same_plane",
	"effects": [{"plane": input.charge.name, "counter": "retry_budget", "delta": -1}],
}

# METADATA
# title: The violated rows in the order of fence.retry.precedence
ranked := guard.ranked(violated, data.fence.retry.precedence)

# METADATA
# title: The decision
# description: What undefined rules leave behind is a reject.
# entrypoint: true
default decision := {
	"gate": "fence.retry",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "fence.retry",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": admitted,
})
