package engine_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// edited is the shipped policies after a part of one file was replaced.
func edited(t *testing.T, name, old, new string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		files[name] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	}))
	if name != "" {
		require.Contains(t, string(files[name].Data), old)
		files[name].Data = []byte(strings.ReplaceAll(string(files[name].Data), old, new))
	}
	return files
}

func compile(t *testing.T, files fs.FS, options ...engine.Option) *engine.Program {
	t.Helper()
	program, err := engine.Compile(t.Context(), files, options...)
	require.NoError(t, err)
	return program
}

func document(t *testing.T, text string) inputs.Document {
	t.Helper()
	document, err := inputs.Decode([]byte(text), inputs.Source{})
	require.NoError(t, err)
	return document
}

func requireReject(t *testing.T, decision engine.Decision, reason string) {
	t.Helper()
	require.False(t, decision.Admit)
	require.Equal(t, reason, decision.Reason)
	require.Equal(t, engine.ActionReject, decision.Action)
	require.Equal(t, []engine.Violation{{Reason: reason}}, decision.Violations)
	require.Empty(t, decision.Effects)
	require.NotEmpty(t, decision.Error)
}

// Row 16: whatever threshold is taken away, the load is refused and names it.
func TestNoThresholdCanBeMissing(t *testing.T) {
	elsewhere := map[string]string{
		// A class that is not reserved any more needs the limits that it never had.
		"classes.interactive.reserved": "classes.interactive.max_siblings",
	}
	unread := "classes.interactive.max_depth" // of a reserved class, of which no limit is read
	for _, setting := range compile(t, policies.Files).Thresholds() {
		t.Run(setting.Path, func(t *testing.T) {
			t.Parallel()
			var tree map[string]any
			require.NoError(t, yaml.Unmarshal(edited(t, "", "", "")["thresholds.yaml"].Data, &tree))
			remove(t, tree, strings.Split(setting.Path, "."))
			text, err := yaml.Marshal(tree)
			require.NoError(t, err)
			files := edited(t, "", "", "")
			files["thresholds.yaml"].Data = text
			program, err := engine.Compile(t.Context(), files)
			if setting.Path == unread {
				require.NoError(t, err)
				decision, err := program.Decide(t.Context(), document(t, fanoutOf("interactive")))
				require.NoError(t, err)
				require.Equal(t, "class_reserved", decision.Reason)
				return
			}
			named, ok := elsewhere[setting.Path]
			if !ok {
				named = setting.Path
			}
			require.ErrorIs(t, err, engine.ErrThresholds)
			require.ErrorContains(t, err, named+": missing; set it: a limit that is not there must never be compared with")
		})
	}
}

func remove(t *testing.T, tree map[string]any, path []string) {
	t.Helper()
	for ; len(path) > 1; path = path[1:] {
		inner, ok := tree[path[0]].(map[string]any)
		require.True(t, ok, path[0])
		tree = inner
	}
	require.Contains(t, tree, path[0])
	delete(tree, path[0])
}

func fanoutOf(class string) string {
	return `{"gate":"fanout","class":"` + class + `","queue_age_ms":0,"deadline_slack_ms":90000,"tokens_in_window":0,"successes_in_window":1,"tool_depth":0,"retries_in_window":0}`
}

// Row 19: names of classes and planes are no identifiers of ours, and are kept to the letter.
func TestNamesAreKeptExactly(t *testing.T) {
	names := []string{"Tool_Fanout", "TOOL_FANOUT", "v1.2", "a/b", "a b", "~", "null", "true", "010", "1e3", "<<", "ü", "a[0]", "$.x", "a'b", "gpu:0"}
	classes, planes := "classes:\n", "fence:\n  planes:\n"
	for _, name := range names {
		classes += `  "` + name + `": {max_depth: 1, max_siblings: 2, reject_when: {queue_age_ms: 1, slack_ms_below: 1, tokens_per_success_est: 1}}` + "\n"
		planes += `    "` + name + `": {depth_limit: 1}` + "\n"
	}
	program := compile(t, policies.Files, engine.Overlay("overlay.yaml", []byte(classes+planes)))
	reason := func(t *testing.T, document inputs.Document) string {
		t.Helper()
		decision, err := program.Decide(t.Context(), document)
		require.NoError(t, err)
		return decision.Reason
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "admit", reason(t, document(t, fanoutOf(name))))
			require.Equal(t, "class_unknown", reason(t, document(t, fanoutOf(name+"_"))))
			fence := &inputs.Fence{IntentID: "I1", Borrow: inputs.KnownFlag(false), Primary: inputs.Plane{Name: name, Depth: inputs.Known(1), RetryBudget: inputs.Known(1), HealthAgeMS: inputs.Known(0)}}
			require.Equal(t, "reject_primary_depth", reason(t, fence))
			fence.Primary.Name += "_"
			require.Equal(t, "admit", reason(t, fence))
		})
	}
}

// A problem names the same place every time, whatever the order of a map.
func TestProblemsComeInTheSameOrder(t *testing.T) {
	files := edited(t, "", "", "")
	for _, name := range []string{"a.rego", "b.rego", "c.rego"} {
		files[name] = &fstest.MapFile{Data: []byte("package admission.fanout\n\ndecision := 1 if input.class == \"a\"\n\nx := object.get(input, \"y\", 0) < 5\n")}
	}
	_, first := engine.Compile(t.Context(), files)
	require.ErrorIs(t, first, engine.ErrLoad)
	for range 5 {
		_, again := engine.Compile(t.Context(), files)
		require.EqualError(t, again, first.Error())
	}
}

// A file of nothing but mistakes is refused in no time, and without filling the screen.
func TestManyProblemsAreCut(t *testing.T) {
	overlay := "compaction:\n" + strings.Repeat("  x: 1\n", 20_000) + "  y: [" + strings.Repeat("~, ", 10_000) + "]\n"
	_, err := engine.Compile(t.Context(), policies.Files, engine.Overlay("overlay.yaml", []byte(overlay)))
	var refused *engine.LoadError
	require.ErrorAs(t, err, &refused)
	require.Len(t, refused.Problems, 1001)
	require.Equal(t, "and 29001 problems more", refused.Problems[1000].String())
	require.Less(t, len(err.Error()), 200_000)
}
