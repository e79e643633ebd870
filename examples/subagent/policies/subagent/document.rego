# METADATA
# scope: package
# title: Subagents
# description: May a coding agent start another subagent, or does it nest, fan out and spend without a result?
# custom:
#   protects: "The session: its tokens go into results, and not into subagents that start subagents."
#   actions:
#     start_subagent: Start the subagent, and count it as started before you ask again.
#     work_inline: Do the work in the agent that asked.
#     report_and_stop: Tell whoever gave the task what was spent and what came of it, and start nothing more.
#     reject: Start nothing, and mend the document.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [role, parent_id, depth, siblings_started, tokens_in_session, successes_in_session]
#       examples:
#         - gate: subagent
#           role: explorer
#           parent_id: session-7f3
#           depth: 1
#           siblings_started: 3
#           tokens_in_session: 40000
#           successes_in_session: 2
#       properties:
#         gate: {type: string, enum: [subagent], description: Names the gate.}
#         role:
#           description: What the subagent would be, one of subagent.roles.
#           type: string
#           minLength: 1
#           maxLength: 128
#         parent_id:
#           description: The agent that asks. No check reads it; it tells recorded documents apart.
#           type: string
#           minLength: 1
#           maxLength: 128
#         depth:
#           description: The level that the new subagent would run at; 1 is started by the top agent. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         siblings_started:
#           description: Subagents of any role that this parent has ever started, finished ones too. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         tokens_in_session:
#           description: Tokens that subagents of this role have spent in this session. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1099511627776
#         successes_in_session:
#           description: Subagents of this role in this session whose result was accepted. A signal.
#           worse: lower
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         est_tokens:
#           description: Tokens that the new subagent is expected to spend; absent counts as 0.
#           worse: higher
#           type: integer
#           minimum: 0
#           maximum: 1099511627776
#         max_depth:
#           description: The caller's own limit; the stricter of it and the threshold counts.
#           tightens: true
#           type: integer
#           minimum: 0
#           maximum: 1048576
#         max_siblings:
#           description: The caller's own limit; the stricter of it and the threshold counts.
#           tightens: true
#           type: integer
#           minimum: 0
#           maximum: 1048576
#   - data.subagent:
#       type: object
#       additionalProperties: false
#       required: [roles, precedence]
#       properties:
#         roles:
#           type: object
#           additionalProperties:
#             type: object
#             additionalProperties: false
#             required: [max_depth, max_siblings, tokens_per_success, session_token_budget]
#             properties:
#               enabled: {type: boolean}
#               max_depth: {type: integer, minimum: 0, maximum: 1048576}
#               max_siblings: {type: integer, minimum: 0, maximum: 1048576}
#               tokens_per_success: {type: integer, minimum: 0, maximum: 1099511627776}
#               session_token_budget: {type: integer, minimum: 0, maximum: 1099511627776}
#         precedence: {type: array, uniqueItems: true, items: {type: string, not: {const: invalid_input}}}
package admission.subagent

import data.admission.guard

# METADATA
# title: The document is whole
# description: Every required field is there, and whatever is there is of its kind; a signal may be null or absent.
valid if {
	_ = input.role
	_ = input.parent_id
	guard.among(gates, {"subagent"})
	guard.identifiers(identifiers)
	guard.counts(counts)
	guard.amounts(amounts)
}

# METADATA
# scope: document
# title: The gates that the document names
gates contains input.gate

# METADATA
# scope: document
# title: What must be an identifier
identifiers contains input.role
identifiers contains input.parent_id

# METADATA
# scope: document
# title: What must be a count
counts contains input.depth if input.depth != null
counts contains input.siblings_started if input.siblings_started != null
counts contains input.successes_in_session if input.successes_in_session != null
counts contains input.max_depth
counts contains input.max_siblings

# METADATA
# scope: document
# title: What must be an amount
amounts contains input.tokens_in_session if input.tokens_in_session != null
amounts contains input.est_tokens

# METADATA
# scope: document
# title: The role as the document names it
default role_name := null

role_name := input.role

# METADATA
# title: The thresholds of the role
role := data.subagent.roles[input.role]

# METADATA
# title: There is no role to measure by
# description: Then no check but that of the role reads a signal.
unmeasured if not role_known

# METADATA
# title: The thresholds switch the role on or off
# description: A role that does not set enabled is on.
role_sets_enabled if _ = role.enabled

# What the checks read, once: null is unknown.

# METADATA
# scope: document
# title: The level of the new subagent
default depth := null

depth := input.depth if guard.whole(input.depth)

# METADATA
# scope: document
# title: How many subagents the parent has ever started
default siblings_started := null

siblings_started := input.siblings_started if guard.whole(input.siblings_started)

# METADATA
# scope: document
# title: What the role has spent
default tokens := null

tokens := input.tokens_in_session if guard.whole(input.tokens_in_session)

# METADATA
# scope: document
# title: How often the role has succeeded
default successes := null

successes := input.successes_in_session if guard.whole(input.successes_in_session)

# METADATA
# scope: document
# title: What the role will have spent
# description: With what the new subagent is expected to spend, where the document says.
default projected_tokens := null

projected_tokens := tokens if not est_tokens_given

projected_tokens := guard.total(tokens, input.est_tokens)

# METADATA
# title: The document says what the new subagent will spend
est_tokens_given if _ = input.est_tokens

# Limits: those of the role, tightened by what the document carries.

# METADATA
# scope: document
# title: The deepest level
default max_depth := null

max_depth := role.max_depth if not max_depth_given

max_depth := guard.stricter(role.max_depth, input.max_depth)

# METADATA
# title: The document carries a limit of the depth
max_depth_given if _ = input.max_depth

# METADATA
# scope: document
# title: The most subagents of one parent
default max_siblings := null

max_siblings := role.max_siblings if not max_siblings_given

max_siblings := guard.stricter(role.max_siblings, input.max_siblings)

# METADATA
# title: The document carries a limit of the siblings
max_siblings_given if _ = input.max_siblings

# METADATA
# scope: document
# title: What the role may spend for its successes
# description: For those that it has had and for the one that is about to start, so that the first one can.
default token_limit := null

token_limit := guard.times(role.tokens_per_success, guard.total(successes, 1))

# METADATA
# scope: document
# title: The signals that this document's checks read and do not know
# description: None when the role is unknown, since then no check reads a signal.
unknown contains name if {
	role_known
	some name in unread
}

# METADATA
# scope: document
# title: The signals that nobody knows
unread contains "depth" if depth == null
unread contains "siblings_started" if siblings_started == null
unread contains "tokens_in_session" if tokens == null
unread contains "successes_in_session" if successes == null
