package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// Whatever is gone from a file, the report comes.
func TestReportsComeWhateverIsGone(t *testing.T) {
	for _, name := range []string{"thresholds.yaml", "fence/document.rego", "fanout/document.rego"} {
		lines := strings.SplitAfter(string(edited(t, "", "", "")[name].Data), "\n")
		for i := 0; i < len(lines); i += 13 {
			t.Run(fmt.Sprintf("%s:%d", name, i+1), func(t *testing.T) {
				t.Parallel()
				files := edited(t, "", "", "")
				files[name].Data = []byte(strings.Join(lines[:i], "") + strings.Join(lines[i+1:], ""))
				inspect(t, files)
			})
		}
	}
	whole := edited(t, "", "", "")["thresholds.yaml"]
	_, rest, _ := strings.Cut(string(whole.Data), "\ncompaction:")
	for _, fence := range []string{"{}", "3", "[]", "{default: 3}", "{default: {}}", "{defaultx: {depth_limit: 4}}", "{planes: 3}", "{planes: {a: 3}}", "{planes: {a: {sample_interval_ms: 5}}}"} {
		files := edited(t, "", "", "")
		files["thresholds.yaml"].Data = []byte("fence: " + fence + "\ncompaction:" + rest)
		require.NotEmpty(t, inspect(t, files).Problems, fence)
	}
}

// What is called off says nothing about the policies.
func TestACancelledLoadBlamesNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := engine.Compile(ctx, policies.Files)
	require.ErrorIs(t, err, engine.ErrLoad)
	require.ErrorIs(t, err, context.Canceled)
	var refused *engine.LoadError
	require.NotErrorAs(t, err, &refused)
	_, err = engine.Inspect(ctx, policies.Files)
	require.ErrorIs(t, err, context.Canceled)
}

func TestNoProgramSaysNothing(t *testing.T) {
	for _, program := range []*engine.Program{nil, {}} {
		require.Empty(t, program.Gates())
		require.Empty(t, program.Thresholds())
		require.Empty(t, program.Published())
		require.Empty(t, program.Declared("fence"))
		require.Empty(t, program.Checks("fence"))
		require.Empty(t, program.Feeding(engine.Check{}))
		require.Empty(t, program.Schemas())
		require.Empty(t, program.Warnings())
		require.Empty(t, program.Title("fence", "x", "y"))
		requireReject(t, program.Invalid("fence", inputs.ErrInvalid), engine.ReasonInvalidInput)
		_, err := program.Decode([]byte(`{"gate":"fence"}`), inputs.Source{})
		require.ErrorIs(t, err, inputs.ErrInvalid)
	}
}

// A test in a gate's own package cannot change the gate that it tests.
func TestTestsAddNothingToThePolicies(t *testing.T) {
	tester, err := engine.NewTester(t.Context(), policies.Files)
	require.NoError(t, err)
	text := "package admission.fanout\n\ndepth_within_limit if true\n\ntest_depth if depth_within_limit with input as {}\n"
	_, err = tester.Run(t.Context(), []engine.TestFile{{Name: "x_test.rego", Text: []byte(text)}}, "", engine.DefaultTimeout)
	require.ErrorIs(t, err, engine.ErrRego)
	require.ErrorContains(t, err, "x_test.rego:3:1: a test that adds to the rule depth_within_limit of the policies")
}

func TestSchemasWithLocalDefinitionsOfThresholdsAreRefused(t *testing.T) {
	files := edited(t, "fanout/document.rego", "#         retry_amplification_min: {type: integer, minimum: 0, maximum: 1048576}", "#         retry_amplification_min: {$ref: '#/definitions/count'}")
	report := inspect(t, files)
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].String(), `the schema of data.fanout refers to "#/definitions/count"`)
}
