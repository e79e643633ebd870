package engine_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

func checkOf(t *testing.T, program *engine.Program, gate, reason string) engine.Check {
	t.Helper()
	for _, check := range program.Checks(gate) {
		if check.Reason == reason {
			return check
		}
	}
	require.Fail(t, "no such check", "%s %s", gate, reason)
	return engine.Check{}
}

func TestChecksTellWhatTheyAreProvedFrom(t *testing.T) {
	program := compile(t, policies.Files)
	for _, test := range []struct {
		gate, reason       string
		thresholds, fields []string
	}{
		{"compaction", "reject_retries", []string{"compaction.max_retries"}, []string{"retry_count"}},
		{"compaction", "reject_slack", nil, []string{"slack_ms", "queue_age_ms", "est_gen_ms"}},
		{"fence", "shed_borrowed_depth", []string{"fence.planes.*.depth_limit", "fence.default.depth_limit"}, []string{"borrow", "borrowed.depth", "borrowed.name", "borrowed.depth_limit"}},
		{"fence.bind", "reject_late_score", nil, []string{"attempt_state"}},
		{"fanout", "slack_below_floor", []string{"classes.*.reject_when.slack_ms_below", "classes.*.reserved", "classes.*.requires"}, []string{"deadline_slack_ms", "class"}},
	} {
		check := checkOf(t, program, test.gate, test.reason)
		require.Equal(t, test.thresholds, check.Thresholds, test.reason)
		require.ElementsMatch(t, test.fields, check.Fields, test.reason)
	}
	feeding := program.Feeding(checkOf(t, program, "fence", "shed_borrowed_depth"))
	require.Len(t, feeding, 2)
	require.Empty(t, feeding[0].File, "no plane sets a limit of its own")
	require.Equal(t, int64(4), feeding[1].Value)
	require.Contains(t, feeding[1].Notes, "Intents on the plane.")
}

// However a rule comes by a threshold, it is found: by imports, other packages, functions, else, every, comprehensions.
func TestThresholdsAreFoundBehindRules(t *testing.T) {
	files := edited(t, "", "", "")
	files["lib.rego"] = &fstest.MapFile{Mode: 0o600, Data: []byte("package admission.lib\n\nimport data.queue as q\n\nvisible := q.visibility_timeout_s\n")}
	files["compaction/own.rego"] = &fstest.MapFile{Mode: 0o600, Data: []byte(`package admission.compaction

import data.admission.guard
import data.admission.lib
import data.meter as gauge

# METADATA
# title: Own
# description: Reads thresholds in every way.
# custom:
#   reason: own
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not own

own if guard.at_most(retry_count, lib.visible)

own if guard.at_most(retry_count, gauge.window_s)

own if weighed(retry_count)

own if every x in [row.drain_timeout_s] { guard.less(retry_count, x) }

own if chosen == 1

weighed(n) if guard.less(n, data.fanout.meter_max_age_ms)

row := data.rollback

chosen := 1 if data.fanout.probe_when_idle == false

else := 2 if guard.same(retry_count, data.fanout.retry_amplification_min)
`)}
	check := checkOf(t, compile(t, files), "compaction", "own")
	require.ElementsMatch(t, []string{
		"queue.visibility_timeout_s", "meter.window_s", "rollback.drain_timeout_s", "fanout.meter_max_age_ms", "fanout.probe_when_idle", "fanout.retry_amplification_min",
	}, check.Thresholds)
	require.Equal(t, []string{"retry_count"}, check.Fields)
}

func TestAdmissionsTellWhatDecidesThem(t *testing.T) {
	gate, ok := compile(t, policies.Files).Gate("fanout")
	require.True(t, ok)
	require.Len(t, gate.Admits, 3)
	require.Equal(t, "admit_probe", gate.Admits[0].Reason)
	require.Contains(t, gate.Admits[0].Thresholds, "fanout.probe_when_idle")
	require.Contains(t, gate.Admits[0].Thresholds, "fanout.meter_max_age_ms")
	require.Equal(t, []string{"classes.*.reject_when.queue_age_ms"}, gate.Admits[1].Thresholds)
	require.NotEmpty(t, gate.Admits[1].When)
	require.Empty(t, gate.Admits[2].When)
}

// Rules that stand for one another are refused as recursive, and keep no load from ending.
func TestRulesThatStandForOneAnotherEnd(t *testing.T) {
	for _, rules := range []string{"a := b.x\n\nb := a.y\n", "a := a.x\n", "a := b.x\n\nb := c.y\n\nc := b.z if a\n"} {
		files := edited(t, "", "", "")
		files["compaction/own.rego"] = &fstest.MapFile{Mode: 0o600, Data: []byte("package admission.compaction\n\nenabled if a.b.c == true\n\n" + rules)}
		_, err := engine.Compile(t.Context(), files)
		require.ErrorIs(t, err, engine.ErrRego)
		require.ErrorContains(t, err, "rego_recursion_error")
	}
	files := edited(t, "", "", "")
	files["compaction/own.rego"] = &fstest.MapFile{Mode: 0o600, Data: []byte("package admission.compaction\n\nimport data.compaction.data\n\nenabled if data.z == true\n")}
	_, err := engine.Compile(t.Context(), files)
	require.ErrorIs(t, err, engine.ErrLoad, "an import that shadows data")
}
