package journal

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A writer that could read the pipe too would keep it open, and every record would go nowhere.
func TestAPipeThatNobodyReadsAnyMoreIsAnError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	first := make(chan error, 1)
	go func() {
		reader, err := os.Open(name)
		if err == nil {
			_, err = bufio.NewReader(reader).ReadString('\n')
			_ = reader.Close()
		}
		first <- err
	}()
	w, err := Open(name, Options{Clock: clock})
	require.NoError(t, err)
	require.NoError(t, w.Write(retry(t, "A0")))
	require.NoError(t, <-first)
	err = w.Write(retry(t, "A1"))
	require.ErrorIs(t, err, ErrWrite)
	require.ErrorIs(t, err, syscall.EPIPE)
	require.NoError(t, w.Close())
}
