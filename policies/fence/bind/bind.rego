# The bind gate: may this score attach to what it scored? One block a row of its decision table;
# fence.bind.precedence in thresholds.yaml says which violated row becomes the reason. No row replays the score.
package admission.fence.bind

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing, or a field is of the wrong type or out of range.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

# METADATA
# title: The score is late
# description: Its attempt was shed, has expired or is unknown; a late score is dropped, never replayed.
# custom:
#   reason: reject_late_score
#   action: drop_score
violated contains rego.metadata.rule().custom if not attempt_is_live

# METADATA
# title: The attempt was accepted, and is neither shed nor expired
attempt_is_live if attempt_state in {"accepted", "bound"}

# METADATA
# scope: document
# title: What each check saw, by reason
observed["reject_late_score"] := attempt_state

# METADATA
# scope: document
# title: What each check held it against, by reason
limit["reject_late_score"] := "accepted"

# METADATA
# title: A score is bound already
# description: One attempt binds one score.
# custom:
#   reason: reject_already_bound
#   action: drop_score
violated contains rego.metadata.rule().custom if not attempt_is_unbound

# METADATA
# title: No score is known to be bound to the attempt
attempt_is_unbound if not attempt_is_bound

# METADATA
# title: A score is bound to the attempt
attempt_is_bound if attempt_state == "bound"

observed["reject_already_bound"] := attempt_state
limit["reject_already_bound"] := "accepted"

# METADATA
# title: The revision has moved
# description: The score is of another revision than the current one, or the watermark is unknown.
# custom:
#   reason: reject_revision_moved
#   action: compensate_borrowed
violated contains rego.metadata.rule().custom if not revision_holds

# METADATA
# title: The score is of the revision that is current
revision_holds if guard.alike(score_revision, current_revision)

observed["reject_revision_moved"] := score_revision
limit["reject_revision_moved"] := current_revision

# METADATA
# title: The violated rows in the order of fence.bind.precedence
ranked := guard.ranked(violated, data.fence.bind.precedence)

# METADATA
# title: The decision
# description: What undefined rules leave behind is a reject.
# entrypoint: true
default decision := {
	"gate": "fence.bind",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "fence.bind",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": {"reason": "bind", "action": "bind", "effects": []},
})
