package policy_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// withExample is a folder of the shipped policies and the gate that examples/subagent adds.
func withExample(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("../policies")))
	require.NoError(t, os.CopyFS(folder, os.DirFS("../examples/subagent/policies")))
	return folder
}

// rawSubagent decides as stock OPA does, with nothing of ours between.
func rawSubagent(t *testing.T, folder string) func(document any) decision {
	t.Helper()
	query, err := rego.New(rego.Load([]string{folder}, nil), rego.Query("data.admission.subagent.decision")).PrepareForEval(t.Context())
	require.NoError(t, err)
	return func(document any) decision {
		results, err := query.Eval(t.Context(), rego.EvalInput(document))
		require.NoError(t, err)
		require.Len(t, results, 1)
		text, err := json.Marshal(results[0].Expressions[0].Value)
		require.NoError(t, err)
		got, err := decodeDecision(text)
		require.NoError(t, err)
		return got
	}
}

// The example's fixtures get their wanted decisions through the library and from plain OPA.
func TestTheExampleGateDecidesItsFixtures(t *testing.T) {
	folder := withExample(t)
	program, err := engine.Compile(t.Context(), os.DirFS(folder))
	require.NoError(t, err)
	raw := rawSubagent(t, folder)
	for _, f := range readFixtures(t, "../examples/subagent/fixtures") {
		document, err := program.Decode(f.text, inputs.Source{File: f.file})
		require.NoError(t, err)
		got, err := program.Decide(t.Context(), document)
		require.NoError(t, err)
		text, err := json.Marshal(got)
		require.NoError(t, err)
		decided, err := decodeDecision(text)
		require.NoError(t, err)
		require.Equal(t, f.want, decided, f.file)
		require.Equal(t, f.want, raw(documentOf(t, f.text)), f.file)
	}
}

// Whatever is damaged in a document that the example's gate admits, plain OPA does not admit it, and decoding refuses it
// but for what may be unknown or left out.
func TestTheExampleGateFailsClosed(t *testing.T) {
	folder := withExample(t)
	program, err := engine.Compile(t.Context(), os.DirFS(folder))
	require.NoError(t, err)
	gate, _ := program.Gate("subagent")
	raw := rawSubagent(t, folder)
	text, err := os.ReadFile(filepath.Join("..", "examples", "subagent", "fixtures", "admit_implementer.json"))
	require.NoError(t, err)
	whole := documentOf(t, text)
	require.True(t, raw(whole).Admit)
	damaged := 0
	for _, p := range gate.Properties {
		values := map[string]any{"null": nil, "text": "9", "empty": "", "flag": true, "list": []any{}, "object": map[string]any{}, "fraction": 1.5, "negative": -1, "huge": int64(1) << 50}
		if p.Kind == inputs.KindText {
			delete(values, "text")
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			document := maps.Clone(whole)
			document[p.Name] = values[name]
			damaged++
			require.False(t, raw(document).Admit, "%s %s", p.Name, name)
			text, err := json.Marshal(document)
			require.NoError(t, err)
			_, err = program.Decode(text, inputs.Source{})
			require.Equal(t, name == "null" && p.Signal, err == nil, "%s %s: %v", p.Name, name, err)
		}
		document := maps.Clone(whole)
		delete(document, p.Name)
		require.Equal(t, !p.Required, raw(document).Admit, "%s is gone", p.Name)
	}
	require.Greater(t, damaged, 70)
}
