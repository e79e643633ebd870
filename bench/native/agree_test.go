package native_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/bench/native"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// answer is what both sides say of a document.
type answer struct {
	Admit      bool
	Reason     string
	Action     string
	Violations []string
	Effects    []engine.Effect
}

// overlays are the thresholds that the two are compared under.
func overlays() map[string]string {
	return map[string]string{
		"shipped": "{}",
		"planes":  "fence: {planes: {gpu-a: {depth_limit: 8}, free-eval: {depth_limit: 2, health_max_age_ms: 1500}}}",
		"strict": "compaction: {free_path: disabled, requires: [jobs_this_turn, last_compacted_version]}\n" +
			"classes: {tool_fanout: {requires: [queue_age_ms, deadline_slack_ms, tokens_in_window, successes_in_window, tool_depth, retries_in_window, siblings, meter_age_ms]}}\n" +
			"fanout: {probe_when_idle: false}",
		"lenient":    "classes: {tool_fanout: {requires: []}}\nfanout: {retry_amplification_min: 1}",
		"switched":   "compaction: {enabled: false, free_path: disabled, token_ceiling: 0, max_retries: 0}\nclasses: {tool_fanout: {enabled: false}}",
		"one listed": "classes: {tool_fanout: {requires: [tokens_in_window]}}",
	}
}

// sides are the engine and the native functions under the same thresholds.
type sides struct {
	program    *engine.Program
	thresholds *native.Thresholds
}

func TestNativeAgreesWithTheEngine(t *testing.T) {
	for name, overlay := range overlays() {
		t.Run(name, func(t *testing.T) {
			program, err := engine.Compile(context.Background(), policies.Files, engine.Overlay("overlay.yaml", []byte(overlay)), engine.Timeout(time.Minute))
			require.NoError(t, err)
			thresholds, err := native.Read(program.Data())
			require.NoError(t, err)
			s := sides{program, thresholds}
			t.Run("fence", func(t *testing.T) { agree(t, s, fences(), s.fence) })
			t.Run("fence.retry", func(t *testing.T) { agree(t, s, retries(), s.retry) })
			t.Run("fence.bind", func(t *testing.T) { agree(t, s, binds(), s.bind) })
			t.Run("compaction", func(t *testing.T) { agree(t, s, compactions(), s.compaction) })
			t.Run("fanout", func(t *testing.T) { agree(t, s, fanouts(), s.fanout) })
		})
	}
}

// agree holds the two against each other, ten documents a check: rapid shrinks to the one that they differ in.
func agree[D inputs.Document](t *testing.T, s sides, documents *rapid.Generator[D], decide func(D) answer) {
	rapid.Check(t, func(t *rapid.T) {
		for _, document := range rapid.SliceOfN(documents, 1, 10).Draw(t, "documents") {
			text, _ := json.Marshal(document)
			decision, err := s.program.Decide(context.Background(), document)
			if decision.Reason != engine.ReasonInvalidInput {
				require.NoError(t, err)
			}
			want := answer{Admit: decision.Admit, Reason: decision.Reason, Action: decision.Action, Effects: decision.Effects}
			for _, violation := range decision.Violations {
				want.Violations = append(want.Violations, violation.Reason)
			}
			if len(want.Effects) == 0 {
				want.Effects = nil
			}
			require.Equal(t, want, decide(document), "%s", text)
		}
	})
}

// settle is an answer of a verdict; what an invalid document violates is that alone.
func settle(verdict native.Verdict, effects []native.Effect, violations func() native.Violations, rows []string) answer {
	a := answer{Admit: verdict.Admit, Reason: verdict.Reason, Action: verdict.Action}
	if verdict.Reason == engine.ReasonInvalidInput {
		a.Violations = []string{engine.ReasonInvalidInput}
		return a
	}
	for row := range violations().Rows() {
		if !slices.Contains(a.Violations, rows[row]) {
			a.Violations = append(a.Violations, rows[row])
		}
	}
	for _, effect := range effects {
		if effect.Plane != "" {
			a.Effects = append(a.Effects, engine.Effect{Plane: effect.Plane, Counter: effect.Counter.String(), Delta: int64(effect.Delta)})
		}
	}
	return a
}

func (s sides) fence(d *inputs.Fence) answer {
	change := s.thresholds.DecideFence(d)
	return settle(change.Verdict, change.Effects[:], func() native.Violations { return s.thresholds.FenceViolations(d) }, native.FenceRows())
}

func (s sides) retry(d *inputs.Retry) answer {
	change := s.thresholds.DecideRetry(d)
	return settle(change.Verdict, change.Effects[:], func() native.Violations { return s.thresholds.RetryViolations(d) }, native.RetryRows())
}

func (s sides) bind(d *inputs.Bind) answer {
	return settle(s.thresholds.DecideBind(d), nil, func() native.Violations { return s.thresholds.BindViolations(d) }, native.BindRows())
}

func (s sides) compaction(d *inputs.Compaction) answer {
	return settle(s.thresholds.DecideCompaction(d), nil, func() native.Violations { return s.thresholds.Compaction.Violations(d) }, native.CompactionRows())
}

func (s sides) fanout(d *inputs.Fanout) answer {
	return settle(s.thresholds.DecideFanout(d), nil, func() native.Violations { return s.thresholds.FanoutViolations(d) }, native.FanoutRows())
}
