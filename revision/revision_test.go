package revision_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/revision"
)

func errorsAny(err error, kinds ...error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

func TestADirectoryIsReadWhereItLies(t *testing.T) {
	directory := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(directory, "git:odd"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "git:odd", "a.rego"), []byte("package a\n"), 0o600))
	t.Chdir(directory)
	for spec, o := range map[string]revision.Options{"./git:odd": {}, filepath.Join(directory, "git:odd"): {Directory: "elsewhere"}, "odd/../git:odd": {Directory: "."}} {
		require.NoError(t, os.MkdirAll("odd", 0o700))
		opened, err := revision.Open(t.Context(), spec, o)
		require.NoError(t, err, spec)
		require.Equal(t, map[string]string{"a.rego": "package a\n"}, contents(t, opened.FS))
		require.Equal(t, spec, opened.Name)
		require.Equal(t, spec, opened.Root)
	}
}

func TestWhatIsNoPoliciesIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.rego", []byte("package a\n"), 0o600))
	require.NoError(t, os.WriteFile("empty", nil, 0o600))
	for _, spec := range []string{"a.rego", "empty", os.DevNull} {
		_, err := revision.Open(t.Context(), spec, revision.Options{})
		require.ErrorIs(t, err, revision.ErrSpec, spec)
	}
	for _, spec := range []string{"", "missing", "a.rego/x", "a\x00"} {
		_, err := revision.Open(t.Context(), spec, revision.Options{})
		require.Error(t, err, "%q", spec)
	}
}
