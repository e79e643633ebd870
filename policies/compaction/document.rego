# METADATA
# scope: package
# title: Compaction
# description: May this summary of a transcript still be generated, or has its turn passed?
# custom:
#   protects: "The turn: no tokens and no slack go into a summary that nobody will read."
#   actions:
#     reject: Do not submit the job; mend the document, or the policies where the reason begins with policy_.
#     serve_uncompacted: Do not submit the job; serve the turn with the uncompacted window.
#     drop_and_ack: Drop the job, acknowledge it to the queue, and do not queue it again under another key.
#     keep_last_summary: Do not submit the job; keep the last good summary, and serve this turn with the uncompacted window.
#     stop_retries_for_version: Do not submit the job, and stop all retries for this version of the transcript.
#     submit: Submit the job now, while its slack and its version hold.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [slack_ms, queue_age_ms, est_gen_ms, retry_count, token_ceiling, transcript_version, latest_version]
#       examples:
#         - gate: compaction
#           slack_ms: 9000
#           queue_age_ms: 1200
#           est_gen_ms: 1500
#           est_tokens: 800
#           retry_count: 0
#           token_ceiling: 50000
#           transcript_version: 9
#           latest_version: 9
#       properties:
#         gate: {type: string, enum: [compaction], description: Names the gate.}
#         slack_ms:
#           description: Milliseconds left until the deadline of the turn; negative once it has passed. A signal.
#           worse: lower
#           type: [integer, "null"]
#           minimum: -1099511627776
#           maximum: 1099511627776
#         queue_age_ms:
#           description: Milliseconds that the head of the queue has waited. A signal.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1099511627776
#         est_gen_ms:
#           description: Milliseconds that the generation is estimated to take.
#           worse: higher
#           type: integer
#           minimum: 0
#           maximum: 1099511627776
#         est_tokens:
#           description: Tokens that one try is estimated to spend; transcript_chars may stand in.
#           worse: higher
#           type: integer
#           minimum: 0
#           maximum: 1099511627776
#         transcript_chars:
#           description: Characters of the transcript, counted as a token for every four; not beside est_tokens.
#           worse: higher
#           type: integer
#           minimum: 0
#           maximum: 1099511627776
#         retry_count:
#           description: Tries before this one.
#           worse: higher
#           type: integer
#           minimum: 0
#           maximum: 1048576
#         token_ceiling:
#           description: Tokens that the caller is ready to spend; the stricter of it and the threshold counts.
#           tightens: true
#           type: integer
#           minimum: 0
#           maximum: 1099511627776
#         transcript_version:
#           description: Version of the transcript that the job was cut from.
#           type: integer
#           minimum: 0
#           maximum: 9007199254740991
#         latest_version:
#           description: Version of the live transcript. A signal.
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 9007199254740991
#         path: {type: string, enum: [free, paid], description: The path that would generate the summary.}
#         jobs_this_turn:
#           description: Compaction jobs that this turn has already.
#           worse: higher
#           type: integer
#           minimum: 0
#           maximum: 1048576
#         last_compacted_version:
#           description: Version that was compacted last.
#           type: integer
#           minimum: 0
#           maximum: 9007199254740991
#         cancelable:
#           description: The generation can be cancelled after submit. A signal of the free path.
#           type: [boolean, "null"]
#         same_turn:
#           description: The result must return inside this turn. A signal of the free path.
#           type: [boolean, "null"]
#         console_age_ms:
#           description: Milliseconds since the console of the free path was last read. A signal of the free path.
#           worse: higher
#           type: [integer, "null"]
#           minimum: 0
#           maximum: 1099511627776
#   - data.compaction:
#       type: object
#       additionalProperties: false
#       required: [enabled, free_path, token_ceiling, max_retries, console_max_age_ms, requires, precedence]
#       properties:
#         enabled: {type: boolean}
#         free_path: {type: string, enum: [enabled, disabled]}
#         token_ceiling: {type: integer, minimum: 0, maximum: 1099511627776}
#         max_retries: {type: integer, minimum: 0, maximum: 1048576}
#         console_max_age_ms: {type: integer, minimum: 0, maximum: 1099511627776}
#         requires:
#           type: array
#           uniqueItems: true
#           items: {type: string, enum: [jobs_this_turn, last_compacted_version]}
#         precedence: {type: array, uniqueItems: true, items: {type: string, not: {const: invalid_input}}}
package admission.compaction

import data.admission.guard

# METADATA
# title: The document is whole
# description: Every required field is there, and whatever is there is of its kind; a signal may be null or absent.
valid if {
	_ = input.est_gen_ms
	_ = input.retry_count
	_ = input.token_ceiling
	_ = input.transcript_version
	estimated_once
	guard.among(gates, {"compaction"})
	guard.among(paths, {"free", "paid"})
	guard.slacks(slacks)
	guard.amounts(amounts)
	guard.counts(counts)
	guard.versions(versions)
	guard.booleans(booleans)
}

# METADATA
# scope: document
# title: The gate that the document names
gates contains input.gate

# METADATA
# scope: document
# title: The path that the document names
paths contains input.path

# METADATA
# scope: document
# title: What the document gives as slack, null apart
slacks contains input.slack_ms if input.slack_ms != null

# METADATA
# scope: document
# title: What the document gives as milliseconds, tokens and characters, null apart
amounts contains input.queue_age_ms if input.queue_age_ms != null
amounts contains input.est_gen_ms
amounts contains input.est_tokens
amounts contains input.transcript_chars
amounts contains input.token_ceiling
amounts contains input.console_age_ms if input.console_age_ms != null

# METADATA
# scope: document
# title: What the document gives as counts
counts contains input.retry_count
counts contains input.jobs_this_turn

# METADATA
# scope: document
# title: What the document gives as versions, null apart
versions contains input.transcript_version
versions contains input.latest_version if input.latest_version != null
versions contains input.last_compacted_version

# METADATA
# scope: document
# title: What the document gives as true or false, null apart
booleans contains input.cancelable if input.cancelable != null
booleans contains input.same_turn if input.same_turn != null

# METADATA
# scope: document
# title: The document gives exactly one of the two estimates
estimated_once if {
	_ = input.est_tokens
	not transcript_chars_given
}

estimated_once if {
	_ = input.transcript_chars
	not est_tokens_given
}

# METADATA
# title: The document carries est_tokens
est_tokens_given if _ = input.est_tokens

# METADATA
# title: The document carries transcript_chars
transcript_chars_given if _ = input.transcript_chars

# What the checks read, once: null is unknown.

# METADATA
# scope: document
# title: Milliseconds left until the deadline of the turn, null where nobody knows
default slack_ms := null

slack_ms := input.slack_ms if guard.whole(input.slack_ms)

# METADATA
# scope: document
# title: Milliseconds that the head of the queue has waited, null where nobody knows
default queue_age_ms := null

queue_age_ms := input.queue_age_ms if guard.whole(input.queue_age_ms)

# METADATA
# scope: document
# title: Version of the live transcript, null where nobody knows
default latest_version := null

latest_version := input.latest_version if guard.whole(input.latest_version)

# METADATA
# scope: document
# title: Version of the transcript that the job was cut from, null where nobody says
default transcript_version := null

transcript_version := input.transcript_version if guard.whole(input.transcript_version)

# METADATA
# scope: document
# title: Tries before this one, null where nobody says
default retry_count := null

retry_count := input.retry_count if guard.whole(input.retry_count)

# METADATA
# scope: document
# title: Milliseconds until the summary would be there, null where nobody knows
default projected_ms := null

projected_ms := guard.total(queue_age_ms, input.est_gen_ms)

# METADATA
# scope: document
# title: Tokens that one try is estimated to spend, null where nobody says
default est_tokens := null

est_tokens := input.est_tokens if guard.whole(input.est_tokens)

est_tokens := guard.quarter(input.transcript_chars) if not est_tokens_given

# METADATA
# scope: document
# title: Tokens that all tries, this one included, are estimated to spend, null where nobody says
default spend_tokens := null

spend_tokens := guard.times(est_tokens, guard.total(retry_count, 1))

# METADATA
# scope: document
# title: Tokens that the job may spend over all its tries, null where nobody says
default token_ceiling := null

token_ceiling := guard.stricter(data.compaction.token_ceiling, input.token_ceiling)

# METADATA
# title: The thresholds leave the free path on
free_path_enabled if data.compaction.free_path == "enabled"

# METADATA
# title: The job is on the free path
on_free_path if input.path == "free"

# METADATA
# title: The job is on the paid path
on_paid_path if input.path == "paid"

# METADATA
# title: The job is not on the free path
# description: It is on the paid one, or names none.
off_free_path if not on_free_path

# METADATA
# scope: document
# title: Whether the generation can be cancelled after submit, null where nobody says
default cancelable := null

cancelable := input.cancelable if is_boolean(input.cancelable)

# METADATA
# scope: document
# title: Whether the result must return inside this turn, null where nobody says
default same_turn := null

same_turn := input.same_turn if is_boolean(input.same_turn)

# METADATA
# scope: document
# title: Milliseconds since the console of the free path was last read, null where nobody knows
default console_age_ms := null

console_age_ms := input.console_age_ms if guard.whole(input.console_age_ms)

# What thresholds may require: absent, and not required, is not asked.

# METADATA
# scope: document
# title: Compaction jobs that this turn has already, null where nobody knows
default jobs_this_turn := null

jobs_this_turn := input.jobs_this_turn if guard.whole(input.jobs_this_turn)

# METADATA
# title: The document carries jobs_this_turn
jobs_this_turn_given if _ = input.jobs_this_turn

# METADATA
# title: The thresholds require jobs_this_turn
jobs_this_turn_required if "jobs_this_turn" in data.compaction.requires

# METADATA
# title: Nobody asks for jobs_this_turn
jobs_this_turn_unasked if {
	not jobs_this_turn_given
	not jobs_this_turn_required
}

# METADATA
# scope: document
# title: Version that was compacted last, null where nobody knows
default last_compacted_version := null

last_compacted_version := input.last_compacted_version if guard.whole(input.last_compacted_version)

# METADATA
# title: The document carries last_compacted_version
last_compacted_version_given if _ = input.last_compacted_version

# METADATA
# title: The thresholds require last_compacted_version
last_compacted_version_required if "last_compacted_version" in data.compaction.requires

# METADATA
# title: Nobody asks for last_compacted_version
last_compacted_version_unasked if {
	not last_compacted_version_given
	not last_compacted_version_required
}

# METADATA
# scope: document
# title: The signals that this document's checks read and do not know
unknown contains "slack_ms" if slack_ms == null
unknown contains "queue_age_ms" if queue_age_ms == null
unknown contains "latest_version" if latest_version == null

unknown contains "cancelable" if {
	on_free_path
	cancelable == null
}

unknown contains "same_turn" if {
	on_free_path
	same_turn == null
}

unknown contains "console_age_ms" if {
	on_free_path
	console_age_ms == null
}

unknown contains "jobs_this_turn" if {
	jobs_this_turn_required
	not jobs_this_turn_given
}

unknown contains "last_compacted_version" if {
	last_compacted_version_required
	not last_compacted_version_given
}
