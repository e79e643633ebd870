package policy_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// namedThresholds is a whole tree of thresholds and the overlay over the
// defaults that an operator would write to get it ("" for the defaults).
type namedThresholds struct {
	Name    string
	Overlay string
	Tree    thresholds
}

// defaultThresholds are the defaults as the contract states them, with the
// classes, queue, meter and rollback blocks of the documents' admitd.yaml.
const defaultThresholds = `
fence:
  default: {depth_limit: 4, health_max_age_ms: 2000}
  planes: {}
  precedence:
    - reject_stale_primary_health
    - reject_primary_depth
    - reject_primary_retry_exhausted
    - reject_stale_borrowed_health
    - shed_borrowed_depth
    - shed_borrowed_retry
  retry:
    precedence: [reject_cross_plane_retry, compensate_or_shed]
  bind:
    precedence: [reject_late_score, reject_already_bound, reject_revision_moved]
compaction:
  enabled: true
  free_path: enabled
  token_ceiling: 5000
  max_retries: 2
  console_max_age_ms: 300000
  requires: []
  precedence:
    - reject_disabled
    - reject_stale
    - reject_free_path_dark
    - reject_uncancelable
    - reject_same_turn
    - reject_already_compacted
    - reject_turn_has_job
    - reject_slack
    - reject_retries
    - reject_tokens
classes:
  tool_fanout:
    max_depth: 1
    max_siblings: 2
    reject_when: {queue_age_ms: 15000, slack_ms_below: 60000, tokens_per_success_est: 8000}
  interactive:
    max_depth: 0
    reserved: true
fanout:
  retry_amplification_min: 10
  probe_when_idle: true
  meter_max_age_ms: 5000
  precedence:
    - class_unknown
    - class_disabled
    - class_reserved
    - slack_below_floor
    - tool_depth_over_limit
    - siblings_over_limit
    - queue_age_over_limit
    - retry_amplification
    - token_burn_vs_success
queue: {visibility_timeout_s: 30, max_inflight: 1}
meter: {window_s: 60}
rollback: {drain_timeout_s: 45, fail_closed: true}
`

// thresholdSets are the defaults and what operators may make of them. Each
// tree is derived from its overlay, so that the two cannot disagree.
func thresholdSets() []namedThresholds {
	sets := []namedThresholds{{Name: "defaults"}}
	sets = append(sets, precedenceOverlays()...)
	sets = append(sets, switchOverlays()...)
	sets = append(sets, limitOverlays()...)
	for i := range sets {
		sets[i].Tree = overlaid(parseTree(defaultThresholds), parseTree(sets[i].Overlay))
	}
	return sets
}

// treeNamed is the tree of the set with that name.
func treeNamed(name string) thresholds {
	for _, set := range thresholdSets() {
		if set.Name == name {
			return set.Tree
		}
	}
	panic("no such thresholds: " + name)
}

// parseTree reads thresholds from YAML; whole numbers become int64. It panics
// on anything else that has no place among thresholds.
func parseTree(text string) thresholds {
	tree := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		panic(err)
	}
	return asThreshold(tree).(map[string]any)
}

// asThreshold gives a YAML value the types of the model.
func asThreshold(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, below := range v {
			out[key] = asThreshold(below)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, below := range v {
			out[i] = asThreshold(below)
		}
		return out
	case int:
		return int64(v)
	case string, bool:
		return v
	}
	panic(fmt.Sprintf("%v (%T) is no threshold", v, v))
}

// overlaid merges an overlay into a tree, key by key; lists and plain values
// are replaced whole.
func overlaid(tree, overlay thresholds) thresholds {
	out := maps.Clone(tree)
	for key, over := range overlay {
		below, isMap := out[key].(map[string]any)
		above, overMap := over.(map[string]any)
		if isMap && overMap {
			over = overlaid(below, above)
		}
		out[key] = over
	}
	return out
}

func TestOverlaysAndTreesAgree(t *testing.T) {
	seen := map[string]bool{}
	for _, set := range thresholdSets() {
		require.False(t, seen[set.Name], set.Name)
		seen[set.Name] = true
		require.Equal(t, set.Name == "defaults", set.Overlay == "", set.Name)
	}
	require.GreaterOrEqual(t, len(seen), 8)

	rows := treeNamed("plane rows")
	require.Equal(t, int64(8), planeThreshold(rows, "gpu-a", "depth_limit"))
	require.Equal(t, int64(2000), planeThreshold(rows, "gpu-a", "health_max_age_ms"), "a row sets only what it names")
	require.Equal(t, int64(4), planeThreshold(rows, "nobody", "depth_limit"))
	require.Empty(t, listOf(treeNamed("empty precedence"), "compaction", "precedence"))
	require.Len(t, listOf(treeNamed("short precedence"), "compaction", "precedence"), 2, "lists are replaced whole")
	require.Equal(t, "disabled", setting(treeNamed("rollback"), "compaction", "free_path"))
	require.Equal(t, int64(300000), setting(treeNamed("rollback"), "compaction", "console_max_age_ms"))
}
