//go:build unix

package engine_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// A pipe would keep whoever opens it waiting for a writer: it is refused unopened, as a policy and as an overlay.
func TestPipesAreRefused(t *testing.T) {
	root := t.TempDir()
	directory, overlay := filepath.Join(root, "p"), filepath.Join(root, "o.yaml")
	lay(t, directory, small(t, 1))
	text := []byte("compaction: {precedence: []}\n")
	require.NoError(t, os.WriteFile(overlay, text, 0o600))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Overlays: []string{overlay}, Settle: 5 * time.Millisecond, Poll: never})
	require.NoError(t, syscall.Mkfifo(filepath.Join(directory, "pipe.rego"), 0o600))
	live.untilRefused(t, filepath.Join(directory, "pipe.rego")+": no regular file")
	require.NoError(t, os.Remove(filepath.Join(directory, "pipe.rego")))
	live.untilSet(t, 1)
	require.NoError(t, os.Remove(overlay))
	require.NoError(t, syscall.Mkfifo(overlay, 0o600))
	live.untilRefused(t, overlay+": no regular file")
	require.NoError(t, os.Remove(overlay))
	require.NoError(t, os.WriteFile(overlay, text, 0o600))
	live.untilSet(t, 1)
	require.Equal(t, 1, live.Status().Loads)
}
