# Compaction as the drill has it: checks alone, the first that fails gives the reason.
package bare.compaction

decision := "reject_stale" if input.transcript_version != input.latest_version

else := "reject_slack" if input.queue_age_ms + input.est_gen_ms >= input.slack_ms

else := "reject_tokens" if input.est_tokens * (input.retry_count + 1) > input.token_ceiling

else := "admit"
