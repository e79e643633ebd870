# The fan-out gate: may this class of tool calls enqueue more work? One block a row of its decision table, in the
# order of the rows; fanout.precedence in thresholds.yaml says which violated row becomes the reason.
package admission.fanout

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing, or a field is of the wrong type or out of range.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

# METADATA
# title: No such class
# description: The thresholds know no class of this name; nothing else is read.
# custom:
#   reason: class_unknown
#   action: reject_class
violated contains rego.metadata.rule().custom if not class_known

# METADATA
# title: The thresholds know the class
class_known if is_object(class)

# METADATA
# scope: document
# title: What each check saw, by reason
observed["class_unknown"] := class_name

# METADATA
# title: The class is switched off
# description: In the thresholds or by the document; what is queued is drained.
# custom:
#   reason: class_disabled
#   action: reject_class_and_drain
violated contains rego.metadata.rule().custom if not class_enabled

# METADATA
# scope: document
# title: Neither the thresholds nor the document have switched the class off
class_enabled if unmeasured

class_enabled if {
	enabled_by_thresholds
	enabled_by_document
}

observed["class_disabled"] := false

# METADATA
# scope: document
# title: What each check held it against, by reason
limit["class_disabled"] := true

# METADATA
# title: The class is reserved
# description: Interactive work must not share this worker; nothing else is read.
# custom:
#   reason: class_reserved
#   action: split_queues
violated contains rego.metadata.rule().custom if not class_may_share

# METADATA
# title: The class may share this worker
class_may_share if not reserved

observed["class_reserved"] := true
limit["class_reserved"] := false

# METADATA
# title: Too little slack
# description: Less time is left until the deadline than slack_ms_below, which draining takes, or it is unknown.
# custom:
#   reason: slack_below_floor
#   action: drain
violated contains rego.metadata.rule().custom if not slack_above_floor

# METADATA
# scope: document
# title: Enough slack is left to drain, or slack is neither known nor required
slack_above_floor if unmeasured

slack_above_floor if guard.at_most(slack_floor_ms, deadline_slack_ms)

slack_above_floor if unheld("deadline_slack_ms", deadline_slack_ms)

observed["slack_below_floor"] := deadline_slack_ms
limit["slack_below_floor"] := slack_floor_ms

# METADATA
# title: Tool calls nest too deep
# description: Deeper than the stricter max_depth, or unknown; nested calls hide work from the queue.
# custom:
#   reason: tool_depth_over_limit
#   action: reject_class_and_drain
violated contains rego.metadata.rule().custom if not depth_within_limit

# METADATA
# scope: document
# title: Tool calls nest no deeper than they may, or depth is neither known nor required
depth_within_limit if unmeasured

depth_within_limit if guard.at_most(tool_depth, max_depth)

depth_within_limit if unheld("tool_depth", tool_depth)

observed["tool_depth_over_limit"] := tool_depth
limit["tool_depth_over_limit"] := max_depth

# METADATA
# title: Too many siblings
# description: One call fanned out into more calls than the stricter max_siblings, or it is unknown.
# custom:
#   reason: siblings_over_limit
#   action: reject_class_and_drain
violated contains rego.metadata.rule().custom if not siblings_within_limit

# METADATA
# scope: document
# title: No call fanned out into more calls than it may, or nobody asks
siblings_within_limit if unmeasured

siblings_within_limit if siblings_unasked

siblings_within_limit if guard.at_most(siblings, max_siblings)

observed["siblings_over_limit"] := siblings
limit["siblings_over_limit"] := max_siblings

# METADATA
# title: The queue is too old
# description: Its head has waited longer than the class may, or nobody knows how long.
# custom:
#   reason: queue_age_over_limit
#   action: drain
violated contains rego.metadata.rule().custom if not queue_age_within_limit

# METADATA
# scope: document
# title: The queue's head has waited no longer than it may, or age is neither known nor required
queue_age_within_limit if unmeasured

queue_age_within_limit if guard.at_most(queue_age_ms, queue_age_limit_ms)

queue_age_within_limit if unheld("queue_age_ms", queue_age_ms)

observed["queue_age_over_limit"] := queue_age_ms
limit["queue_age_over_limit"] := queue_age_limit_ms

# METADATA
# title: Retries without a success
# description: Nothing succeeded in the window, and retries reached the minimum or are unknown; that is no load.
# custom:
#   reason: retry_amplification
#   action: reject_class_and_drain
violated contains rego.metadata.rule().custom if not retries_move_work

# METADATA
# scope: document
# title: Retries are load, and no amplification
# description: They are few, or need not be known, or something succeeded; unknown successes are a row of their own.
retries_move_work if unmeasured

retries_move_work if successes == null

retries_move_work if guard.less(0, successes)

retries_move_work if guard.less(retries, data.fanout.retry_amplification_min)

retries_move_work if unheld("retries_in_window", retries)

observed["retry_amplification"] := retries
limit["retry_amplification"] := data.fanout.retry_amplification_min

# METADATA
# title: Tokens burn without successes
# description: More tokens a success than the class may spend; no success at all counts as infinite.
# custom:
#   reason: token_burn_vs_success
#   action: reject_class_and_drain
violated contains rego.metadata.rule().custom if not burn_within_limit

# METADATA
# title: Nobody knows what tokens buy
# description: A required one of tokens and successes is unknown, or their meter's reading is old; that counts as infinite.
# custom:
#   reason: token_burn_vs_success
#   action: reject_until_meter
violated contains rego.metadata.rule().custom if not meter_known

# METADATA
# scope: document
# title: Tokens buy enough successes
# description: What nobody knows is the row above, unless the class need not bring it.
burn_within_limit if not meter_known

burn_within_limit if unmeasured

burn_within_limit if {
	guard.less(0, successes)
	guard.at_most(tokens, token_limit)
}

burn_within_limit if {
	guard.less(0, successes)
	unheld("tokens_in_window", tokens)
}

burn_within_limit if unheld("successes_in_window", successes)

observed["token_burn_vs_success"] := tokens
limit["token_burn_vs_success"] := token_limit

# METADATA
# title: One job may go through as a probe
# description: >-
#   A window that has run empty would keep its class closed for good: nothing succeeded, so nothing is admitted. When
#   that is the only thing wrong, the meter is live and nothing is under way, one probe goes through.
probe if {
	data.fanout.probe_when_idle == true
	{row.reason | some row in violated} == {"token_burn_vs_success"}
	meter_live
	tokens == 0
	successes == 0
	retries == 0
	inflight == 0
}

# METADATA
# scope: document
# title: The violated rows that a probe does not excuse
standing contains row if {
	some row in violated
	not probe
}

# METADATA
# title: What goes on when the work is admitted
# description: A probe; else the worker is kept, and watched once the queue has waited more than half its limit.
admitted := {"reason": "admit_probe", "action": "probe", "effects": []} if probe

else := {"reason": "admit", "action": "keep_one_worker_watch_slack", "effects": []} if queue_is_half_spent

else := {"reason": "admit", "action": "keep_worker_cap_depth", "effects": []}

# METADATA
# title: The head of the queue has waited more than half of what it may
queue_is_half_spent if guard.less(queue_age_limit_ms, guard.times(queue_age_ms, 2))

# METADATA
# title: The rows that stand, in the order of fanout.precedence
ranked := guard.ranked(standing, data.fanout.precedence)

# METADATA
# title: The decision
# description: What undefined rules leave behind is a reject.
# entrypoint: true
default decision := {
	"gate": "fanout",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "fanout",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": admitted,
})
