package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// peopled are thresholds with planes and classes of every kind that a table tells apart.
const peopled = `
fence:
  planes:
    gpu-a: {depth_limit: 2, health_max_age_ms: 1500}
    gpu-b: {depth_limit: 7}
    free-eval: {health_max_age_ms: 900}
    idle: {}
classes:
  nightly:
    {max_depth: 3, max_siblings: 9, requires: [tool_depth, siblings, meter_age_ms], reject_when: {queue_age_ms: 400, slack_ms_below: -5, tokens_per_success_est: 70}}
  batch: {enabled: false, max_depth: 1, max_siblings: 1, requires: [], reject_when: {queue_age_ms: 1, slack_ms_below: 0, tokens_per_success_est: 0}}
compaction:
  requires: [jobs_this_turn]
`

// A load gives every shipped gate a table, which agreed with OPA, whoever lives in the thresholds.
func TestEveryShippedGateIsTabulated(t *testing.T) {
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	peopled, err := program.Reload(t.Context(), policies.Files, engine.Overlay("peopled.yaml", []byte(peopled)))
	require.NoError(t, err)
	for _, p := range []*engine.Program{program, peopled} {
		require.Len(t, p.Evaluators(), len(inputs.Gates()))
		for _, evaluator := range p.Evaluators() {
			require.NoError(t, evaluator.Why)
			require.True(t, evaluator.Table, evaluator.Gate)
			requireOutcomes(t, p.Table(evaluator.Gate))
		}
	}
}

// requireOutcomes wants a table to decide all documents itself, to reject for every reason that the gate has and to admit: one
// that leaves documents to OPA agrees with it, and is none.
func requireOutcomes(t *testing.T, gate *table.Gate) {
	t.Helper()
	program, seen := gate.Program(), map[uint16]bool{}
	for _, flat := range gate.Directed(table.Effort{Draws: 3000}) {
		seen[gate.Examine(&flat).Result] = true
	}
	require.NotContains(t, seen, uint16(table.Outside), gate.Name())
	for check := range program.Checks {
		require.Contains(t, seen, uint16(check), "%s: %s", gate.Name(), program.Checks[check].Reason)
		delete(seen, uint16(check))
	}
	require.NotEmpty(t, seen, "%s admits", gate.Name()) // a probe is found by the suites of documents, not by this search
}

// Reload with the same rules decides as a load of its own does, and leaves the program that it began with as it was.
func TestReloadIsALoadOfTheSame(t *testing.T) {
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	document := inputs.Fence{IntentID: "I1", Borrow: inputs.KnownFlag(false), Primary: inputs.Plane{Name: "gpu-a", Depth: inputs.Known(2), RetryBudget: inputs.Known(1), HealthAgeMS: inputs.Known(1)}}
	for _, overlay := range []string{
		peopled,
		"fence: {planes: {gpu-a: {depth_limit: 3}}}",
		"fence: {default: {depth_limit: 1}}",
		"fence: {precedence: [reject_primary_depth]}",
		"compaction: {enabled: false}",
		"fanout: {probe_when_idle: false}",
	} {
		again, err := program.Reload(t.Context(), policies.Files, engine.Overlay("over.yaml", []byte(overlay)))
		require.NoError(t, err, overlay)
		fresh, err := engine.Compile(t.Context(), policies.Files, engine.Overlay("over.yaml", []byte(overlay)))
		require.NoError(t, err, overlay)
		require.Equal(t, fresh.Revision(), again.Revision())
		require.Equal(t, fresh.Evaluators(), again.Evaluators())
		require.Equal(t, fresh.Thresholds(), again.Thresholds())
		for _, p := range []*engine.Program{again, fresh} {
			for _, gate := range inputs.Gates() {
				require.Equal(t, fresh.Table(gate).Constants(), p.Table(gate).Constants(), "%s of %s", gate, overlay)
			}
		}
		want, err := fresh.Decide(t.Context(), &document)
		require.NoError(t, err)
		got, err := again.Decide(t.Context(), &document)
		require.NoError(t, err)
		require.Equal(t, want, got, overlay)
	}
	before, err := program.Decide(t.Context(), &document)
	require.NoError(t, err)
	require.True(t, before.Admit, "depth 2 is below the shipped limit of 4")
}

func TestReloadTellsWhatIsWrongWithThresholds(t *testing.T) {
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	_, err = program.Reload(t.Context(), policies.Files, engine.Overlay("over.yaml", []byte("fence: {default: {depth_limit: no}}")))
	require.ErrorIs(t, err, engine.ErrThresholds)
	require.ErrorContains(t, err, "over.yaml:1:")
}

// A nil program reloads as if nothing had been loaded.
func TestReloadOfNothingIsALoad(t *testing.T) {
	var none *engine.Program
	program, err := none.Reload(t.Context(), policies.Files)
	require.NoError(t, err)
	require.NotEmpty(t, program.Gates())
}
