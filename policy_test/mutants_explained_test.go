package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// explanation says why some mutants cannot change a decision.
type explanation struct {
	why     string
	mutants []string
}

// explainedMutants are the reasons by mutant, each of which must be one that there is.
func explainedMutants(t *testing.T, all []mutant, explanations []explanation) map[string]string {
	known, reasons := map[string]bool{}, map[string]string{}
	for _, m := range all {
		require.False(t, known[m.key], "two mutants of one name: %s", m.key)
		known[m.key] = true
	}
	for _, e := range explanations {
		for _, key := range e.mutants {
			require.True(t, known[key], "an explanation of a mutant that is no more: %s", key)
			require.Empty(t, reasons[key], "explained twice: %s", key)
			reasons[key] = e.why
		}
	}
	return reasons
}

// explanations name each mutant that cannot change a decision, and say why.
var explanations = []explanation{
	{"an undefined value fails the same guards as null does, and what is undefined is shown as null too", []string{
		`compaction/document.rego: default transcript_version: drop default: default transcript_version := null`,
		`compaction/document.rego: default retry_count: drop default: default retry_count := null`,
		`compaction/document.rego: default projected_ms: drop default: default projected_ms := null`,
		`compaction/document.rego: default est_tokens: drop default: default est_tokens := null`,
		`compaction/document.rego: default spend_tokens: drop default: default spend_tokens := null`,
		`compaction/document.rego: default token_ceiling: drop default: default token_ceiling := null`,
		`compaction/document.rego: default jobs_this_turn: drop default: default jobs_this_turn := null`,
		`compaction/document.rego: default last_compacted_version: drop default: default last_compacted_version := null`,
		`fanout/document.rego: default class_name: drop default: default class_name := null`,
		`fanout/document.rego: default queue_age_limit_ms: drop default: default queue_age_limit_ms := null`,
		`fanout/document.rego: default slack_floor_ms: drop default: default slack_floor_ms := null`,
		`fanout/document.rego: default token_limit: drop default: default token_limit := null`,
		`fanout/document.rego: default max_depth: drop default: default max_depth := null`,
		`fanout/document.rego: default max_siblings: drop default: default max_siblings := null`,
		`fence/document.rego: default primary_depth_limit: drop default: default primary_depth_limit := null`,
		`fence/document.rego: default primary_health_max_age_ms: drop default: default primary_health_max_age_ms := null`,
		`fence/document.rego: default borrowed_depth_limit: drop default: default borrowed_depth_limit := null`,
		`fence/document.rego: default borrowed_health_max_age_ms: drop default: default borrowed_health_max_age_ms := null`,
		`fence/retry/document.rego: default payer: drop default: default payer := null`,
		`fence/retry/document.rego: default creator: drop default: default creator := null`,
		`fence/bind/document.rego: default score_revision: drop default: default score_revision := null`,
	}},
	{"the default is never shown, and false is no number either", []string{
		`compaction/document.rego: default est_tokens: constant: null → false`,
		`fanout/document.rego: default queue_age_limit_ms: constant: null → false`,
		`fanout/document.rego: default slack_floor_ms: constant: null → false`,
	}},
	{"the default only keeps a malformed document from being undecided; no reject shows what would have been admitted", []string{
		`fence/fence.rego: default admitted: constant: null → false`,
		`fence/retry/retry.rego: default admitted: constant: null → false`,
	}},
	{"guard.times proves the estimate a whole number, and the estimate itself is not shown", []string{
		`compaction/document.rego: est_tokens: drop body: if guard.whole(input.est_tokens)`,
	}},
	{"a retry is admitted only where creator_pays holds, and then both names are the same", []string{
		`fence/retry/retry.rego: admitted: plane: charge.name → created_on`,
	}},
	{"what equals a whole number, or a string, is one", []string{
		`guard/guard.rego: same: drop expression: whole(a)`,
		`guard/guard.rego: same: drop expression: whole(b)`,
		`guard/guard.rego: alike: drop expression: is_string(a)`,
		`guard/guard.rego: alike: drop expression: is_string(b)`,
	}},
	{"regex.match is undefined for what is no string", []string{
		`guard/guard.rego: identifiers: drop expression: is_string(value)`,
	}},
	{"a number is whole when rounding either way leaves it as it is", []string{
		`guard/guard.rego: whole: operation: floor → ceil`,
	}},
	{"of two equal limits either is the stricter", []string{
		`guard/guard.rego: stricter: guard: less → at_most`,
	}},
	{"what a list leaves out sorts after it, where the last one is anyway", []string{
		`thresholds.yaml: fence.precedence: precedence: - shed_borrowed_retry`,
		`thresholds.yaml: fence.retry.precedence: precedence: - compensate_or_shed`,
		`thresholds.yaml: fence.bind.precedence: precedence: - reject_revision_moved`,
		`thresholds.yaml: compaction.precedence: precedence: - reject_tokens`,
		`thresholds.yaml: fanout.precedence: precedence: - token_burn_vs_success`,
	}},
	{"the two are never violated together: a state is not both bound and neither accepted nor bound", []string{
		`thresholds.yaml: fence.bind.precedence: precedence: reject_late_score ↔ reject_already_bound`,
	}},
	{"a class that is unknown or reserved violates nothing else, so that its place does not matter", []string{
		`thresholds.yaml: fanout.precedence: precedence: - class_unknown`,
		`thresholds.yaml: fanout.precedence: precedence: class_unknown ↔ class_disabled`,
		`thresholds.yaml: fanout.precedence: precedence: - class_reserved`,
		`thresholds.yaml: fanout.precedence: precedence: class_disabled ↔ class_reserved`,
		`thresholds.yaml: fanout.precedence: precedence: class_reserved ↔ slack_below_floor`,
	}},
	{"a reserved class is rejected before its limits are read", []string{
		`thresholds.yaml: classes.interactive.max_depth: drop threshold: max_depth: 0`,
		`thresholds.yaml: classes.interactive.max_depth: threshold: 0 → 1`,
	}},
	{"no gate reads it", []string{
		`thresholds.yaml: queue.visibility_timeout_s: threshold: 30 → 29`,
		`thresholds.yaml: queue.visibility_timeout_s: threshold: 30 → 31`,
		`thresholds.yaml: queue.max_inflight: threshold: 1 → 0`,
		`thresholds.yaml: queue.max_inflight: threshold: 1 → 2`,
		`thresholds.yaml: meter.window_s: threshold: 60 → 59`,
		`thresholds.yaml: meter.window_s: threshold: 60 → 61`,
		`thresholds.yaml: rollback.drain_timeout_s: threshold: 45 → 44`,
		`thresholds.yaml: rollback.drain_timeout_s: threshold: 45 → 46`,
		`thresholds.yaml: rollback.fail_closed: threshold: true → false`,
	}},
}
