package policy_test

// precedenceOverlays change nothing but the order in which violations count:
// as the documents' code had it, shuffled, cut short, and with no list at all.
func precedenceOverlays() []namedThresholds {
	return []namedThresholds{
		{Name: "code order", Overlay: `
fanout:
  precedence:
    - class_unknown
    - class_disabled
    - class_reserved
    - slack_below_floor
    - queue_age_over_limit
    - tool_depth_over_limit
    - siblings_over_limit
    - token_burn_vs_success
    - retry_amplification
`},
		{Name: "shuffled precedence", Overlay: `
fence:
  precedence:
    - shed_borrowed_retry
    - reject_primary_depth
    - reject_stale_borrowed_health
    - reject_primary_retry_exhausted
    - shed_borrowed_depth
    - reject_stale_primary_health
  retry: {precedence: [compensate_or_shed, reject_cross_plane_retry]}
  bind: {precedence: [reject_revision_moved, reject_already_bound, reject_late_score]}
compaction:
  precedence:
    - reject_tokens
    - reject_turn_has_job
    - reject_free_path_dark
    - reject_slack
    - reject_same_turn
    - reject_disabled
    - reject_retries
    - reject_stale
    - reject_already_compacted
    - reject_uncancelable
fanout:
  precedence:
    - token_burn_vs_success
    - siblings_over_limit
    - class_reserved
    - queue_age_over_limit
    - class_disabled
    - retry_amplification
    - slack_below_floor
    - class_unknown
    - tool_depth_over_limit
`},
		{Name: "short precedence", Overlay: `
fence:
  precedence: [shed_borrowed_retry, reject_primary_retry_exhausted]
  retry: {precedence: [compensate_or_shed]}
  bind: {precedence: [reject_revision_moved]}
compaction: {precedence: [reject_tokens, reject_slack]}
fanout: {precedence: [token_burn_vs_success, siblings_over_limit]}
`},
		{Name: "empty precedence", Overlay: `
fence:
  precedence: []
  retry: {precedence: []}
  bind: {precedence: []}
compaction: {precedence: []}
fanout: {precedence: []}
`},
	}
}

// switchOverlays throw the operator's switches: the documents' rollback, the
// free path, classes off and reserved, the probe, and what must be brought.
func switchOverlays() []namedThresholds {
	return []namedThresholds{
		{Name: "rollback", Overlay: `
compaction: {enabled: false, free_path: disabled, token_ceiling: 0, max_retries: 0}
`},
		{Name: "free path off, probe off", Overlay: `
compaction: {free_path: disabled}
fanout: {probe_when_idle: false}
`},
		{Name: "classes off and reserved", Overlay: `
classes:
  tool_fanout: {enabled: false}
  interactive: {enabled: false}
  batch:
    max_depth: 3
    max_siblings: 0
    reserved: true
    enabled: true
    reject_when: {queue_age_ms: 500, slack_ms_below: 10, tokens_per_success_est: 30}
  nightly:
    max_depth: 2
    max_siblings: 1
    reserved: false
    enabled: true
    reject_when: {queue_age_ms: 901, slack_ms_below: 0, tokens_per_success_est: 7}
`},
		{Name: "requires", Overlay: `
compaction: {requires: [jobs_this_turn, last_compacted_version]}
classes:
  coding_agent:
    max_depth: 3
    max_siblings: 4
    requires: [tokens_in_window, successes_in_window, tool_depth, retries_in_window]
    reject_when: {queue_age_ms: 15000, slack_ms_below: 60000, tokens_per_success_est: 8000}
  metered:
    max_depth: 1
    max_siblings: 2
    requires:
      - queue_age_ms
      - deadline_slack_ms
      - tokens_in_window
      - successes_in_window
      - tool_depth
      - retries_in_window
      - siblings
      - meter_age_ms
    reject_when: {queue_age_ms: 101, slack_ms_below: 40, tokens_per_success_est: 50}
  shape_only:
    max_depth: 2
    max_siblings: 2
    requires: [tool_depth, siblings]
    reject_when: {queue_age_ms: 100, slack_ms_below: 100, tokens_per_success_est: 100}
  meter_only:
    max_depth: 2
    max_siblings: 2
    requires: [meter_age_ms, successes_in_window]
    reject_when: {queue_age_ms: 100, slack_ms_below: 100, tokens_per_success_est: 100}
  anything:
    max_depth: 1
    max_siblings: 1
    requires: []
    reject_when: {queue_age_ms: 9, slack_ms_below: 9, tokens_per_success_est: 9}
`},
		{Name: "requires one", Overlay: `
compaction: {requires: [jobs_this_turn]}
classes:
  tool_fanout:
    requires: [queue_age_ms, deadline_slack_ms, tokens_in_window, tool_depth]
`},
	}
}

// limitOverlays move the numbers: rows for planes, small odd numbers, zero
// everywhere, and the ends of the domain.
func limitOverlays() []namedThresholds {
	return []namedThresholds{
		{Name: "plane rows", Overlay: `
fence:
  planes:
    gpu-a: {depth_limit: 8}
    free-eval: {health_max_age_ms: 500}
    GPU.v1: {depth_limit: 2, health_max_age_ms: 100}
    dark: {depth_limit: 0, health_max_age_ms: 0}
`},
		{Name: "small odd numbers", Overlay: `
fence: {default: {depth_limit: 1, health_max_age_ms: 7}}
compaction: {token_ceiling: 17, max_retries: 5, console_max_age_ms: 3}
classes:
  tool_fanout:
    max_depth: 2
    max_siblings: 1
    reject_when: {queue_age_ms: 5, slack_ms_below: 3, tokens_per_success_est: 2}
fanout: {retry_amplification_min: 1, meter_max_age_ms: 4}
`},
		{Name: "zero limits", Overlay: `
fence:
  default: {depth_limit: 0, health_max_age_ms: 0}
  planes: {gpu-a: {depth_limit: 1}, free-eval: {depth_limit: 1}}
compaction: {token_ceiling: 0, max_retries: 0, console_max_age_ms: 0}
classes:
  tool_fanout:
    max_depth: 0
    max_siblings: 0
    reject_when: {queue_age_ms: 0, slack_ms_below: 0, tokens_per_success_est: 0}
fanout: {retry_amplification_min: 0, meter_max_age_ms: 0}
`},
		{Name: "ends of the domain", Overlay: `
fence: {default: {depth_limit: 1048576, health_max_age_ms: 1099511627776}}
compaction: {token_ceiling: 1099511627776, max_retries: 1048576, console_max_age_ms: 1099511627776}
classes:
  tool_fanout:
    max_depth: 1048576
    max_siblings: 1048576
    reject_when: {queue_age_ms: 1099511627776, slack_ms_below: 1099511627776, tokens_per_success_est: 1099511627776}
fanout: {retry_amplification_min: 1048576, meter_max_age_ms: 1099511627776}
`},
	}
}
