package journal

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// Lines behind packed data or an array would be in the file, and in no reader's hands.
func TestNothingIsAppendedWhereNoReaderWouldSeeIt(t *testing.T) {
	lines := logged(t, 2)
	var byGzip bytes.Buffer
	packer := gzip.NewWriter(&byGzip)
	_, err := packer.Write(lines)
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for what, text := range map[string][]byte{
		"is packed":       byGzip.Bytes(),
		"packed":          encoder.EncodeAll(lines, nil),
		"is a JSON array": []byte("[" + strings.ReplaceAll(strings.TrimSpace(string(lines)), "\n", ",") + "]\n"),
	} {
		name := filepath.Join(t.TempDir(), "d.ndjson")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		_, err := Open(name, Options{Clock: clock})
		require.ErrorIs(t, err, ErrWrite)
		require.ErrorContains(t, err, what)
		kept, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, kept)
	}
}

func TestShortFilesAreAppendedTo(t *testing.T) {
	for _, text := range []string{"{", "{}\n", "\n", "\x1f", "(\xb5/"} {
		name := filepath.Join(t.TempDir(), "d.ndjson")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		w, err := Open(name, Options{Clock: clock})
		require.NoError(t, err, "%q", text)
		require.NoError(t, w.Write(retry(t, "A0")))
		require.NoError(t, w.Close())
		kept, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, []string{"A0"}, readAll(t, bytes.NewReader(kept), ReaderOptions{}).attempts, "%q", text)
	}
}
