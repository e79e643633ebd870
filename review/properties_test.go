package review_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

// under is the shipped policies with an overlay of the fixtures, or without one.
func under(t *testing.T, overlay string) *engine.Program {
	t.Helper()
	var options []engine.Option
	if overlay != "" {
		name := filepath.Join("..", "fixtures", "overlays", overlay, "overlay.yaml")
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		options = append(options, engine.Overlay(name, text))
	}
	program, err := engine.Compile(t.Context(), policies.Files, options...)
	require.NoError(t, err)
	return program
}

func proved(t *testing.T, program *engine.Program, o review.Options) review.Properties {
	t.Helper()
	got, err := review.Prove(t.Context(), review.Side{Name: "policies", Program: program}, o)
	require.NoError(t, err)
	require.Equal(t, review.Revision{Name: "policies", Revision: program.Revision()}, got.Policies)
	return got
}

// but are the findings that are neither proved nor off.
func but(got review.Properties) map[string][]review.Finding {
	all := map[string][]review.Finding{}
	for gate, findings := range got.Gates {
		for _, f := range findings {
			if f.Status != review.StatusProved && f.Status != review.StatusOff {
				all[gate] = append(all[gate], f)
			}
		}
	}
	return all
}

func switchedOff(got review.Properties) map[string][]string {
	all := map[string][]string{}
	for _, findings := range got.Gates {
		for _, f := range findings {
			if f.Status == review.StatusOff {
				all[f.Of] = f.Off
			}
		}
	}
	return all
}

// The shipped policies have every property, and no solver is needed to know it.
func TestTheShippedPoliciesHaveEveryProperty(t *testing.T) {
	program := under(t, "")
	got := proved(t, program, review.Options{})
	require.Empty(t, but(got))
	require.Equal(t, map[string][]string{"reject_disabled": {"compaction.enabled"}}, switchedOff(got), "compaction is switched on")
	claims := map[string]map[review.Claim]int{}
	for gate, findings := range got.Gates {
		claims[gate] = map[review.Claim]int{}
		for _, f := range findings {
			claims[gate][f.Claim]++
			if f.Claim == review.ClaimReason && f.Status == review.StatusProved {
				decision, err := program.Ask(t.Context(), f.After.Document)
				require.NoError(t, err)
				require.Equal(t, f.Of, decision.Reason, "every reason has a document that has it")
				require.Equal(t, decision, f.After.Decision)
				if f.Action != "" {
					require.Equal(t, f.Action, decision.Action)
				}
			}
		}
	}
	require.Equal(t, map[string]map[review.Claim]int{
		"compaction":  {review.ClaimDecided: 1, review.ClaimUnknown: 6, review.ClaimWorse: 8, review.ClaimTightens: 1, review.ClaimReason: 11},
		"fanout":      {review.ClaimDecided: 1, review.ClaimUnknown: 9, review.ClaimWorse: 9, review.ClaimTightens: 3, review.ClaimReason: 13},
		"fence":       {review.ClaimDecided: 1, review.ClaimUnknown: 6, review.ClaimWorse: 6, review.ClaimTightens: 4, review.ClaimReason: 8},
		"fence.bind":  {review.ClaimDecided: 1, review.ClaimUnknown: 2, review.ClaimReason: 4},
		"fence.retry": {review.ClaimDecided: 1, review.ClaimUnknown: 1, review.ClaimWorse: 1, review.ClaimReason: 3},
	}, claims)
}

// A solver, where there is one, finds the same: it shares no code with the search of cells but the tables.
func TestASolverFindsTheSame(t *testing.T) {
	path, err := exec.LookPath("z3")
	program := under(t, "unmetered")
	without := proved(t, program, review.Options{Gates: []string{"fanout", "fence.retry"}})
	with := proved(t, program, review.Options{Gates: []string{"fanout", "fence.retry"}, Solver: path, Cells: 1})
	for gate, findings := range with.Gates {
		for i, f := range findings {
			if want := without.Gates[gate][i].Status; err == nil || f.Status != review.StatusUnproved { // one cell proves little
				require.Equal(t, want, f.Status, "%s: %s", gate, f)
			}
		}
	}
}

// The order of the documents' own code hides a reason for good.
func TestADeadReasonIsFound(t *testing.T) {
	got := proved(t, under(t, "code_precedence"), review.Options{Gates: []string{"fanout"}})
	require.Equal(t, map[string][]review.Finding{"fanout": {{
		Claim: review.ClaimReason, Of: "retry_amplification", Status: review.StatusRefuted, By: review.ByCells,
		Why: "whenever it is violated so is token_burn_vs_success, which comes before it",
	}}}, but(got))
	require.Equal(t, 1, got.Count(review.StatusRefuted))
}

// A reason that a switch hides is no dead one.
func TestAReasonThatIsSwitchedOffIsNotDead(t *testing.T) {
	got := proved(t, under(t, "rollback"), review.Options{Gates: []string{"compaction"}})
	require.Empty(t, but(got))
	enabled, both := []string{"compaction.enabled"}, []string{"compaction.enabled", "compaction.free_path"}
	require.Equal(t, map[string][]string{
		"reject_stale": enabled, "reject_free_path_dark": enabled, "reject_uncancelable": both, "reject_same_turn": both, "reject_already_compacted": enabled,
		"reject_turn_has_job": enabled, "reject_slack": enabled, "reject_retries": enabled, "reject_tokens": enabled, "admit": enabled,
	}, switchedOff(got))
	got = proved(t, under(t, "probing_off"), review.Options{Gates: []string{"fanout"}})
	require.Equal(t, map[string][]string{"admit_probe": {"fanout.probe_when_idle"}}, switchedOff(got))
}

// What a class does not require is not held against it where it is unknown, and so is not claimed of it. The age of a meter
// is: where a class requires neither tokens nor successes, an old reading makes burn unknown that was known.
func TestWhatAClassRequiresIsClaimedOfIt(t *testing.T) {
	require.Empty(t, but(proved(t, under(t, "coding_agent"), review.Options{Gates: []string{"fanout"}})))
	got := but(proved(t, under(t, "unmetered"), review.Options{Gates: []string{"fanout"}}))
	require.Len(t, got["fanout"], 2)
	for i, claim := range []review.Claim{review.ClaimUnknown, review.ClaimWorse} {
		f := got["fanout"][i]
		require.Equal(t, []any{claim, "meter_age_ms", review.StatusRefuted}, []any{f.Claim, f.Of, f.Status})
		require.Equal(t, []any{"token_burn_vs_success", "admit"}, []any{f.Before.Decision.Reason, f.After.Decision.Reason})
		require.Equal(t, []string{"meter_age_ms"}, differences(f.Before.Document, f.After.Document))
	}
	domain := map[string]review.Domain{"fanout": {"meter_age_ms": {Absent: true}}}
	for _, f := range proved(t, under(t, "unmetered"), review.Options{Gates: []string{"fanout"}, Domains: domain}).Gates["fanout"] {
		if f.Claim != review.ClaimReason {
			require.Equal(t, review.StatusProved, f.Status, "without a meter there is nothing to be old: %s", f)
		}
	}
}

// differences are the fields in which two documents differ.
func differences(a, b inputs.Document) []string {
	values := map[string]inputs.Value{}
	for name, value := range a.Fields() {
		values[name] = value
	}
	var all []string
	for name, value := range b.Fields() {
		if was, ok := values[name]; !ok || was != value {
			all = append(all, name)
		}
		delete(values, name)
	}
	for name := range values {
		all = append(all, name)
	}
	return all
}

// Each claim is refuted by a fault that a load lets pass, with the documents that show it.
func TestFaultsRefuteTheirClaim(t *testing.T) {
	for name, test := range map[string]struct {
		gate, file, old, new string
		claim                review.Claim
		of, before, after    string // the field, and the reasons of both documents
	}{
		"an unknown slack is taken for enough": {
			"compaction", "compaction/compaction.rego", "lands_in_time if guard", "lands_in_time if slack_ms == null\n\nlands_in_time if guard",
			review.ClaimUnknown, "slack_ms", "reject_slack", "admit",
		},
		"a comparison the wrong way round": {
			"compaction", "compaction/compaction.rego", "guard.at_most(retry_count, data.compaction.max_retries)", "guard.at_most(data.compaction.max_retries, retry_count)",
			review.ClaimWorse, "retry_count", "reject_retries", "admit",
		},
		"a caller's own limit alone": {
			"fanout", "fanout/document.rego", "max_depth := guard.stricter(class.max_depth, input.max_depth)", "max_depth := input.max_depth",
			review.ClaimTightens, "max_depth", "tool_depth_over_limit", "admit",
		},
		"an effect on the wrong counter": {
			"fence", "fence/fence.rego", `{"plane": input.borrowed.name, "counter": "depth", "delta": 1}`, `{"plane": input.borrowed.name, "counter": "retry_budget", "delta": 1}`,
			review.ClaimDecided, "", "", "policy_error",
		},
		"two values of one signal": {
			"compaction", "compaction/document.rego", "slack_ms := input.slack_ms if", "slack_ms := 7 if input.queue_age_ms == 7\n\nslack_ms := input.slack_ms if",
			review.ClaimDecided, "", "", "policy_conflict",
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := engine.Compile(t.Context(), edited(t, test.file, test.old, test.new))
			require.NoError(t, err, "a load does not see it")
			var refuted []review.Finding
			for _, f := range proved(t, program, review.Options{Gates: []string{test.gate}}).Gates[test.gate] {
				if f.Status == review.StatusRefuted && f.Claim == test.claim {
					refuted = append(refuted, f)
				}
			}
			require.Len(t, refuted, 1)
			require.Equal(t, test.of, refuted[0].Of)
			require.Equal(t, test.after, refuted[0].After.Decision.Reason)
			decision, _ := program.Ask(t.Context(), refuted[0].After.Document)
			require.Equal(t, decision, refuted[0].After.Decision)
			if test.claim == review.ClaimDecided {
				require.Nil(t, refuted[0].Before)
				require.NotEmpty(t, refuted[0].Why)
				return
			}
			require.Equal(t, test.before, refuted[0].Before.Decision.Reason)
			require.Equal(t, []string{test.of}, differences(refuted[0].Before.Document, refuted[0].After.Document))
			gate, _ := program.Gate(test.gate)
			require.LessOrEqual(t, len(differences(gate.Nominal, refuted[0].Before.Document)), 1, "the rest is as usual")
		})
	}
}

// What is decided by OPA alone, or has too many cells, is not taken for proved.
func TestWhatCannotBeGoneThroughIsUnproved(t *testing.T) {
	program, err := engine.Compile(t.Context(), edited(t, "compaction/compaction.rego", "can_be_cancelled if cancelable == true", "can_be_cancelled if cancelable == true\n\ncan_be_cancelled if startswith(input.path, \"p\")"))
	require.NoError(t, err)
	got := proved(t, program, review.Options{Gates: []string{"compaction"}})
	require.Equal(t, 5, got.Count(review.StatusUnproved))
	require.Len(t, got.Gates, 1)
	for _, f := range got.Gates["compaction"] {
		require.Contains(t, f.Why, "OPA decides")
	}
	got = proved(t, under(t, ""), review.Options{Gates: []string{"compaction"}, Cells: 1})
	require.Positive(t, got.Count(review.StatusUnproved))
	for _, f := range got.Gates["compaction"] {
		if f.Status == review.StatusUnproved {
			require.Contains(t, f.Why, "too many cells")
		}
	}
	got = proved(t, under(t, ""), review.Options{Gates: []string{"fence.retry"}, Cells: 1, Solver: "/nowhere/z3"})
	require.Contains(t, got.Gates["fence.retry"][1].Why, "the solver failed", "a solver that does not start proves nothing")
	require.Equal(t, review.StatusUnproved, got.Gates["fence.retry"][1].Status)
}

func TestAProofEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	program := under(t, "")
	cancel()
	_, err := review.Prove(ctx, review.Side{Name: "policies", Program: program}, review.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestFindingsAreToldInWords(t *testing.T) {
	for want, f := range map[string]review.Finding{
		"proved: every valid document is decided":                                                                 {Claim: review.ClaimDecided, Status: review.StatusProved},
		"refuted: a valid document is not decided: why":                                                           {Claim: review.ClaimDecided, Status: review.StatusRefuted, Why: "why"},
		"refuted: depth that becomes unknown turns a reject into an admit":                                        {Claim: review.ClaimUnknown, Of: "depth", Status: review.StatusRefuted},
		"unproved: depth that gets worse never turns a reject into an admit: why":                                 {Claim: review.ClaimWorse, Of: "depth", Status: review.StatusUnproved, Why: "why"},
		"proved: max_depth of the caller's own never turns a reject into an admit":                                {Claim: review.ClaimTightens, Of: "max_depth", Status: review.StatusProved},
		"refuted: old (drain) can never be the reason: why":                                                       {Claim: review.ClaimReason, Of: "old", Action: "drain", Status: review.StatusRefuted, Why: "why"},
		"refuted: old can never be the reason: why":                                                               {Claim: review.ClaimReason, Of: "old", Status: review.StatusRefuted, Why: "why"},
		"proved: old can be the reason":                                                                           {Claim: review.ClaimReason, Of: "old", Status: review.StatusProved},
		"off: old cannot be the reason under these thresholds; other values of own.on and own.most let it":        {Claim: review.ClaimReason, Of: "old", Status: review.StatusOff, Off: []string{"own.on", "own.most"}},
		"unproved: any limit of the caller's own never turns a reject into an admit: why":                         {Claim: review.ClaimTightens, Status: review.StatusUnproved, Why: "why"},
		"unproved: every reason can be the reason: why":                                                           {Claim: review.ClaimReason, Status: review.StatusUnproved, Why: "why"},
		"unproved: any signal that becomes unknown never turns a reject into an admit: a rule is outside of that": {Claim: review.ClaimUnknown, Status: review.StatusUnproved, Why: "a rule is outside of that"},
	} {
		require.Equal(t, want, f.String())
	}
}
