package policy_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program that mutates the tabulator finds every place of a package that has one of each kind, ends what has no end,
// and tells what survives from what no test comes to.
func TestMutantsOfGoSource(t *testing.T) {
	const folder = "policy_test/testdata/mutated"
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	mutation, err := mutateGo(root, []string{folder + "/*.go"})
	require.NoError(t, err)
	file := folder + "/mutated.go: "
	require.Equal(t, []string{file + "Endless: branch: continue → break"}, mutation.dropped)
	kinds := map[string]int{}
	for _, m := range mutation.mutants {
		kinds[m.kind]++
	}
	require.Equal(t, map[string]int{"arithmetic": 6, "bits": 5, "branch": 3, "comparison": 14, "condition": 7, "constant": 22,
		"label": 2, "logic": 6, "negation": 1, "statement": 5}, kinds)

	trial, err := mutation.build(t.Context(), t.TempDir(), []goSuite{
		{name: "quick", in: "./" + folder, run: "^TestSum$"}, {name: "all", in: "./" + folder, run: "^Test"}})
	require.NoError(t, err)
	outcomes := trial.tryEach(t.Context(), func(goMutant, outcome) {})
	found, counts := map[string][]string{}, map[string]int{}
	for i, m := range mutation.mutants {
		verdict := outcomes[i].verdict
		counts[verdict]++
		if verdict != "quick" && verdict != "all" {
			found[verdict] = append(found[verdict], m.key)
		}
	}
	require.Equal(t, map[string][]string{
		outOfTime: {file + "Search: statement: drop i++", file + "Search: branch: break → continue"},
		survives: {
			file + "Sum: comparison: <= → < in n <= 0",
			file + "Endless: constant: 0 → 1 in for i := 0; ; i++ {",
			file + "Untold: comparison: > → >= in n > 100",
			file + "Untold: constant: 100 → 101 in if n > 100 {",
		},
		neverReached: {
			file + "Untold: condition: drop if n > 100",
			file + "Untold: statement: drop n = 100",
			file + "Untold: constant: 100 → 101 in n = 100",
		},
	}, found)
	t.Log(counts)
}
