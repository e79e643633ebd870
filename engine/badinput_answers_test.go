package engine_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// slowly is a row of the fan-out gate whose check never ends for the class "slow".
const slowly = `package admission.fanout

# METADATA
# title: Too slow
# description: A check that takes longer than anybody waits.
# custom:
#   reason: slow
#   action: reject
violated contains rego.metadata.rule().custom if not quick

quick if not slow

quick if count({[a, b, c, d, e, f, g, h] | some a in digits; some b in digits; some c in digits; some d in digits; some e in digits; some f in digits; some g in digits; some h in digits}) == 1

slow if input.class == "slow"

digits := [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
`

// Row 29: work without an end is cut off, and neither its own program nor another waits for it.
func TestWorkWithoutAnEndHoldsNobodyUp(t *testing.T) {
	files := edited(t, "", "", "")
	files["slow.rego"] = &fstest.MapFile{Data: []byte(slowly)}
	const limit = 200 * time.Millisecond
	stuck, other := compile(t, files, engine.Timeout(limit)), compile(t, policies.Files)
	type answer struct {
		decision engine.Decision
		err      error
	}
	const many = 4
	late := document(t, fanoutOf("slow"))
	answers := make(chan answer, many)
	for range many {
		go func() {
			decision, err := stuck.Decide(context.Background(), late)
			answers <- answer{decision, err}
		}()
	}
	admitted := 0
	for done := 0; done < many; {
		_, _ = stuck.Decide(t.Context(), document(t, fanoutOf("tool_fanout")))
		decision, err := other.Decide(t.Context(), document(t, fanoutOf("tool_fanout")))
		require.NoError(t, err)
		require.True(t, decision.Admit)
		admitted++
		select {
		case slow := <-answers:
			requireReject(t, slow.decision, engine.ReasonTimeout)
			require.ErrorIs(t, slow.err, engine.ErrTimeout)
			require.ErrorContains(t, slow.err, "no decision within 200ms")
			done++
		case <-t.Context().Done():
			require.Fail(t, "the test ended first")
		default:
		}
	}
	require.Greater(t, admitted, many)
}

func TestAContextThatEndsRejects(t *testing.T) {
	files := edited(t, "", "", "")
	files["slow.rego"] = &fstest.MapFile{Data: []byte(slowly)}
	program := compile(t, files, engine.Timeout(time.Hour))
	t.Run("in the middle", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		decision, err := program.Decide(ctx, document(t, fanoutOf("slow")))
		requireReject(t, decision, engine.ReasonTimeout)
		require.ErrorIs(t, err, engine.ErrTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		decision, err := program.Decide(ctx, document(t, fanoutOf("tool_fanout")))
		requireReject(t, decision, engine.ReasonTimeout)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// A short time limit is for decisions; it must not keep good policies from loading.
func TestAShortTimeLimitStillLoads(t *testing.T) {
	files := edited(t, "", "", "")
	files["slow.rego"] = &fstest.MapFile{Data: []byte(slowly)}
	program := compile(t, files, engine.Timeout(time.Nanosecond))
	decision, err := program.Decide(t.Context(), document(t, fanoutOf("slow")))
	requireReject(t, decision, engine.ReasonTimeout)
	require.ErrorIs(t, err, engine.ErrTimeout)
	_, err = engine.Compile(t.Context(), policies.Files, engine.Timeout(0))
	require.ErrorIs(t, err, engine.ErrLoad)
}

const borrow = `{"gate":"fence","intent_id":"I1","revision":"R3","borrow":true,"primary":{"name":"a","depth":0,"retry_budget":3,"health_age_ms":0},"borrowed":{"name":"b","depth":0,"retry_budget":3,"health_age_ms":0}}`

// Row 32: whatever the rules say, no decision has other effects than those of its document.
func TestNoPolicyNamesOtherEffects(t *testing.T) {
	const primary, borrowed = `{"plane": input.primary.name, "counter": "depth", "delta": 1}`, `{"plane": input.borrowed.name, "counter": "depth", "delta": 1}`
	const both = "\t\t" + primary + ",\n\t\t" + borrowed + ",\n"
	alone := strings.Replace(borrow, "true", "false", 1)
	compaction := `{"gate":"compaction","slack_ms":9000,"queue_age_ms":1200,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":9,"latest_version":9}`
	tests := []struct{ what, document, file, old, new string }{
		{"borrowed missing", borrow, "fence/fence.rego", both, "\t\t" + primary + ",\n"},
		{"primary missing", borrow, "fence/fence.rego", both, "\t\t" + borrowed + ",\n"},
		{"both missing", borrow, "fence/fence.rego", both, ""},
		{"primary twice", borrow, "fence/fence.rego", both, "\t\t" + primary + ",\n\t\t" + primary + ",\n"},
		{"three effects", borrow, "fence/fence.rego", both, both + "\t\t" + primary + ",\n"},
		{"retry budget of the primary charged", borrow, "fence/fence.rego", both, both + "\t\t" + `{"plane": input.primary.name, "counter": "retry_budget", "delta": -1},`},
		{"other plane", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"plane": "c", "counter": "depth", "delta": 1},`},
		{"other counter", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"plane": input.borrowed.name, "counter": "retry_budget", "delta": 1},`},
		{"other delta", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"plane": input.borrowed.name, "counter": "depth", "delta": 2},`},
		{"other sign", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"plane": input.borrowed.name, "counter": "depth", "delta": -1},`},
		{"delta that is a string", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"plane": input.borrowed.name, "counter": "depth", "delta": "1"},`},
		{"plane that is a number", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"plane": 5, "counter": "depth", "delta": 1},`},
		{"borrowed without borrowing", alone, "fence/fence.rego", "[" + primary + "]", "[" + primary + ", " + borrowed + "]"},
		{"none without borrowing", alone, "fence/fence.rego", "[" + primary + "]", "[]"},
		{"effect of a compaction", compaction, "compaction/compaction.rego", `"effects": []}`, `"effects": [{"plane": "a", "counter": "depth", "delta": 1}]}`},
		{"effect of a class", fanoutOf("tool_fanout"), "fanout/fanout.rego", `"effects": []}`, `"effects": [{"plane": "a", "counter": "retry_budget", "delta": -1}]}`},
		{"effect of a reject", fanoutOf("no_such_class"), "guard/guard.rego", "\"effects\": [],\n\t\"unknown\": sort(gate.unknown),\n}\n", "\"effects\": [{\"plane\": \"a\", \"counter\": \"depth\", \"delta\": 1}],\n\t\"unknown\": sort(gate.unknown),\n}\n"},
		{"effects that are a set", borrow, "fence/fence.rego", both, "\t\t" + primary + `, {"a"},`},
		{"gate of another name", fanoutOf("tool_fanout"), "fanout/fanout.rego", "guard.decision({\n\t\"name\": \"fanout\"", "guard.decision({\n\t\"name\": named"},
	}
	shipped := compile(t, policies.Files)
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			_, err := shipped.Decide(t.Context(), document(t, test.document))
			require.NoError(t, err)
			files := edited(t, test.file, test.old, test.new)
			// For an empty document the gate keeps its name, and so it loads.
			if strings.HasSuffix(test.new, "named") {
				files["named.rego"] = &fstest.MapFile{Data: []byte("package admission.fanout\n\ndefault named := null\n\nnamed := \"fence\" if input.class\n\nnamed := \"fanout\" if not class_given\n\nclass_given if _ = input.class\n")}
			}
			decision, err := compile(t, files).Decide(t.Context(), document(t, test.document))
			requireReject(t, decision, engine.ReasonError)
			require.ErrorIs(t, err, engine.ErrEvaluation)
		})
	}
}

// A decision that contradicts itself shows at load, where the empty document is decided.
func TestDecisionsThatContradictThemselvesDoNotLoad(t *testing.T) {
	for _, test := range []struct{ what, old, new, says string }{
		{"admit with violations", `"admit": false`, `"admit": true`, "a gate admits exactly when there are no violations"},
		{"reason of another violation", `"reason": gate.violated[0].reason`, `"reason": "admit"`, "the reason of a reject is that of its first violation"},
		{"violations that are a set", `"violations": gate.violations`, `"violations": {row | some row in gate.violations}`, "violations must be a list"},
		{"no action", `"action": gate.violated[0].action`, `"action": ""`, "reason and action must be there"},
	} {
		t.Run(test.what, func(t *testing.T) {
			_, err := engine.Compile(t.Context(), edited(t, "guard/guard.rego", test.old, test.new))
			require.ErrorIs(t, err, engine.ErrEntrypoint)
			require.ErrorContains(t, err, test.says)
		})
	}
}

// forged is a document that is not of this module.
type forged struct {
	gate   string
	fields func(yield func(string, inputs.Value) bool)
}

func (f forged) Gate() string                            { return f.gate }
func (f forged) Validate() error                         { return nil }
func (f forged) Fields() iter.Seq2[string, inputs.Value] { return f.fields }

func TestDocumentsThatCallersForge(t *testing.T) {
	program := compile(t, policies.Files)
	fenceFields := document(t, borrow).Fields()
	tests := []struct {
		what     string
		document inputs.Document
		reason   string
		kind     error
	}{
		{"none", nil, engine.ReasonInvalidInput, inputs.ErrInvalid},
		{"nil", (*inputs.Fence)(nil), engine.ReasonInvalidInput, inputs.ErrInvalid},
		{"unknown gate", forged{gate: "fence.x"}, engine.ReasonInvalidInput, inputs.ErrUnknownGate},
		{"gate with an escape", forged{gate: "\x1b[31m"}, engine.ReasonInvalidInput, inputs.ErrUnknownGate},
		{"panics", forged{"fanout", func(func(string, inputs.Value) bool) { panic("broken") }}, engine.ReasonError, engine.ErrEvaluation},
		{"has effects that nobody can check", forged{"fence", fenceFields}, engine.ReasonError, engine.ErrEvaluation},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			decision, err := program.Decide(t.Context(), test.document)
			requireReject(t, decision, test.reason)
			require.ErrorIs(t, err, test.kind)
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
	t.Run("has nothing", func(t *testing.T) {
		decision, err := program.Decide(t.Context(), forged{"compaction", func(func(string, inputs.Value) bool) {}})
		require.NoError(t, err)
		require.False(t, decision.Admit)
		require.Equal(t, engine.ReasonInvalidInput, decision.Reason)
	})
}
