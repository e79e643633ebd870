# METADATA
# scope: package
# title: Fence
# description: May this intent be admitted on its own plane and, if it borrows, on the borrowed one?
# custom:
#   protects: "The primary plane: borrowed capacity never spends its depth or its retries, and a shed on the borrowed plane changes neither."
#   actions:
#     reject: Admit nothing; mend the document, or the policies where the reason begins with policy_.
#     shed_intent: Shed the whole intent, and leave every counter of either plane as it is.
#     score_locally_or_skip: Do not borrow; score locally or skip the score, and leave the primary plane's retries alone.
#     proceed: Take the intent up on the primary plane, and count it there.
#     admit_score_only: Take the intent up on the primary plane, let the borrowed one only score, and count it on both.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [intent_id, borrow, primary]
#       examples:
#         - gate: fence
#           intent_id: I1
#           revision: R3
#           borrow: true
#           primary: {name: gpu-a, depth: 0, retry_budget: 3, health_age_ms: 500}
#           borrowed: {name: free-eval, depth: 0, retry_budget: 3, health_age_ms: 500}
#       properties:
#         gate: {type: string, enum: [fence], description: Names the gate.}
#         intent_id: {type: string, minLength: 1, maxLength: 128, description: The intent that asks.}
#         revision: {type: string, minLength: 1, maxLength: 128, description: The revision to score; required to borrow.}
#         borrow: {type: boolean, description: Whether the borrowed plane shall score.}
#         primary: {$ref: "#/definitions/plane", description: The intent's own plane.}
#         borrowed: {$ref: "#/definitions/plane", description: The plane that shall score; required to borrow.}
#       definitions:
#         plane:
#           type: object
#           additionalProperties: false
#           required: [name, depth, retry_budget, health_age_ms]
#           properties:
#             name:
#               description: The plane's name, that of fence.planes.
#               type: string
#               minLength: 1
#               maxLength: 128
#             depth:
#               description: Intents that are on the plane. A signal.
#               worse: higher
#               type: [integer, "null"]
#               minimum: 0
#               maximum: 1048576
#             retry_budget:
#               description: Retries that the plane has left. A signal.
#               worse: lower
#               type: [integer, "null"]
#               minimum: 0
#               maximum: 1048576
#             health_age_ms:
#               description: Milliseconds since the plane's health was last sampled. A signal.
#               worse: higher
#               type: [integer, "null"]
#               minimum: 0
#               maximum: 1099511627776
#             depth_limit:
#               description: The caller's own limit; the stricter of it and the threshold counts.
#               tightens: true
#               type: integer
#               minimum: 0
#               maximum: 1048576
#             health_max_age_ms:
#               description: The caller's own maximum; the stricter of it and the threshold counts.
#               tightens: true
#               type: integer
#               minimum: 0
#               maximum: 1099511627776
#   - data.fence:
#       type: object
#       additionalProperties: false
#       required: [default, planes, precedence]
#       properties:
#         default:
#           type: object
#           additionalProperties: false
#           required: [depth_limit, health_max_age_ms]
#           properties:
#             depth_limit: {type: integer, minimum: 0, maximum: 1048576}
#             health_max_age_ms: {type: integer, minimum: 0, maximum: 1099511627776}
#             sample_interval_ms: {type: integer, minimum: 1, maximum: 1099511627776, description: "Milliseconds between two samples of health; optional, so that an age below twice it is reported."}
#         planes:
#           type: object
#           additionalProperties:
#             type: object
#             additionalProperties: false
#             properties:
#               depth_limit: {type: integer, minimum: 0, maximum: 1048576}
#               health_max_age_ms: {type: integer, minimum: 0, maximum: 1099511627776}
#               sample_interval_ms: {type: integer, minimum: 1, maximum: 1099511627776, description: "Milliseconds between two samples of health; optional, so that an age below twice it is reported."}
#         precedence: {type: array, uniqueItems: true, items: {type: string, not: {const: invalid_input}}}
package admission.fence

import data.admission.guard

# METADATA
# title: The document is whole
# description: Every required field is there, whatever is there is of its kind, and the planes are two.
valid if {
	_ = input.intent_id
	_ = input.primary.name
	borrow_complete
	planes_distinct
	guard.among(gates, {"fence"})
	guard.identifiers(identifiers)
	guard.counts(counts)
	guard.amounts(amounts)
}

# METADATA
# scope: document
# title: Whoever borrows names a plane to borrow and a revision to score
borrow_complete if alone

borrow_complete if {
	borrowing
	_ = input.revision
	_ = input.borrowed.name
}

# METADATA
# scope: document
# title: The borrowed plane is another than the primary one
# description: Borrowing from oneself shares a budget.
planes_distinct if not borrowed_given

planes_distinct if guard.unlike(input.primary.name, input.borrowed.name)

# METADATA
# title: The intent borrows nothing
alone if input.borrow == false

# METADATA
# title: The intent borrows
borrowing if input.borrow == true

# METADATA
# title: The document carries a borrowed plane
borrowed_given if _ = input.borrowed

# METADATA
# scope: document
# title: The gate that the document names
gates contains input.gate

# METADATA
# scope: document
# title: What the document gives as names
identifiers contains input.intent_id
identifiers contains input.revision
identifiers contains input.primary.name
identifiers contains input.borrowed.name

# METADATA
# scope: document
# title: What the document gives as counts, null apart
counts contains input.primary.depth if input.primary.depth != null
counts contains input.primary.retry_budget if input.primary.retry_budget != null
counts contains input.primary.depth_limit
counts contains input.borrowed.depth if input.borrowed.depth != null
counts contains input.borrowed.retry_budget if input.borrowed.retry_budget != null
counts contains input.borrowed.depth_limit

# METADATA
# scope: document
# title: What the document gives as milliseconds, null apart
amounts contains input.primary.health_age_ms if input.primary.health_age_ms != null
amounts contains input.primary.health_max_age_ms
amounts contains input.borrowed.health_age_ms if input.borrowed.health_age_ms != null
amounts contains input.borrowed.health_max_age_ms

# What the checks read, once: null is unknown.

# METADATA
# scope: document
# title: Intents that are on the primary plane, null where nobody knows
default primary_depth := null

primary_depth := input.primary.depth if guard.whole(input.primary.depth)

# METADATA
# scope: document
# title: Retries that the primary plane has left, null where nobody knows
default primary_retry_budget := null

primary_retry_budget := input.primary.retry_budget if guard.whole(input.primary.retry_budget)

# METADATA
# scope: document
# title: Milliseconds since the primary plane's health was last sampled, null where nobody knows
default primary_health_age_ms := null

primary_health_age_ms := input.primary.health_age_ms if guard.whole(input.primary.health_age_ms)

# METADATA
# scope: document
# title: Intents that are on the borrowed plane, null where nobody knows
default borrowed_depth := null

borrowed_depth := input.borrowed.depth if guard.whole(input.borrowed.depth)

# METADATA
# scope: document
# title: Retries that the borrowed plane has left, null where nobody knows
default borrowed_retry_budget := null

borrowed_retry_budget := input.borrowed.retry_budget if guard.whole(input.borrowed.retry_budget)

# METADATA
# scope: document
# title: Milliseconds since the borrowed plane's health was last sampled, null where nobody knows
default borrowed_health_age_ms := null

borrowed_health_age_ms := input.borrowed.health_age_ms if guard.whole(input.borrowed.health_age_ms)

# Limits: the row of the plane over the default, tightened by what the document carries.

# METADATA
# title: Intents at which the thresholds call a plane of this name full
plane_depth_limit(name) := own if own := data.fence.planes[name].depth_limit

else := data.fence["default"].depth_limit

# METADATA
# title: Milliseconds that the thresholds let the health sample of a plane of this name age
plane_health_max_age_ms(name) := own if own := data.fence.planes[name].health_max_age_ms

else := data.fence["default"].health_max_age_ms

# METADATA
# scope: document
# title: Intents at which the primary plane is full, null where nobody says
default primary_depth_limit := null

primary_depth_limit := plane_depth_limit(input.primary.name) if not primary_depth_limit_given

primary_depth_limit := guard.stricter(plane_depth_limit(input.primary.name), input.primary.depth_limit)

# METADATA
# title: The document carries the primary plane's depth_limit
primary_depth_limit_given if _ = input.primary.depth_limit

# METADATA
# scope: document
# title: Milliseconds that the primary plane's health sample may age, null where nobody says
default primary_health_max_age_ms := null

primary_health_max_age_ms := plane_health_max_age_ms(input.primary.name) if not primary_health_max_age_ms_given

primary_health_max_age_ms := guard.stricter(plane_health_max_age_ms(input.primary.name), input.primary.health_max_age_ms)

# METADATA
# title: The document carries the primary plane's health_max_age_ms
primary_health_max_age_ms_given if _ = input.primary.health_max_age_ms

# METADATA
# scope: document
# title: Intents at which the borrowed plane is full, null where nobody says
default borrowed_depth_limit := null

borrowed_depth_limit := plane_depth_limit(input.borrowed.name) if not borrowed_depth_limit_given

borrowed_depth_limit := guard.stricter(plane_depth_limit(input.borrowed.name), input.borrowed.depth_limit)

# METADATA
# title: The document carries the borrowed plane's depth_limit
borrowed_depth_limit_given if _ = input.borrowed.depth_limit

# METADATA
# scope: document
# title: Milliseconds that the borrowed plane's health sample may age, null where nobody says
default borrowed_health_max_age_ms := null

borrowed_health_max_age_ms := plane_health_max_age_ms(input.borrowed.name) if not borrowed_health_max_age_ms_given

borrowed_health_max_age_ms := guard.stricter(plane_health_max_age_ms(input.borrowed.name), input.borrowed.health_max_age_ms)

# METADATA
# title: The document carries the borrowed plane's health_max_age_ms
borrowed_health_max_age_ms_given if _ = input.borrowed.health_max_age_ms

# METADATA
# scope: document
# title: The signals that this document's checks read and do not know
# description: Those of a borrowed plane only when borrowing.
unknown contains "primary.depth" if primary_depth == null
unknown contains "primary.retry_budget" if primary_retry_budget == null
unknown contains "primary.health_age_ms" if primary_health_age_ms == null

unknown contains "borrowed.depth" if {
	borrowing
	borrowed_depth == null
}

unknown contains "borrowed.retry_budget" if {
	borrowing
	borrowed_retry_budget == null
}

unknown contains "borrowed.health_age_ms" if {
	borrowing
	borrowed_health_age_ms == null
}
