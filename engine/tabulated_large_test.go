package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// rows are more rows of a trial's decision table, violated under a condition in which # is the row's number.
func rows(n int, condition string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "# METADATA\n# custom:\n#   reason: row_%02d\n#   action: act_%02d\nviolated contains rego.metadata.rule().custom if {\n\t%s\n}\n\n", i, i, strings.ReplaceAll(condition, "#", fmt.Sprint(i)))
	}
	return b.String() + "fits if input.on\n"
}

// Gates as large as a table are tabulated, and larger ones are refused.
func TestGatesAsLargeAsATable(t *testing.T) {
	numbers := func(n int) (all []inputs.Property) {
		for i := range n {
			all = append(all, inputs.Property{Name: fmt.Sprintf("n%02d", i), Kind: inputs.KindNumber, Signal: true, High: 100})
		}
		return all
	}
	texts := func(n int) (all []inputs.Property) {
		for i := range n {
			all = append(all, inputs.Property{Name: fmt.Sprintf("t%02d", i), Kind: inputs.KindText})
		}
		return all
	}
	flags := func(n int) (all []inputs.Property) {
		for i := range n {
			all = append(all, inputs.Property{Name: fmt.Sprintf("f%02d", i), Kind: inputs.KindFlag})
		}
		return all
	}
	var unknown strings.Builder
	for i := range 63 {
		fmt.Fprintf(&unknown, "unknown contains \"s%02d\" if input.count > %d\n\n", i, i)
	}
	requireTrials(t, []trial{
		{name: "64 checks", rules: rows(62, "input.count > #")},
		{name: "65 checks", rules: rows(63, "input.count > #"), unsupported: "more checks or signals than a table holds"},
		{name: "65 unknown signals", rules: unknown.String() + "fits if input.on", unsupported: "more checks or signals than a table holds"},
		{name: "20 numbers", rules: "fits if input.n12 < input.n11", more: numbers(13)},
		{name: "21 numbers", rules: "fits if input.on", more: numbers(14), unsupported: "documents with more fields than a table holds"},
		{name: "10 strings", rules: "fits if input.t05 == input.t00", more: texts(6)},
		{name: "11 strings", rules: "fits if input.on", more: texts(7), unsupported: "documents with more fields than a table holds"},
		{name: "64 fields", rules: "fits if input.f49", more: flags(50)},
		{name: "65 fields", rules: "fits if input.on", more: flags(51), unsupported: "documents with more fields than a table holds"},
		{name: "checks that share two signals", rules: rows(12, "input.x > #\n\tinput.v > #")},
		{name: "checks that share three signals", rules: rows(7, "input.x > #\n\tinput.y != #\n\tinput.w > #")},
		{name: "rows by what a row says", rules: rows(8, "data.trial.rows[input.name].limit > #\n\tdata.trial.rows[input.other].limit < input.count")},
		{name: "numbers of rows", rules: rows(5, "data.trial.rows[input.name].limit * # <= data.trial.rows[input.other].nested.deep + input.count")},
	})
}

// Rules that call rules that call rules are as deep as they like.
func TestDeepRules(t *testing.T) {
	var sums, conditions strings.Builder
	for i := range 200 {
		fmt.Fprintf(&sums, "level%d := level%d + 1\n\n", i+1, i)
		fmt.Fprintf(&conditions, "level%d if {\n\tlevel%d\n\tinput.count != %d\n}\n\n", i+1, i, i)
	}
	requireTrials(t, []trial{
		{name: "sums of sums", rules: "level0 := input.count\n\n" + sums.String() + "fits if level30 < 33\n\nshown := level30"},
		{name: "more sums of sums", rules: "level0 := input.count\n\n" + sums.String() + "fits if level200 < 203", unsupported: "an expression of more than"},
		{name: "conditions of conditions", rules: "level0 if input.on\n\n" + conditions.String() + "fits if level200"},
	})
}

// The gate of the examples is decided by a table, and held against OPA like the shipped ones.
func TestTheExampleGateTabulates(t *testing.T) {
	files := shipped(t)
	for _, name := range []string{"subagent.rego", "document.rego", "thresholds.yaml"} {
		text, err := os.ReadFile("../examples/subagent/policies/subagent/" + name)
		require.NoError(t, err)
		files["subagent/"+name] = &fstest.MapFile{Mode: 0o600, Data: text}
	}
	program, err := Compile(t.Context(), files)
	require.NoError(t, err)
	gate := program.gates["subagent"]
	require.NoError(t, gate.why)
	found := program.agree(t.Context(), gate, table.Effort{Draws: 3000, Most: 300, Every: true}, true)
	require.NoError(t, found.Err)
	require.Zero(t, found.Outside)
}

// A load that is called off while it tabulates says so, and leaves no gate half done.
func TestTabulatingIsCalledOff(t *testing.T) {
	program, err := Compile(t.Context(), shipped(t))
	require.NoError(t, err)
	data, _ := program.tree.Value().(map[string]any)
	ended, end := context.WithCancel(t.Context())
	end()
	var unsupported *tabulate.Unsupported
	for name := range program.gates {
		_, err := tabulate.Gate(ended, name, program.rules.plans[name], program.described[name].Properties, data)
		if err != nil { // a gate that takes less work than is looked up from is done
			require.ErrorAs(t, err, &unsupported, name)
		}
	}
	require.NotNil(t, unsupported)
}
