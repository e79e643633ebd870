# Fan-out as the drill has it, in the order of the gate: checks alone, the first that fails gives the reason.
package bare.fanout

rules := data.classes[input.class]

decision := "slack_below_floor" if input.deadline_slack_ms < rules.reject_when.slack_ms_below

else := "tool_depth_over_limit" if input.tool_depth > rules.max_depth

else := "queue_age_over_limit" if input.queue_age_ms > rules.reject_when.queue_age_ms

else := "retry_amplification" if {
	input.successes_in_window == 0
	input.retries_in_window >= 10
}

else := "token_burn_vs_success" if input.successes_in_window == 0

else := "token_burn_vs_success" if {
	input.tokens_in_window > rules.reject_when.tokens_per_success_est * input.successes_in_window
}

else := "admit"
