package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// built is the table file of the shipped policies, as admitctl build writes it: built anew in each run, so that it is
// never older than the policies.
func built(t *testing.T) (program *engine.Program, file string) {
	t.Helper()
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	var gates []*table.Gate
	for _, name := range program.Gates() {
		gates = append(gates, program.Table(name))
	}
	var content bytes.Buffer
	require.NoError(t, table.Write(&content, gates...))
	file = filepath.Join(t.TempDir(), "gates.table")
	require.NoError(t, os.WriteFile(file, content.Bytes(), 0o600))
	return program, file
}

func TestTheServiceDecidesAsTheEngineDoes(t *testing.T) {
	program, file := built(t)
	documents := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "fixtures"), func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".want.json") {
			return err
		}
		documents++
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var out, complaints bytes.Buffer
		code := run([]string{"-table", file, name}, nil, &out, &complaints)
		document, err := inputs.Decode(text, inputs.Source{File: name})
		require.NoError(t, err, name)
		want, err := program.Decide(t.Context(), document)
		require.NoError(t, err, name)
		require.Equal(t, want.Reason+" "+want.Action+"\n", out.String(), name)
		require.Equal(t, want.Admit, code == admitted, name)
		require.Empty(t, complaints.String())

		var again bytes.Buffer
		require.Equal(t, code, run([]string{"-table", file}, bytes.NewReader(text), &again, &complaints), name)
		require.Equal(t, out.String(), again.String(), name)
		return nil
	}))
	require.Greater(t, documents, 150)
}

func TestWhatTheServiceCannotReadIsNotDecided(t *testing.T) {
	_, file := built(t)
	damaged := filepath.Join(t.TempDir(), "damaged.table")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(damaged, text[:len(text)-1], 0o600))
	for name, row := range map[string]struct {
		args []string
		in   string
		says string
	}{
		"no table":         {[]string{"-table", "missing"}, "{}", "open missing: no such file"},
		"a damaged table":  {[]string{"-table", damaged}, "{}", "damaged: its digest is not that of its content"},
		"no document":      {[]string{"-table", file}, "", "there is nothing"},
		"a missing file":   {[]string{"-table", file, "missing"}, "", "open missing: no such file"},
		"an unknown gate":  {[]string{"-table", file}, `{"gate":"fences"}`, `"fences" is no gate (did you mean "fence"?)`},
		"too much":         {[]string{"-table", file}, strings.Repeat(" ", inputs.MaxBytes+9), "65536 bytes"},
		"an unknown field": {[]string{"-table", file}, `{"gate":"fanout","Class":"x"}`, `unknown field "Class"`},
		"an unknown flag":  {[]string{"-tables", file}, "", "flag provided but not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, complaints bytes.Buffer
			require.Equal(t, notDecided, run(row.args, strings.NewReader(row.in), &out, &complaints))
			require.Contains(t, complaints.String(), row.says)
			require.Empty(t, out.String())
		})
	}
}

func TestNeitherTheEngineNorOPAIsLinked(t *testing.T) {
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	dependencies := strings.Fields(string(list))
	require.Contains(t, dependencies, "github.com/admitctl/admitctl/table")
	for _, one := range dependencies {
		require.NotContains(t, one, "open-policy-agent")
		require.NotContains(t, one, "github.com/admitctl/admitctl/engine")
		require.NotContains(t, one, "github.com/admitctl/admitctl/policies")
	}
}

func TestTheBinaryIsSmallAndDecides(t *testing.T) {
	const most = 6_000_000 // bytes
	_, file := built(t)
	binary := filepath.Join(t.TempDir(), "service")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	info, err := os.Stat(binary)
	require.NoError(t, err)
	t.Logf("%d bytes", info.Size())
	require.LessOrEqual(t, info.Size(), int64(most))

	out, err = exec.CommandContext(t.Context(), binary, "-table", file, filepath.Join("..", "..", "fixtures", "compaction", "reject_stale.json")).Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, rejected, exit.ExitCode())
	require.Equal(t, "reject_stale drop_and_ack\n", string(out))
}
