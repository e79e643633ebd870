package revision

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzGitSpec wants no name through that git could take for an option, a range or a way out of the repository.
func FuzzGitSpec(f *testing.F) {
	for _, spec := range []string{"main", "main:policies", "origin/main:./a/b/", "HEAD~2:.", "--x", "a..b", ":x", "a:", "a:../b", "^a", "a^@", "a\n", "v1:a//b", "@{-1}:./"} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		parsed, err := parseGit(spec)
		if err != nil {
			require.ErrorIs(t, err, ErrSpec)
			return
		}
		require.NotEmpty(t, parsed.ref)
		require.True(t, printable(parsed.ref))
		require.False(t, strings.HasPrefix(parsed.ref, "-") || strings.Contains(parsed.ref, "..") || strings.Contains(parsed.ref, ":"), parsed.ref)
		require.True(t, parsed.folder == "." || wellNamed(parsed.folder) == nil, parsed.folder)
		require.Equal(t, path.Clean(parsed.folder), parsed.folder)
	})
}
