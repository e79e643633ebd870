# METADATA
# scope: package
# title: Fan-out
# description: May this class of tool calls enqueue more work, or does it burn tokens while its deadline runs out?
# custom:
#   protects: "The deadline: no worker is kept busy by nested calls and retries that burn tokens and move nothing."
#   actions:
#     reject: Enqueue nothing; mend the document, or the policies where the reason begins with policy_.
#     reject_class: Enqueue nothing of this class; name one that the thresholds know, or add it to them.
#     reject_class_and_drain: Stop the publishers of this class, and drain what has entered already; add no worker.
#     split_queues: Enqueue nothing of this class here; give it a queue and a worker of its own before anything is scaled.
#     drain: Let what is queued finish, and enqueue nothing more of this class until slack and queue age have recovered.
#     reject_until_meter: Enqueue nothing of this class until its meter tells tokens and successes again; mend the meter.
#     keep_one_worker_watch_slack: Enqueue the work, keep to one worker, and watch the slack.
#     keep_worker_cap_depth: Enqueue the work, keep the worker, and keep the depth of tool calls capped.
#     probe: Enqueue this one job, and nothing else of this class until the meter shows what became of it.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [class, queue_age_ms, deadline_slack_ms, tokens_in_window, successes_in_window, tool_depth, retries_in_window]
#       examples:
#         - gate: fanout
#           class: tool_fanout
#           queue_age_ms: 1000
#           deadline_slack_ms: 90000
#           tokens_in_window: 4000
#           successes_in_window: 4
#           tool_depth: 0
#           retries_in_window: 0
#       properties:
#         gate: {type: string, enum: [fanout], description: Names the gate.}
#         class: {type: string, minLength: 1, maxLength: 128, description: "The class of work, one of classes."}
#         queue_age_ms:
#           description: Milliseconds that the head of the queue has waited. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1099511627776
#         deadline_slack_ms:
#           description: Milliseconds left until the deadline; negative once it has passed. A signal.
#           worse: lower
#           type: [integer, "null"]
#           minimum: -1099511627776
#           maximum: 1099511627776
#         tokens_in_window:
#           description: Tokens spent in the meter's window. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1099511627776
#         successes_in_window:
#           description: Jobs that succeeded in the meter's window. A signal.
#           worse: lower
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         tool_depth:
#           description: How deep tool calls nest. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         retries_in_window:
#           description: Retries in the meter's window. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         siblings:
#           description: Calls that one call fanned out into; absent is not checked. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         inflight:
#           description: Jobs of the class that are under way; a probe needs 0. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1048576
#         meter_age_ms:
#           description: Milliseconds since the meter was last read; absent is not checked. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1099511627776
#         class_enabled:
#           description: Whether whoever switches classes has left this one on.
#           tightens: true
#           type: boolean
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
#   - data.fanout:
#       type: object
#       additionalProperties: false
#       required: [retry_amplification_min, probe_when_idle, meter_max_age_ms, precedence]
#       properties:
#         retry_amplification_min: {type: integer, minimum: 0, maximum: 1048576}
#         probe_when_idle: {type: boolean}
#         meter_max_age_ms: {type: integer, minimum: 0, maximum: 1099511627776}
#         precedence: {type: array, uniqueItems: true, items: {type: string, not: {const: invalid_input}}}
#   - data.classes:
#       type: object
#       additionalProperties:
#         type: object
#         additionalProperties: false
#         if: {required: [reserved], properties: {reserved: {const: true}}}
#         else: {required: [max_depth, max_siblings, reject_when]}
#         properties:
#           enabled: {type: boolean, description: "Whether the class is let in at all; absent: true."}
#           reserved: {type: boolean, description: "Whether the class must not share this worker; absent: false."}
#           max_depth: {type: integer, minimum: 0, maximum: 1048576}
#           max_siblings: {type: integer, minimum: 0, maximum: 1048576}
#           requires:
#             description: The signals that work of the class must bring; absent, the six required ones.
#             type: array
#             uniqueItems: true
#             items:
#               type: string
#               enum:
#                 - queue_age_ms
#                 - deadline_slack_ms
#                 - tokens_in_window
#                 - successes_in_window
#                 - tool_depth
#                 - retries_in_window
#                 - siblings
#                 - meter_age_ms
#           reject_when:
#             type: object
#             additionalProperties: false
#             required: [queue_age_ms, slack_ms_below, tokens_per_success_est]
#             properties:
#               queue_age_ms: {type: integer, minimum: 0, maximum: 1099511627776}
#               slack_ms_below: {type: integer, minimum: -1099511627776, maximum: 1099511627776}
#               tokens_per_success_est: {type: integer, minimum: 0, maximum: 1099511627776}
#   - data.queue:
#       type: object
#       additionalProperties: false
#       required: [visibility_timeout_s, max_inflight]
#       properties:
#         visibility_timeout_s: {type: integer, minimum: 0, maximum: 1048576}
#         max_inflight: {type: integer, minimum: 0, maximum: 1048576}
#   - data.meter:
#       type: object
#       additionalProperties: false
#       required: [window_s]
#       properties:
#         window_s: {type: integer, minimum: 1, maximum: 1048576}
#   - data.rollback:
#       type: object
#       additionalProperties: false
#       required: [drain_timeout_s, fail_closed]
#       properties:
#         drain_timeout_s: {type: integer, minimum: 0, maximum: 1048576}
#         fail_closed: {type: boolean}
package admission.fanout

import data.admission.guard

# METADATA
# title: The document is whole
# description: Every required field is there, and whatever is there is of its kind; a signal may be null or absent.
valid if {
	_ = input.class
	guard.among(gates, {"fanout"})
	guard.identifiers(identifiers)
	guard.amounts(amounts)
	guard.slacks(slacks)
	guard.counts(counts)
	guard.booleans(booleans)
}

# METADATA
# scope: document
# title: The gate that the document names
gates contains input.gate

# METADATA
# scope: document
# title: What the document gives as names
identifiers contains input.class

# METADATA
# scope: document
# title: What the document gives as milliseconds and tokens, null apart
amounts contains input.queue_age_ms if input.queue_age_ms != null
amounts contains input.tokens_in_window if input.tokens_in_window != null
amounts contains input.meter_age_ms if input.meter_age_ms != null

# METADATA
# scope: document
# title: What the document gives as slack, null apart
slacks contains input.deadline_slack_ms if input.deadline_slack_ms != null

# METADATA
# scope: document
# title: What the document gives as counts, null apart
counts contains input.successes_in_window if input.successes_in_window != null
counts contains input.tool_depth if input.tool_depth != null
counts contains input.retries_in_window if input.retries_in_window != null
counts contains input.siblings if input.siblings != null
counts contains input.inflight if input.inflight != null
counts contains input.max_depth
counts contains input.max_siblings

# METADATA
# scope: document
# title: What the document gives as true or false
booleans contains input.class_enabled

# The class, and what it requires: the six signals unless it lists its own.

# METADATA
# scope: document
# title: The name of the class, null where the document has none
default class_name := null

class_name := input.class

# METADATA
# title: What the thresholds say of the class
class := data.classes[input.class]

# METADATA
# title: The class must not share a worker
reserved if class.reserved == true

# METADATA
# scope: document
# title: No signal is read
# description: The class is unknown or reserved; it is rejected for that, and for nothing else.
unmeasured if not class_known

unmeasured if reserved

# METADATA
# title: The signals that a class must bring unless it lists its own
six := {
	"deadline_slack_ms",
	"queue_age_ms",
	"retries_in_window",
	"successes_in_window",
	"tokens_in_window",
	"tool_depth",
}

# METADATA
# scope: document
# title: The signals that this class must bring
required contains name if some name in class.requires

required contains name if {
	not class_lists_requires
	some name in six
}

# METADATA
# title: The class lists the signals that it must bring
class_lists_requires if _ = class.requires

# METADATA
# title: Those of the six signals that this class need not bring
spared := guard.without(six, required)

# METADATA
# title: The signal is unknown, and the class need not bring it
# description: Such a signal is not held against the work.
unheld(name, value) if {
	value == null
	name in spared
}

# Switches: off by either is off.

# METADATA
# scope: document
# title: The thresholds leave the class on
enabled_by_thresholds if class.enabled == true

enabled_by_thresholds if not class_sets_enabled

# METADATA
# title: The class has a switch in the thresholds
class_sets_enabled if _ = class.enabled

# METADATA
# scope: document
# title: The document leaves the class on
enabled_by_document if input.class_enabled == true

enabled_by_document if not class_enabled_given

# METADATA
# title: The document carries class_enabled
class_enabled_given if _ = input.class_enabled

# What the checks read, once: null is unknown.

# METADATA
# scope: document
# title: Milliseconds that the head of the queue has waited, null where nobody knows
default queue_age_ms := null

queue_age_ms := input.queue_age_ms if guard.whole(input.queue_age_ms)

# METADATA
# scope: document
# title: Milliseconds left until the deadline, null where nobody knows
default deadline_slack_ms := null

deadline_slack_ms := input.deadline_slack_ms if guard.whole(input.deadline_slack_ms)

# METADATA
# scope: document
# title: How deep tool calls nest, null where nobody knows
default tool_depth := null

tool_depth := input.tool_depth if guard.whole(input.tool_depth)

# METADATA
# scope: document
# title: Retries in the meter's window, null where nobody knows
default retries := null

retries := input.retries_in_window if guard.whole(input.retries_in_window)

# METADATA
# scope: document
# title: Calls that one call fanned out into, null where nobody knows
default siblings := null

siblings := input.siblings if guard.whole(input.siblings)

# METADATA
# scope: document
# title: Jobs of the class that are under way, null where nobody knows
default inflight := null

inflight := input.inflight if guard.whole(input.inflight)

# METADATA
# scope: document
# title: Milliseconds since the meter was last read, null where nobody knows
default meter_age_ms := null

meter_age_ms := input.meter_age_ms if guard.whole(input.meter_age_ms)

# METADATA
# scope: document
# title: Tokens in the meter's window by its last reading, however old, null where nobody knows
default tokens_in_window := null

tokens_in_window := input.tokens_in_window if guard.whole(input.tokens_in_window)

# METADATA
# scope: document
# title: Successes in the meter's window by its last reading, however old, null where nobody knows
default successes_in_window := null

successes_in_window := input.successes_in_window if guard.whole(input.successes_in_window)

# An old reading of the meter is not a reading.

# METADATA
# scope: document
# title: Tokens in the meter's window, null where nobody knows or the reading is old
default tokens := null

tokens := tokens_in_window if meter_reads

# METADATA
# scope: document
# title: Successes in the meter's window, null where nobody knows or the reading is old
default successes := null

successes := successes_in_window if meter_reads

# METADATA
# scope: document
# title: What the meter says counts as a reading
# description: It is fresh, or its age is neither given nor required.
meter_reads if meter_live

meter_reads if {
	not meter_age_ms_given
	not meter_age_ms_required
}

# METADATA
# title: The meter was read lately
meter_live if guard.at_most(meter_age_ms, data.fanout.meter_max_age_ms)

# METADATA
# title: The document carries meter_age_ms, if only as null
meter_age_ms_given if _ = input.meter_age_ms

# METADATA
# title: The class must bring meter_age_ms
meter_age_ms_required if "meter_age_ms" in required

# METADATA
# scope: document
# title: What tokens buy is known as far as anybody asks
meter_known if unmeasured

meter_known if {
	tokens_answered
	successes_answered
}

# METADATA
# scope: document
# title: Tokens are known, or the class need not bring them
tokens_answered if tokens != null

tokens_answered if "tokens_in_window" in spared

# METADATA
# scope: document
# title: Successes are known, or the class need not bring them
successes_answered if successes != null

successes_answered if "successes_in_window" in spared

# METADATA
# title: Nobody asks for siblings
siblings_unasked if {
	not siblings_given
	not siblings_required
}

# METADATA
# title: The document carries siblings, if only as null
siblings_given if _ = input.siblings

# METADATA
# title: The class must bring siblings
siblings_required if "siblings" in required

# METADATA
# title: The document carries inflight, if only as null
inflight_given if _ = input.inflight

# Limits: those of the class, tightened by what the document carries.

# METADATA
# scope: document
# title: Milliseconds that the head of the queue may wait, null where nobody says
default queue_age_limit_ms := null

queue_age_limit_ms := class.reject_when.queue_age_ms

# METADATA
# scope: document
# title: Milliseconds of slack that the class needs, null where nobody says
default slack_floor_ms := null

slack_floor_ms := class.reject_when.slack_ms_below

# METADATA
# scope: document
# title: Tokens that the successes in the window may have cost, null where nobody knows
default token_limit := null

token_limit := guard.times(class.reject_when.tokens_per_success_est, successes)

# METADATA
# scope: document
# title: How deep tool calls may nest, null where nobody says
default max_depth := null

max_depth := class.max_depth if not max_depth_given

max_depth := guard.stricter(class.max_depth, input.max_depth)

# METADATA
# title: The document carries max_depth
max_depth_given if _ = input.max_depth

# METADATA
# scope: document
# title: Calls that one call may fan out into, null where nobody says
default max_siblings := null

max_siblings := class.max_siblings if not max_siblings_given

max_siblings := guard.stricter(class.max_siblings, input.max_siblings)

# METADATA
# title: The document carries max_siblings
max_siblings_given if _ = input.max_siblings

# METADATA
# scope: document
# title: The signals that this document's checks read and do not know
# description: None when no check reads a signal.
unknown contains name if {
	class_known
	class_may_share
	some name in unread
}

# METADATA
# scope: document
# title: The signals that nobody knows, whether or not a check reads them
unread contains "queue_age_ms" if queue_age_ms == null
unread contains "deadline_slack_ms" if deadline_slack_ms == null
unread contains "tokens_in_window" if tokens_in_window == null
unread contains "successes_in_window" if successes_in_window == null
unread contains "tool_depth" if tool_depth == null
unread contains "retries_in_window" if retries == null

unread contains "siblings" if {
	siblings_given
	siblings == null
}

unread contains "inflight" if {
	inflight_given
	inflight == null
}

unread contains "meter_age_ms" if {
	meter_age_ms_given
	meter_age_ms == null
}

unread contains "siblings" if {
	siblings_required
	not siblings_given
}

unread contains "meter_age_ms" if {
	meter_age_ms_required
	not meter_age_ms_given
}
