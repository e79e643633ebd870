package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"strings"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"
)

// What check prints for machines is well-formed, whatever is wrong and however files are called, and tells all of it.
func TestCheckIsReadByMachines(t *testing.T) {
	t.Chdir(t.TempDir())
	const folder = "50%, a:b"
	require.NoError(t, os.CopyFS(folder, edited(t,
		swap("thresholds.yaml", "max_retries: 2", "max_retries: \"2\""),
		rego("fanout", "half_spent if input.queue_age > 5 # <&]]>"),
		write("torn.rego", "package torn\n\nx if {"),
	)))
	code, out, _ := command(t, "check", folder, "-f", "json")
	require.Equal(t, exitNoVerdict, code)
	var told checkJSON
	require.NoError(t, json.Unmarshal([]byte(out), &told))
	require.False(t, told.Loads)
	require.NotEmpty(t, told.Problems)
	require.NotEmpty(t, told.Warnings)
	require.NotEmpty(t, told.Thresholds)

	_, out, _ = command(t, "check", folder, "-f", "sarif")
	report, err := sarif.FromString(out)
	require.NoError(t, err)
	require.NoError(t, report.Validate())
	require.Len(t, report.Runs, 1)
	require.Len(t, report.Runs[0].Results, len(told.Problems)+len(told.Warnings))
	for i, problem := range told.Problems {
		result := report.Runs[0].Results[i]
		require.Equal(t, problem.Category, *result.RuleID)
		require.Equal(t, "error", result.Level)
		place := result.Locations[0].PhysicalLocation
		require.NotContains(t, *place.ArtifactLocation.URI, " ", "a URI")
		require.Equal(t, problem.Line, *place.Region.StartLine)
	}

	_, out, _ = command(t, "check", folder, "-f", "github")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, len(told.Problems)+len(told.Warnings))
	for _, line := range lines {
		require.Regexp(t, `^::(error|warning) file=50%25%2C a%3Ab/[a-z./]+,line=\d+,col=\d+,title=admitctl [a-z-]+::.+`, line)
	}
}

// What test prints for machines is well-formed, whatever tests print.
func TestTestsAreReadByMachines(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, ".", map[string]string{
		"x_test.rego":      "package x_test\n\ntest_print if {\n\tprint(\"\\u0001 ]]> <&\\u001b[31m\")\n\tfalse\n}\n",
		"odd<&>.json":      good,
		"odd<&>.want.json": `{"reason":"]]>\u0001"}`,
	})
	code, out, _ := command(t, "test", "-f", "junit", ".")
	require.Equal(t, exitReject, code)
	var suites junit.Testsuites
	require.NoError(t, xml.Unmarshal([]byte(out), &suites), out)
	require.Equal(t, 2, suites.Tests)
	require.Equal(t, 2, suites.Failures)

	_, out, _ = command(t, "test", "-f", "json", ".")
	var told testJSON
	require.NoError(t, json.Unmarshal([]byte(out), &told))
	require.Equal(t, 2, told.Failed)
	require.NotEmpty(t, told.Coverage)

	_, out, _ = command(t, "test", ".")
	require.NotContains(t, out, "\x1b")
}
