package engine_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// One fault is told once, whatever hangs on what it breaks: what is missing with it is no news.
func TestOneFaultIsToldOnce(t *testing.T) {
	const gate, guard = "compaction/document.rego", "guard/guard.rego"
	swap := func(name, old, new string) func(t *testing.T, files fstest.MapFS) {
		return func(t *testing.T, files fstest.MapFS) {
			require.Contains(t, string(files[name].Data), old)
			files[name].Data = []byte(strings.Replace(string(files[name].Data), old, new, 1))
		}
	}
	for want, breaks := range map[string]func(t *testing.T, files fstest.MapFS){
		"document.rego:31:11: the schema of input is none: properties.slack_ms.type": swap(gate, `type: [integer, "null"]`, `type: [integr, "null"]`),
		"the schema of data.compaction is none: properties.max_retries.type":         swap(gate, "max_retries: {type: integer", "max_retries: {type: integr"),
		"the schema of input is none: required: items at 0 and 1 are equal":          swap(gate, "required: [slack_ms", "required: [slack_ms, slack_ms"),
		"the schema of data.compaction is none: properties.enabled: got null":        swap(gate, "enabled: {type: boolean}", "enabled:"),
		"policies/guard/guard.rego: package admission.guard is not there": func(_ *testing.T, files fstest.MapFS) {
			delete(files, guard)
		},
		"policies/guard/guard.rego: the file is empty": func(_ *testing.T, files fstest.MapFS) { files[guard].Data = []byte("# nothing\n") },
		"fanout.rego:3:1: gate fanout declares no input schema": func(_ *testing.T, files fstest.MapFS) {
			delete(files, "fanout/document.rego")
		},
		"package admission.compactoin is no gate, and no gate reads it; did you mean admission.compaction?": swap(gate, "package admission.compaction", "package admission.compactoin"),
		"rego_parse_error: package expected":                                  swap(gate, "package admission.compaction", ""),
		"thresholds.yaml:53:1: broken YAML: did not find expected ',' or ']'": swap("thresholds.yaml", "max_retries: 2", "max_retries: [1, 2"),
		"thresholds.yaml:54:1: broken YAML: the line begins with a tab":       swap("thresholds.yaml", "max_retries: 2", "max_retries: 2\n\tfoo: 3"),
		"policies/fanout/fanout.rego: no regular file": func(_ *testing.T, files fstest.MapFS) {
			files["fanout/fanout.rego"].Mode |= 1 << 25 // a named pipe
		},
	} {
		files := edited(t, "", "", "")
		breaks(t, files)
		report := inspect(t, files)
		require.Len(t, report.Problems, 1, "%s: %v", want, report.Problems)
		require.Contains(t, report.Problems[0].String(), want)
		require.NotEmpty(t, report.Problems[0].File)
		for _, warning := range report.Warnings {
			require.NotContains(t, warning.Problem, "nothing says what", "%s", want)
		}
	}
}
