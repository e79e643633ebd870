# The subagent gate: may a coding agent start another subagent? One block a row of its decision table, in the order of
# the rows; subagent.precedence in thresholds.yaml says which violated row becomes the reason.
package admission.subagent

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing, or a field is of the wrong type or out of range.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

# METADATA
# title: No such role
# description: The thresholds know no role of this name; nothing else is read.
# custom:
#   reason: role_unknown
#   action: work_inline
violated contains rego.metadata.rule().custom if not role_known

# METADATA
# title: The thresholds know the role
role_known if is_object(role)

# METADATA
# scope: document
# title: What was observed, by reason
observed["role_unknown"] := role_name

# METADATA
# title: The role is switched off
# description: Off in the thresholds; the agent that asked does the work.
# custom:
#   reason: role_disabled
#   action: work_inline
violated contains rego.metadata.rule().custom if not role_enabled

# METADATA
# scope: document
# title: The role is switched on
role_enabled if not role_sets_enabled

role_enabled if role.enabled == true

observed["role_disabled"] := false

# METADATA
# scope: document
# title: The limit of what was observed, by reason
limit["role_disabled"] := true

# METADATA
# title: Subagents nest too deep
# description: The new one would run deeper than the stricter max_depth, or nobody knows how deep.
# custom:
#   reason: depth_over_limit
#   action: work_inline
violated contains rego.metadata.rule().custom if not depth_within_limit

# METADATA
# scope: document
# title: The new subagent runs no deeper than it may
depth_within_limit if unmeasured

depth_within_limit if guard.at_most(depth, max_depth)

observed["depth_over_limit"] := depth
limit["depth_over_limit"] := max_depth

# METADATA
# title: The parent has started too many subagents
# description: As many as the stricter max_siblings, running or finished, or nobody knows; this would be one more.
# custom:
#   reason: siblings_over_limit
#   action: work_inline
violated contains rego.metadata.rule().custom if not siblings_below_limit

# METADATA
# scope: document
# title: The parent may start one more
siblings_below_limit if unmeasured

siblings_below_limit if guard.less(siblings_started, max_siblings)

observed["siblings_over_limit"] := siblings_started
limit["siblings_over_limit"] := max_siblings

# METADATA
# title: The role's budget is spent
# description: Tokens spent and expected pass what the role may spend in a session, or nobody knows what was spent.
# custom:
#   reason: session_budget_spent
#   action: report_and_stop
violated contains rego.metadata.rule().custom if not budget_covers

# METADATA
# scope: document
# title: The budget covers the new subagent too
budget_covers if unmeasured

budget_covers if guard.at_most(projected_tokens, role.session_token_budget)

observed["session_budget_spent"] := projected_tokens
limit["session_budget_spent"] := role.session_token_budget

# METADATA
# title: Tokens buy no success
# description: More was spent than tokens_per_success for each success and one to come, or either is unknown.
# custom:
#   reason: token_burn_vs_success
#   action: report_and_stop
violated contains rego.metadata.rule().custom if not burn_within_limit

# METADATA
# scope: document
# title: What was spent has bought successes
burn_within_limit if unmeasured

burn_within_limit if guard.at_most(tokens, token_limit)

observed["token_burn_vs_success"] := tokens
limit["token_burn_vs_success"] := token_limit

# METADATA
# title: The violated rows in order
ranked := guard.ranked(violated, data.subagent.precedence)

# METADATA
# title: The decision
# description: What undefined rules leave behind is a reject.
# entrypoint: true
default decision := {
	"gate": "subagent",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "subagent",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": {"reason": "admit", "action": "start_subagent", "effects": []},
})
