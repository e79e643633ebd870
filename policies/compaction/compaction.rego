# The compaction gate: may this summary still be generated? One block a row of its decision table, in the order of
# the rows; compaction.precedence in thresholds.yaml says which violated row becomes the reason.
package admission.compaction

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing, of the wrong type or out of range, or there are both estimates or neither.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

# METADATA
# title: Compaction is switched off
# description: The rollback; the chat path serves the uncompacted window.
# custom:
#   reason: reject_disabled
#   action: serve_uncompacted
violated contains rego.metadata.rule().custom if not enabled

# METADATA
# title: Compaction is switched on
enabled if data.compaction.enabled == true

# METADATA
# scope: document
# title: What each check saw, by reason
observed["reject_disabled"] := data.compaction.enabled

# METADATA
# scope: document
# title: What each check held it against, by reason
limit["reject_disabled"] := true

# METADATA
# title: The transcript has moved on
# description: The job was cut from a version that is not the latest, or the latest is unknown.
# custom:
#   reason: reject_stale
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not current

# METADATA
# title: The job was cut from the latest version of the transcript
current if guard.same(transcript_version, latest_version)

observed["reject_stale"] := transcript_version
limit["reject_stale"] := latest_version

# METADATA
# title: The free path is dark
# description: It is off and the job is not on the paid path; or the job is on it, and its console was not read lately.
# custom:
#   reason: reject_free_path_dark
#   action: serve_uncompacted
violated contains rego.metadata.rule().custom if not path_lit

# METADATA
# scope: document
# title: The path that would generate the summary is open
path_lit if on_paid_path

path_lit if {
	free_path_enabled
	off_free_path
}

path_lit if {
	free_path_enabled
	guard.at_most(console_age_ms, data.compaction.console_max_age_ms)
}

observed["reject_free_path_dark"] := console_age_ms if free_path_enabled
observed["reject_free_path_dark"] := data.compaction.free_path if not free_path_enabled
limit["reject_free_path_dark"] := data.compaction.console_max_age_ms if free_path_enabled
limit["reject_free_path_dark"] := "enabled" if not free_path_enabled

# METADATA
# title: The generation is not known to be cancelable
# description: On the free path, it cannot be cancelled after submit, or nobody says; such work is token debt.
# custom:
#   reason: reject_uncancelable
#   action: serve_uncompacted
violated contains rego.metadata.rule().custom if not can_be_cancelled

# METADATA
# scope: document
# title: The job is off the free path, or can be cancelled after submit
can_be_cancelled if off_free_path
can_be_cancelled if cancelable == true

observed["reject_uncancelable"] := cancelable
limit["reject_uncancelable"] := true

# METADATA
# title: The result may have to return in this turn
# description: On the free path, it must, or nobody says; only work that can expire belongs there.
# custom:
#   reason: reject_same_turn
#   action: serve_uncompacted
violated contains rego.metadata.rule().custom if not can_expire

# METADATA
# scope: document
# title: The job is off the free path, or its result need not return in this turn
can_expire if off_free_path
can_expire if same_turn == false

observed["reject_same_turn"] := same_turn
limit["reject_same_turn"] := false

# METADATA
# title: This version is not known to be new
# description: It was the last one compacted, or compaction.requires wants to know and nobody says.
# custom:
#   reason: reject_already_compacted
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not version_is_new

# METADATA
# scope: document
# title: This version is not the one that was compacted last, or nobody asks
version_is_new if last_compacted_version_unasked

version_is_new if guard.differ(last_compacted_version, transcript_version)

observed["reject_already_compacted"] := last_compacted_version
limit["reject_already_compacted"] := transcript_version

# METADATA
# title: The turn is not known to be free
# description: It has a job already, or compaction.requires wants to know and nobody says; one job a turn.
# custom:
#   reason: reject_turn_has_job
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not turn_is_free

# METADATA
# scope: document
# title: The turn has no compaction job yet, or nobody asks
turn_is_free if jobs_this_turn_unasked
turn_is_free if guard.less(jobs_this_turn, 1)

observed["reject_turn_has_job"] := jobs_this_turn
limit["reject_turn_has_job"] := 1

# METADATA
# title: The summary would land too late
# description: Queue age plus estimated generation meets or passes the slack of the turn, or one is unknown.
# custom:
#   reason: reject_slack
#   action: keep_last_summary
violated contains rego.metadata.rule().custom if not lands_in_time

# METADATA
# title: The summary lands before the slack of the turn has run out
lands_in_time if guard.less(projected_ms, slack_ms)

observed["reject_slack"] := projected_ms
limit["reject_slack"] := slack_ms

# METADATA
# title: The job was retried too often
# description: More retries than compaction.max_retries.
# custom:
#   reason: reject_retries
#   action: stop_retries_for_version
violated contains rego.metadata.rule().custom if not retries_left

# METADATA
# title: The job was retried no more often than it may be
retries_left if guard.at_most(retry_count, data.compaction.max_retries)

observed["reject_retries"] := retry_count
limit["reject_retries"] := data.compaction.max_retries

# METADATA
# title: The job would spend too many tokens
# description: Estimated tokens times every try so far pass the stricter token ceiling.
# custom:
#   reason: reject_tokens
#   action: stop_retries_for_version
violated contains rego.metadata.rule().custom if not under_ceiling

# METADATA
# title: All tries together spend no more than the token ceiling
under_ceiling if guard.at_most(spend_tokens, token_ceiling)

observed["reject_tokens"] := spend_tokens
limit["reject_tokens"] := token_ceiling

# METADATA
# title: The violated rows in the order of compaction.precedence
ranked := guard.ranked(violated, data.compaction.precedence)

# METADATA
# title: The decision
# description: What undefined rules leave behind is a reject.
# entrypoint: true
default decision := {
	"gate": "compaction",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "compaction",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": {"reason": "admit", "action": "submit", "effects": []},
})
