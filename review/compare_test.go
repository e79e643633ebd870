package review_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

// edited is the shipped policies after one edit.
func edited(t *testing.T, file, old, new string) fstest.MapFS {
	t.Helper()
	files := shippedFiles(t)
	if file == "" {
		return files
	}
	require.Equal(t, 1, strings.Count(string(files[file].Data), old))
	files[file].Data = []byte(strings.Replace(string(files[file].Data), old, new, 1))
	return files
}

// compared compares the shipped policies with themselves after one edit; by a solver where there is one.
func compared(t *testing.T, file, old, new string) review.Comparison {
	t.Helper()
	base, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	head, err := base.Reload(t.Context(), edited(t, file, old, new))
	require.NoError(t, err)
	path, _ := exec.LookPath("z3")
	got, err := review.Compare(t.Context(), review.Side{Name: "base", Program: base}, review.Side{Name: "head", Program: head}, review.Options{Solver: path})
	require.NoError(t, err)
	return got
}

func TestARaisedCeilingIsToldWithItsSmallestExampleAndItsLine(t *testing.T) {
	got := compared(t, "thresholds.yaml", "token_ceiling: 5000", "token_ceiling: 8000")
	for _, gate := range []string{"fence", "fence.retry", "fence.bind", "fanout"} {
		require.Equal(t, review.GateComparison{Verdict: review.Equal, Proof: review.Proof{Complete: true, By: review.ByIdentity}, Changes: []review.Change{}}, got.Gates[gate])
	}
	change := got.Gates["compaction"].Changes[0]
	require.Equal(t, review.KindLoosened, change.Kind)
	require.Equal(t, []review.Outcome{{false, "reject_tokens", "stop_retries_for_version"}, {true, "admit", "submit"}}, []review.Outcome{change.Base, change.Head})
	require.Equal(t, []string{"est_tokens"}, change.Inside.Off)
	require.Len(t, change.Cause, 1)
	require.Equal(t, "compaction.token_ceiling", change.Cause[0].Threshold)
	require.Equal(t, []string{"5000", "8000"}, []string{change.Cause[0].From, change.Cause[0].To})
	require.Equal(t, "policies/thresholds.yaml", change.Cause[0].Head.File)
	require.True(t, change.Outside.Base.Admit)
	require.Equal(t, change.Inside.Distance, change.Outside.Distance+1, "just outside")
}

func TestAGateWhoseDocumentsAreOthersIsNotEqual(t *testing.T) {
	whole := shippedFiles(t)
	for _, name := range []string{"document.rego", "subagent.rego", "thresholds.yaml"} {
		text, err := os.ReadFile(filepath.Join("../examples/subagent/policies/subagent", name))
		require.NoError(t, err)
		whole["subagent/"+name] = &fstest.MapFile{Data: text, Mode: 0o600}
	}
	base, err := engine.Compile(t.Context(), whole)
	require.NoError(t, err)
	schema := string(whole["subagent/document.rego"].Data)
	whole["subagent/document.rego"] = &fstest.MapFile{Data: []byte(strings.Replace(schema, "maximum: 1048576", "maximum: 1048575", 1)), Mode: 0o600}
	head, err := base.Reload(t.Context(), whole)
	require.NoError(t, err)
	sides := []review.Side{{Name: "base", Program: base}, {Name: "head", Program: head}}

	got, err := review.Compare(t.Context(), sides[0], sides[1], review.Options{})
	require.NoError(t, err)
	require.Equal(t, review.Unproved, got.Gates["subagent"].Verdict, "its rules and thresholds are what they were")
	require.Contains(t, got.Gates["subagent"].Proof.Why, "the documents of the gate are not the same")
	require.Equal(t, review.Equal, got.Gates["fence"].Verdict)

	shipped, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	none := review.Side{Name: "none", Program: shipped}
	for _, test := range []struct {
		base, head review.Side
		verdict    review.Verdict
	}{{none, sides[0], review.Loosened}, {sides[0], none, review.Tightened}} {
		got, err = review.Compare(t.Context(), test.base, test.head, review.Options{})
		require.NoError(t, err)
		require.Equal(t, test.verdict, got.Gates["subagent"].Verdict, "a gate that is new lets in what nobody decided, and one that is gone keeps it out")
		change := got.Gates["subagent"].Changes[0]
		require.NotEqual(t, change.Base.Admit, change.Head.Admit)
		require.Equal(t, test.verdict, got.Verdict)
	}
}

func TestARuleThatShowsAnotherValueIsTheCause(t *testing.T) {
	got := compared(t, "compaction/compaction.rego", `observed["reject_slack"] := projected_ms`, `observed["reject_slack"] := queue_age_ms`)
	require.Equal(t, review.Relabelled, got.Verdict)
	require.Len(t, got.Gates["compaction"].Changes, 1)
	change := got.Gates["compaction"].Changes[0]
	require.Equal(t, review.PartValues, change.Part)
	require.Len(t, change.Cause, 1)
	require.Equal(t, "observed.reject_slack", change.Cause[0].Rule)
	require.Equal(t, "policies/compaction/compaction.rego", change.Cause[0].Head.File)
}
