# Both sides of the check that move.rego adds.
package admission.compaction_test

import data.admission.compaction

job := {
	"gate": "compaction",
	"slack_ms": 9000,
	"queue_age_ms": 1200,
	"est_gen_ms": 1500,
	"est_tokens": 100,
	"retry_count": 0,
	"token_ceiling": 5000,
	"transcript_version": 9,
	"latest_version": 9,
}

test_the_first_try_is_admitted if {
	decision := compaction.decision with input as job
	decision.admit
}

test_a_retry_is_rejected_while_the_path_is_moved if {
	decision := compaction.decision with input as object.union(job, {"retry_count": 1})
	decision.reason == "reject_retry_during_move"
	decision.violations == [{"reason": "reject_retry_during_move", "observed": 1, "limit": 0}]
}
