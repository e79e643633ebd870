//go:build stock

package policy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stockOPA runs the stock opa binary, which OPA names or else PATH holds: `make stock` builds it.
func stockOPA(t *testing.T, input string, args ...string) string {
	t.Helper()
	binary := os.Getenv("OPA")
	if binary == "" {
		binary = "opa"
	}
	run := exec.Command(binary, args...)
	run.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	require.NoError(t, run.Run(), "%s%s", stdout.String(), stderr.String())
	return stdout.String()
}

func TestStockOPAIsTheVersionThatWeEmbed(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/open-policy-agent/opa").Output()
	require.NoError(t, err)
	require.Contains(t, stockOPA(t, "", "version"), "Version: "+strings.TrimPrefix(strings.TrimSpace(string(out)), "v"))
}

func TestStockOPAChecksThePolicies(t *testing.T) {
	stockOPA(t, "", "check", "--strict", "../policies")
	stockOPA(t, "", "check", "--strict", "../policies", ".")
}

// The Rego tests pass, and no line of the policies is without one.
func TestStockOPATestsCoverEveryRule(t *testing.T) {
	t.Log(stockOPA(t, "", "test", "--timeout", "60s", "../policies", "."))
	var report struct {
		Files map[string]struct {
			NotCovered []any `json:"not_covered"`
		} `json:"files"`
	}
	require.NoError(t, json.Unmarshal([]byte(stockOPA(t, "", "test", "--coverage", "--timeout", "60s", "../policies", ".")), &report))
	covered := 0
	for name, file := range report.Files {
		if !strings.HasSuffix(name, "_test.rego") {
			covered++
			require.Empty(t, file.NotCovered, name)
		}
	}
	require.Equal(t, 11, covered, "files of policies with rules")
}

// The stock binary gives every fixture its wanted decision, with nothing of ours between.
func TestStockOPADecidesEveryFixture(t *testing.T) {
	fixtureSets(t, func(name, _, overlay string, fixtures []fixture) {
		t.Run(name, func(t *testing.T) {
			folder := "../policies"
			if overlay != "" {
				folder = resolved(t, overlay)
			}
			for _, f := range fixtures {
				got, err := decodeDecision([]byte(stockOPA(t, "", "eval", "-d", folder, "-i", f.file, "-f", "raw", "data.admission."+f.gate+".decision")))
				require.NoError(t, err)
				require.Equal(t, f.want, got, f.file)
			}
		})
	})
}

// resolved is a folder with the rules, and with an overlay put over the thresholds, which stock OPA cannot do itself.
func resolved(t *testing.T, overlay string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("../policies")))
	require.NoError(t, os.Remove(filepath.Join(folder, "thresholds.yaml")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "thresholds.json"), open(t, overlay).program.Data(), 0o600))
	return folder
}

// The stock binary decides damaged documents as the evaluator in the process does, and admits the harmless ones alone.
func TestStockOPADecidesDamagedDocuments(t *testing.T) {
	d := open(t, "")
	for _, gate := range gates() {
		var damaged []json.RawMessage
		var want []decision
		for _, nominal := range nominal(gate) {
			for _, f := range docFields[gate] {
				if _, _, possible := lookUp(nominal, f.path); !possible {
					continue
				}
				for _, damage := range damages(f) {
					document := clone(nominal)
					place(document, f.path, damage.value)
					raw, err := d.rawDecision(gate, textOf(t, document))
					require.NoError(t, err)
					damaged = append(damaged, textOf(t, document))
					want = append(want, raw)
				}
			}
		}
		input, err := json.Marshal(map[string]any{"documents": damaged})
		require.NoError(t, err)
		query := "[decision | some document in input.documents; decision := data.admission." + gate + ".decision with input as document]"
		var got []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(stockOPA(t, string(input), "eval", "-d", "../policies", "-I", "-f", "raw", query)), &got))
		require.Len(t, got, len(want))
		for i := range got {
			decided, err := decodeDecision(got[i])
			require.NoError(t, err)
			require.Equal(t, want[i], decided, "%s", damaged[i])
		}
	}
}
