package policy_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// gateReasons are the reasons that each gate can give under the default
// thresholds: all of them, but that compaction is not disabled there.
var gateReasons = map[string][]string{
	"fence": {"admit", "reject_stale_primary_health", "reject_primary_depth", "reject_primary_retry_exhausted",
		"reject_stale_borrowed_health", "shed_borrowed_depth", "shed_borrowed_retry"},
	"fence.retry": {"retry_same_plane", "reject_cross_plane_retry", "compensate_or_shed"},
	"fence.bind":  {"bind", "reject_late_score", "reject_already_bound", "reject_revision_moved"},
	"compaction": {"admit", "reject_stale", "reject_free_path_dark", "reject_uncancelable", "reject_same_turn",
		"reject_already_compacted", "reject_turn_has_job", "reject_slack", "reject_retries", "reject_tokens"},
	"fanout": {"admit", "admit_probe", "class_unknown", "class_disabled", "class_reserved", "slack_below_floor",
		"tool_depth_over_limit", "siblings_over_limit", "queue_age_over_limit", "retry_amplification", "token_burn_vs_success"},
}

// documentMix is what was seen among generated documents.
type documentMix struct {
	reasons, nulls, absent map[string]int
	actions                map[string]int
	admits                 int
}

// mixOf generates documents, holds each to validity, and decides it.
func mixOf(t *testing.T, gate string, tree thresholds, documents int) documentMix {
	mix := documentMix{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0}
	r := rand.New(rand.NewPCG(1, 2))
	for range documents {
		d := generate(r, gate, tree)
		require.NoError(t, checkDocument(gate, d), "%v", d)
		decided := model(gate, d, tree)
		requireCoherent(t, gate, decided)
		mix.reasons[decided.Reason]++
		mix.actions[decided.Action]++
		if decided.Admit {
			mix.admits++
		}
		for _, f := range docFields[gate] {
			value, present, possible := lookUp(d, f.path)
			if possible && !present {
				mix.absent[f.path]++
			} else if possible && value == nil {
				mix.nulls[f.path]++
			}
		}
	}
	return mix
}

// requireCoherent holds a decision to what is true of every decision: its gate
// is named, lists are not nil, the first violation is the reason, there are
// none exactly on an admit, and a reject has no effects.
func requireCoherent(t *testing.T, gate string, d decision) {
	require.Equal(t, gate, d.Gate)
	require.True(t, d.Violations != nil && d.Effects != nil && d.Unknown != nil, "%v", d)
	require.Equal(t, d.Admit, len(d.Violations) == 0, "%v", d)
	require.NotEmpty(t, d.Reason)
	require.NotEmpty(t, d.Action)
	if !d.Admit {
		require.Equal(t, d.Reason, d.Violations[0].Reason)
		require.Empty(t, d.Effects)
	}
}

// TestGeneratedDocumentsAreAMix: under the defaults every reason is at some
// time the reason, every signal null and every optional field absent, and not
// a few documents admit.
func TestGeneratedDocumentsAreAMix(t *testing.T) {
	const documents = 5000
	for gate, reasons := range gateReasons {
		mix := mixOf(t, gate, treeNamed("defaults"), documents)
		t.Logf("%s: %d of %d admit; reasons %v", gate, mix.admits, documents, mix.reasons)
		for _, reason := range reasons {
			require.NotZero(t, mix.reasons[reason], "%s never decides %s", gate, reason)
		}
		require.Len(t, mix.reasons, len(reasons), "%s decides %v", gate, mix.reasons)
		require.GreaterOrEqual(t, 4*mix.admits, documents, "%s admits too seldom", gate)
		for _, f := range docFields[gate] {
			if f.signal {
				require.NotZero(t, mix.nulls[f.path], "%s: %s is never null", gate, f.path)
			}
			if !f.required {
				require.NotZero(t, mix.absent[f.path], "%s: %s is never absent", gate, f.path)
			}
		}
	}
}

// TestEverySetIsDecidedBothWays: under all thresholds documents are valid and
// decisions coherent; each gate rejects, and admits where the thresholds allow
// it at all.
func TestEverySetIsDecidedBothWays(t *testing.T) {
	shut := map[string]bool{"rollback compaction": true}
	for _, set := range thresholdSets() {
		for gate := range gateReasons {
			const documents = 600
			mix := mixOf(t, gate, set.Tree, documents)
			require.Less(t, mix.admits, documents, "%s under %s", gate, set.Name)
			if shut[set.Name+" "+gate] {
				require.Zero(t, mix.admits)
				continue
			}
			require.GreaterOrEqual(t, 4*mix.admits, documents, "%s under %s admits only %d", gate, set.Name, mix.admits)
		}
	}
}

// TestGeneratedDocumentsRepeat: one seed, one sequence of documents.
func TestGeneratedDocumentsRepeat(t *testing.T) {
	tree := treeNamed("requires")
	for gate := range gateReasons {
		a, b := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(7, 7))
		for range 50 {
			require.Equal(t, generate(a, gate, tree), generate(b, gate, tree))
		}
	}
}

// TestNominalDocumentsAdmit: each of them, under the defaults.
func TestNominalDocumentsAdmit(t *testing.T) {
	defaults := treeNamed("defaults")
	for gate := range gateReasons {
		for i, d := range nominal(gate) {
			require.NoError(t, checkDocument(gate, d))
			require.True(t, model(gate, d, defaults).Admit, "%s %d", gate, i)
		}
	}
}
