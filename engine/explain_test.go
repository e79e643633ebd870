package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// row finds a row of an explanation; the first of its reason where action is "".
func row(t *testing.T, e engine.Explanation, reason, action string) engine.Explained {
	t.Helper()
	for _, check := range e.Checks {
		if check.Reason == reason && (action == "" || check.Action == action) {
			return check
		}
	}
	require.Fail(t, "no such row", "%s %s", reason, action)
	return engine.Explained{}
}

func explain(t *testing.T, program *engine.Program, text string) engine.Explanation {
	t.Helper()
	e, err := program.Explain(t.Context(), document(t, text))
	require.NoError(t, err)
	return e
}

func number(n int64) inputs.Value { return inputs.Value{Kind: inputs.KindNumber, Number: n} }

const storm = `{"gate":"fanout","class":"tool_fanout","queue_age_ms":47012,"deadline_slack_ms":90000,"tokens_in_window":24110,
 "successes_in_window":1,"tool_depth":2,"retries_in_window":14}`

// Every check is told, in the order of precedence, with its margin, and with the threshold that its limit comes from.
func TestEveryCheckOfADocumentIsExplained(t *testing.T) {
	e := explain(t, compile(t, policies.Files), storm)
	require.Equal(t, "tool_depth_over_limit", e.Decision.Reason)
	require.Len(t, e.Checks, 11)
	require.Equal(t, engine.ReasonInvalidInput, e.Checks[0].Reason)
	require.Equal(t, engine.Held, e.Checks[0].Outcome)

	slack := row(t, e, "slack_below_floor", "")
	require.Equal(t, engine.Held, slack.Outcome)
	require.Equal(t, number(90000), slack.Observed)
	require.Equal(t, number(60000), slack.Limit)
	require.Equal(t, number(30000), slack.Margin, "more slack than the floor is within")
	require.Equal(t, "policies/fanout/fanout.rego", slack.File)

	age := row(t, e, "queue_age_over_limit", "")
	require.Equal(t, engine.Violated, age.Outcome)
	require.Equal(t, number(15000-47012), age.Margin)
	require.Len(t, age.From, 1)
	require.Equal(t, "classes.tool_fanout.reject_when.queue_age_ms", age.From[0].Threshold)
	require.Equal(t, int64(15000), age.From[0].Value)
	require.Equal(t, "policies/thresholds.yaml", age.From[0].At.File)
	require.Positive(t, age.From[0].At.Line)

	burn := row(t, e, "token_burn_vs_success", "reject_class_and_drain")
	require.Equal(t, engine.Violated, burn.Outcome)
	require.Equal(t, []string{"classes.tool_fanout.reject_when.tokens_per_success_est", "successes_in_window"}, []string{burn.From[0].Threshold, burn.From[1].Field}, "the limit is a product of both")
	meter := row(t, e, "token_burn_vs_success", "reject_until_meter")
	require.Equal(t, engine.Held, meter.Outcome)
	require.Equal(t, "What tokens buy is known as far as anybody asks", meter.Proved)
	require.Equal(t, inputs.Value{}, meter.Margin, "this row orders nothing")
}

// A check that holds without looking at what was observed was not asked, and the explanation says why.
func TestChecksThatNobodyAsks(t *testing.T) {
	program := compile(t, policies.Files)
	for _, test := range []struct{ name, document, reason, because string }{
		{"an optional signal that is absent", storm, "siblings_over_limit", "Nobody asks for siblings"},
		{"retries once there is a success", storm, "retry_amplification", "guard.less(0, successes)"},
		{"a class that nobody knows", strings.ReplaceAll(storm, "tool_fanout", "other"), "queue_age_over_limit", "No signal is read"},
		{"a switch of a class that nobody knows", strings.ReplaceAll(storm, "tool_fanout", "other"), "class_disabled", "No signal is read"},
		{"a plane that is not borrowed, however full", `{"gate":"fence","intent_id":"I","borrow":false,"primary":{"name":"a","depth":0,"retry_budget":3,"health_age_ms":0},"borrowed":{"name":"b","depth":9,"retry_budget":0,"health_age_ms":null}}`, "shed_borrowed_depth", "The intent borrows nothing"},
		{"the free path from the paid one", `{"gate":"compaction","path":"paid","cancelable":false,"slack_ms":9000,"queue_age_ms":0,"est_gen_ms":1,"est_tokens":1,"retry_count":0,"token_ceiling":5000,"transcript_version":7,"latest_version":7}`, "reject_uncancelable", "The job is not on the free path"},
	} {
		t.Run(test.name, func(t *testing.T) {
			check := row(t, explain(t, program, test.document), test.reason, "")
			require.Equal(t, engine.NotAsked, check.Outcome)
			require.Equal(t, test.because, check.Because)
			require.Equal(t, inputs.Value{}, check.Margin)
		})
	}
}

// The document's own limit is told as such where it is the stricter one, and the threshold where that is.
func TestLimitsOfTheDocumentsOwn(t *testing.T) {
	program := compile(t, policies.Files)
	own := row(t, explain(t, program, strings.Replace(storm, `"tool_depth"`, `"max_depth":0,"tool_depth"`, 1)), "tool_depth_over_limit", "")
	require.Equal(t, []engine.Source{{Field: "max_depth", Value: int64(0)}}, own.From)
	looser := row(t, explain(t, program, strings.Replace(storm, `"tool_depth"`, `"max_depth":5,"tool_depth"`, 1)), "tool_depth_over_limit", "")
	require.Len(t, looser.From, 1)
	require.Equal(t, "classes.tool_fanout.max_depth", looser.From[0].Threshold)
	require.Contains(t, looser.Reads, engine.Source{Field: "max_depth", Value: int64(5)})
}

// A probe excuses what would else stand: the row is violated all the same.
func TestWhatAProbeExcusesIsExplained(t *testing.T) {
	text, err := os.ReadFile("../fixtures/fanout/admit_probe.json")
	require.NoError(t, err)
	e := explain(t, compile(t, policies.Files), string(text))
	require.True(t, e.Decision.Admit)
	require.Equal(t, engine.Excused, row(t, e, "token_burn_vs_success", "reject_class_and_drain").Outcome)
}

// Where OPA decides a gate, what limits come from is told all the same, and so it is of gates that operators add.
func TestLimitsOfGatesThatOPADecides(t *testing.T) {
	files := edited(t, "", "", "")
	files["compaction/own.rego"] = &fstest.MapFile{Mode: 0o600, Data: []byte(`package admission.compaction

import data.admission.guard as g

# METADATA
# title: Own
# description: Does not come to a table.
# custom:
#   reason: own
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not own

own if {
	startswith(input.path, "p")
	g.at_most(retry_count, data.compaction.max_retries)
}

observed["own"] := retry_count
limit["own"] := data.compaction.max_retries
`)}
	program := compile(t, files)
	require.Nil(t, program.Table("compaction"))
	e := explain(t, program, `{"gate":"compaction","path":"paid","slack_ms":9000,"queue_age_ms":0,"est_gen_ms":1,"est_tokens":800,"retry_count":50,"token_ceiling":2000,"transcript_version":7,"latest_version":7}`)
	max := engine.Source{Threshold: "compaction.max_retries", Value: int64(2), At: table.Origin{File: "policies/thresholds.yaml", Line: 53}}
	require.Equal(t, []engine.Source{max}, row(t, e, "reject_retries", "").From)
	require.Equal(t, []engine.Source{{Field: "token_ceiling", Value: int64(2000)}}, row(t, e, "reject_tokens", "").From)
	own := row(t, e, "own", "")
	require.Equal(t, engine.Violated, own.Outcome)
	require.Equal(t, number(2-50), own.Margin)
	require.Equal(t, []engine.Source{max}, own.From)
	require.Equal(t, own, e.Checks[len(e.Checks)-1], "what precedence does not name comes last")
}

func TestWhatCannotBeDecidedIsNotExplained(t *testing.T) {
	program := compile(t, policies.Files)
	e, err := program.Explain(t.Context(), &inputs.Bind{})
	requireReject(t, e.Decision, engine.ReasonInvalidInput)
	require.ErrorIs(t, err, inputs.ErrInvalid)
	require.Empty(t, e.Checks)
	var none *engine.Program
	e, err = none.Explain(t.Context(), &inputs.Bind{})
	requireReject(t, e.Decision, engine.ReasonError)
	require.ErrorIs(t, err, engine.ErrEvaluation)
}

// Of every fixture, the explanation says what the decision says, and a margin is negative only beyond the limit.
func TestExplanationsOfTheFixturesAgreeWithTheirDecisions(t *testing.T) {
	explained := 0
	for _, overlay := range append([]string{""}, overlays(t)...) {
		var options []engine.Option
		folder := "../fixtures"
		if overlay != "" {
			text, err := os.ReadFile(overlay)
			require.NoError(t, err)
			options, folder = append(options, engine.Overlay(overlay, text)), filepath.Dir(overlay)
		}
		program := compile(t, policies.Files, options...)
		require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if overlay == "" && entry.Name() == "overlays" {
				return fs.SkipDir
			}
			if err == nil && strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".want.json") {
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				requireExplained(t, name, explain(t, program, string(text)))
				explained++
			}
			return err
		}))
	}
	require.Greater(t, explained, 200)
}

func overlays(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../fixtures/overlays/*/overlay.yaml")
	require.NoError(t, err)
	return all
}

func requireExplained(t *testing.T, name string, e engine.Explanation) {
	t.Helper()
	var violated []engine.Violation
	for _, check := range e.Checks {
		switch check.Outcome {
		case engine.Violated:
			violation := engine.Violation{Reason: check.Reason, Observed: check.Observed, Limit: check.Limit}
			violated = append(violated, violation)
			require.LessOrEqual(t, check.Margin.Number, int64(0), "%s: %s", name, check.Reason)
		case engine.Held:
			require.GreaterOrEqual(t, check.Margin.Number, int64(0), "%s: %s", name, check.Reason)
		case engine.NotAsked:
			require.NotEmpty(t, check.Because, "%s: %s", name, check.Reason)
		default:
			require.Equal(t, engine.Excused, check.Outcome, "%s: %s", name, check.Reason)
			require.True(t, e.Decision.Admit, name)
		}
		require.NotEmpty(t, check.Proved, "%s: %s", name, check.Reason)
		require.Positive(t, check.Line, "%s: %s", name, check.Reason)
		if len(check.From) == 1 && check.Limit.Kind == inputs.KindNumber {
			require.Equal(t, check.Limit.Number, check.From[0].Value, "%s: %s: the limit is what it comes from", name, check.Reason)
		}
	}
	require.ElementsMatch(t, e.Decision.Violations, violated, name)
}
