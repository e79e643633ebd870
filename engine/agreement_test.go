package engine_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// mistaken is the shipped program with the table of other thresholds for compaction: three retries, not two.
func mistaken(t *testing.T) *engine.Tester {
	t.Helper()
	tester, err := engine.NewTester(t.Context(), policies.Files)
	require.NoError(t, err)
	other, err := engine.Compile(t.Context(), policies.Files, engine.Overlay("other.yaml", []byte("compaction: {max_retries: 3}")))
	require.NoError(t, err)
	engine.GiveTable(tester.Program, other, "compaction")
	return tester
}

// retried is what two retries and three decide differently.
func retried() *inputs.Compaction {
	return &inputs.Compaction{
		QueueAgeMS: inputs.Known(0), SlackMS: inputs.Known(9000), EstGenMS: inputs.Known(1500), EstTokens: inputs.Known(80), RetryCount: inputs.Known(3),
		TokenCeiling: inputs.Known(5000), TranscriptVersion: inputs.Known(7), LatestVersion: inputs.Known(7),
	}
}

// The gate with the fewest documents: all of them cost half a minute, which is for admitctl check --deep.
func TestDeepenTellsATableThatDecidesOtherwise(t *testing.T) {
	program := compile(t, policies.Files)
	for _, found := range program.Deepen(t.Context(), "fence.bind", "nobody") {
		require.Equal(t, engine.Agreement{Gate: "fence.bind", Table: true, Documents: found.Documents}, found)
		require.Greater(t, found.Documents, 20)
	}
	other := compile(t, policies.Files, engine.Overlay("other.yaml", []byte("fence: {bind: {precedence: [reject_revision_moved, reject_already_bound, reject_late_score]}}")))
	engine.GiveTable(program, other, "fence.bind")
	found := program.Deepen(t.Context(), "fence.bind")
	require.Len(t, found, 1)
	require.Positive(t, found[0].Mismatches)
	require.Less(t, found[0].Mismatches, found[0].Documents)
	require.ErrorIs(t, found[0].Err, engine.ErrDisagreement)
	require.ErrorContains(t, found[0].Err, `the table decides {"gate":"fence.bind","admit":false,"reason":"reject_revision_moved"`)
	require.ErrorContains(t, found[0].Err, `and OPA {"gate":"fence.bind","admit":false,"reason":"reject_late_score"`)
	again := program.Deepen(t.Context(), "fence.bind")[0]
	require.Equal(t, found[0].Err.Error(), again.Err.Error(), "how the cores share the work changes nothing")
	require.Equal(t, found[0].Mismatches, again.Mismatches)
}

func TestDeepenStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found := compile(t, policies.Files).Deepen(ctx, "compaction")
	require.ErrorIs(t, found[0].Err, context.Canceled)
	require.NotErrorIs(t, found[0].Err, engine.ErrDisagreement)
	require.Zero(t, found[0].Documents)
}

// What a service allows a decision says nothing of its tables.
func TestATightTimeLimitCostsNoTable(t *testing.T) {
	program, err := engine.Compile(t.Context(), policies.Files, engine.Timeout(1))
	require.NoError(t, err)
	for _, evaluator := range program.Evaluators() {
		require.True(t, evaluator.Table, "%s: %v", evaluator.Gate, evaluator.Why)
	}
}

func TestATableThatDisagreesAtLoadIsNotUsedAndIsTold(t *testing.T) {
	tester := mistaken(t)
	engine.AgreeAtLoad(t.Context(), tester.Program, "compaction")
	require.Nil(t, tester.Program.Table("compaction"))
	warnings := tester.Program.Warnings()
	require.Len(t, warnings, 1)
	require.ErrorIs(t, warnings[0].Kind, engine.ErrDisagreement)
	require.Equal(t, "disagreement", warnings[0].Category())
	require.Contains(t, warnings[0].Message(), "the table and OPA disagree: gate compaction: the table decides {")
	decision, err := tester.Program.Decide(t.Context(), retried())
	require.NoError(t, err)
	require.Equal(t, "reject_retries", decision.Reason, "OPA decides")
	_, err = tester.Decide(t.Context(), retried())
	require.ErrorIs(t, err, engine.ErrDisagreement, "and a test fails all the same")
}

func TestTesterHoldsTheTableAgainstOPA(t *testing.T) {
	tester := mistaken(t)
	decision, err := tester.Decide(t.Context(), retried())
	require.Equal(t, "reject_retries", decision.Reason)
	require.ErrorIs(t, err, engine.ErrDisagreement)
	require.ErrorContains(t, err, `the table decides {"gate":"compaction","admit":true,`)
	require.ErrorContains(t, err, `and OPA {"gate":"compaction","admit":false,"reason":"reject_retries",`)
	tester, err = engine.NewTester(t.Context(), policies.Files)
	require.NoError(t, err)
	_, err = tester.Decide(t.Context(), retried())
	require.NoError(t, err)
}

func TestAGateWithoutATableIsAWarning(t *testing.T) {
	files := edited(t, "", "", "")
	files["fence/site.rego"] = &fstest.MapFile{Data: []byte(`package admission.fence

# METADATA
# title: Another tenant
# description: A rule that does not tabulate.
# custom:
#   reason: shed_tenant
#   action: shed
violated contains rego.metadata.rule().custom if not ours

# METADATA
# title: The intent is one of ours
ours if regex.match("^ours-", input.intent_id)
`)}
	report := inspect(t, files)
	require.Empty(t, report.Problems)
	var told []string
	for _, warning := range report.Warnings {
		if warning.Category() == "tabulation" {
			require.ErrorIs(t, warning.Kind, engine.ErrTabulation)
			told = append(told, warning.String())
		}
	}
	require.Len(t, told, 1)
	t.Log(told[0])
	require.Contains(t, told[0], "policies/fence/site.rego:13:1: gate fence is decided by OPA, not by a table: rule ours: ")
	require.Empty(t, report.Program.Warnings(), "at a load it is no news")
}
