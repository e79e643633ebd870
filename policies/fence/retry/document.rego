# METADATA
# scope: package
# title: Retry
# description: May this attempt retry, and does the plane that created it pay?
# custom:
#   protects: "The primary plane's retry budget: a retry is paid by the plane that created the attempt."
#   actions:
#     reject: Do not retry; mend the document, or the policies where the reason begins with policy_.
#     compensate_on_creator: Do not let another plane pay; compensate on the plane that created the attempt.
#     compensate_or_shed: Do not retry; compensate inside the plane or shed the attempt, and pass nothing on to another.
#     retry_same_plane: Retry once on the plane that created the attempt, and take the retry off its budget.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [attempt_id, created_on, charge]
#       examples:
#         - gate: fence.retry
#           attempt_id: A1
#           created_on: free-eval
#           charge: {name: free-eval, retry_budget: 3}
#       properties:
#         gate: {type: string, enum: [fence.retry], description: Names the gate.}
#         attempt_id: {type: string, minLength: 1, maxLength: 128, description: The attempt that asks to retry.}
#         created_on: {type: string, minLength: 1, maxLength: 128, description: The plane that created the attempt.}
#         charge:
#           description: What would pay for the retry.
#           type: object
#           additionalProperties: false
#           required: [name, retry_budget]
#           properties:
#             name: {type: string, minLength: 1, maxLength: 128, description: The plane that would pay.}
#             retry_budget:
#               description: Retries that this plane has left. A signal.
#               worse: lower
#               type: [integer, "null"]
#               minimum: 0
#               maximum: 1048576
#   - data.fence.retry:
#       type: object
#       additionalProperties: false
#       required: [precedence]
#       properties:
#         precedence: {type: array, uniqueItems: true, items: {type: string, not: {const: invalid_input}}}
package admission.fence.retry

import data.admission.guard

# METADATA
# title: The document is whole
# description: Every required field is there, and whatever is there is of its kind; a signal may be null or absent.
valid if {
	_ = input.attempt_id
	_ = input.created_on
	_ = input.charge.name
	guard.among(gates, {"fence.retry"})
	guard.identifiers(identifiers)
	guard.counts(counts)
}

# METADATA
# scope: document
# title: The gate that the document names
gates contains input.gate

# METADATA
# scope: document
# title: What the document gives as names
identifiers contains input.attempt_id
identifiers contains input.created_on
identifiers contains input.charge.name

# METADATA
# scope: document
# title: What the document gives as counts, null apart
counts contains input.charge.retry_budget if input.charge.retry_budget != null

# What the checks read, once: null is unknown.

# METADATA
# scope: document
# title: Retries that the plane that would pay has left, null where nobody knows
default retry_budget := null

retry_budget := input.charge.retry_budget if guard.whole(input.charge.retry_budget)

# METADATA
# scope: document
# title: The plane that would pay, null where nobody says
default payer := null

payer := input.charge.name

# METADATA
# scope: document
# title: The plane that created the attempt, null where nobody says
default creator := null

creator := input.created_on

# METADATA
# scope: document
# title: The signals that this document's checks read and do not know
unknown contains "charge.retry_budget" if retry_budget == null
