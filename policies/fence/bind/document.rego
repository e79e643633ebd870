# METADATA
# scope: package
# title: Bind
# description: May this score attach to the revision that it scored?
# custom:
#   protects: "The record: no score is bound late, twice, or to a revision that it did not score."
#   actions:
#     reject: Do not bind the score; mend the document, or the policies where the reason begins with policy_.
#     drop_score: Drop the score, and never replay it on any plane.
#     compensate_borrowed: Do not bind the score; compensate inside the borrowed plane, and replay nothing on the primary.
#     bind: Bind the score to the revision that it scored, and let the attempt bind no other.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [attempt_id, score_revision, current_revision, attempt_state]
#       examples:
#         - gate: fence.bind
#           attempt_id: A1
#           score_revision: R3
#           current_revision: R3
#           attempt_state: accepted
#       properties:
#         gate: {type: string, enum: [fence.bind], description: Names the gate.}
#         attempt_id: {type: string, minLength: 1, maxLength: 128, description: The attempt that scored.}
#         score_revision: {type: string, minLength: 1, maxLength: 128, description: The revision that was scored.}
#         current_revision:
#           description: The watermark, the revision that is current. A signal.
#           type: [string, "null"]
#           minLength: 1
#           maxLength: 128
#         attempt_state:
#           description: What became of the attempt. A signal.
#           type: [string, "null"]
#           enum: [accepted, shed, bound, expired, null]
#   - data.fence.bind:
#       type: object
#       additionalProperties: false
#       required: [precedence]
#       properties:
#         precedence: {type: array, uniqueItems: true, items: {type: string, not: {const: invalid_input}}}
package admission.fence.bind

import data.admission.guard

# METADATA
# title: The document is whole
# description: Every required field is there, and whatever is there is of its kind; a signal may be null or absent.
valid if {
	_ = input.attempt_id
	_ = input.score_revision
	guard.among(gates, {"fence.bind"})
	guard.among(states, {"accepted", "shed", "bound", "expired"})
	guard.identifiers(identifiers)
}

# METADATA
# scope: document
# title: The gate that the document names
gates contains input.gate

# METADATA
# scope: document
# title: What the document says became of the attempt, null apart
states contains input.attempt_state if input.attempt_state != null

# METADATA
# scope: document
# title: What the document gives as names, null apart
identifiers contains input.attempt_id
identifiers contains input.score_revision
identifiers contains input.current_revision if input.current_revision != null

# What the checks read, once: null is unknown.

# METADATA
# scope: document
# title: The revision that was scored, null where nobody says
default score_revision := null

score_revision := input.score_revision if is_string(input.score_revision)

# METADATA
# scope: document
# title: The revision that is current, null where nobody knows
default current_revision := null

current_revision := input.current_revision if is_string(input.current_revision)

# METADATA
# scope: document
# title: What became of the attempt, null where nobody knows
default attempt_state := null

attempt_state := input.attempt_state if is_string(input.attempt_state)

# METADATA
# scope: document
# title: The signals that this document's checks read and do not know
unknown contains "attempt_state" if attempt_state == null
unknown contains "current_revision" if current_revision == null
