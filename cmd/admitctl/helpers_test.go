package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

func (row badInput) requireError(t *testing.T, err error, place string) {
	t.Helper()
	require.Error(t, err)
	require.Contains(t, err.Error(), place)
	for _, part := range row.says {
		require.Contains(t, err.Error(), part)
	}
	require.ErrorIs(t, err, row.kind)
	requirePrintable(t, err.Error())
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

// requirePrintable wants nothing that could move a cursor, colour a line or forge another one.
func requirePrintable(t *testing.T, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text), "%q", text)
	for _, r := range text {
		require.True(t, r == '\n' || r == '\t' || unicode.IsPrint(r), "%U in %q", r, text)
	}
}

// command runs one command line and gives its exit code, standard output and standard error, all printable.
func command(t *testing.T, args ...string) (code int, out, complaint string) {
	t.Helper()
	code, out, complaint, _ = outcome(t, args...)
	return code, out, complaint
}

// outcome is command with the error that the exit code is made of.
func outcome(t *testing.T, args ...string) (code int, out, complaint string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	io := stdio{in: strings.NewReader(""), out: &stdout, err: &stderr}
	root := newRoot(io)
	root.SetArgs(args)
	err = root.ExecuteContext(t.Context())
	code = conclude(err, io)
	requirePrintable(t, stdout.String())
	requirePrintable(t, stderr.String())
	return code, stdout.String(), stderr.String(), err
}

func decisions(t *testing.T, out string) []engine.Decision {
	t.Helper()
	var all []engine.Decision
	for line := range strings.Lines(out) {
		var decision engine.Decision
		require.NoError(t, json.Unmarshal([]byte(line), &decision), line)
		all = append(all, decision)
	}
	return all
}

func writeFiles(t *testing.T, directory string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600))
	}
}

// edit changes the files of a policy directory.
type edit func(t *testing.T, files fstest.MapFS)

// edited is the shipped policies after some edits.
func edited(t *testing.T, edits ...edit) fstest.MapFS {
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
	for _, edit := range edits {
		edit(t, files)
	}
	return files
}

// swap replaces a part of a file, which must be there.
func swap(name, old, new string) edit {
	return func(t *testing.T, files fstest.MapFS) {
		t.Helper()
		require.Contains(t, string(files[name].Data), old)
		write(name, strings.ReplaceAll(string(files[name].Data), old, new))(t, files)
	}
}

func write(name, text string) edit {
	return func(_ *testing.T, files fstest.MapFS) { files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600} }
}

func drop(name string) edit {
	return func(_ *testing.T, files fstest.MapFS) { delete(files, name) }
}

// dropAll leaves the thresholds alone.
func dropAll(_ *testing.T, files fstest.MapFS) {
	maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool { return strings.HasSuffix(name, ".rego") })
}

// rego adds a file of rules to the package of a gate. Its first rule stands on line 5.
func rego(gate, rules string) edit {
	imports := "\n\n\n\n"
	if strings.Contains(rules, "guard.") {
		imports = "\n\nimport data.admission.guard\n\n"
	}
	return write("site.rego", "package admission."+gate+imports+rules+"\n")
}

// shipped is the program of the embedded policies.
var shipped = sync.OnceValues(func() (*engine.Program, error) {
	return engine.Compile(context.Background(), policies.Files)
})
