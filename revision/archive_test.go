package revision_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/revision"
)

// item is an entry of an archive.
type item struct {
	name, text string
	header     tar.Header // what else it says; its type is that of a file unless it is set
}

// goodBundle is what "opa build" writes, in small.
func goodBundle() []item {
	return []item{
		{name: "/data.json", text: `{"a":1}`},
		{name: "/policies/fence/fence.rego", text: "package admission.fence\n"},
		{name: "/policies/README.md", text: "for people"},
		{name: "/.manifest", text: `{"revision":"","roots":[""],"rego_version":1}`},
	}
}

func tarOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, one := range items {
		header := one.header
		header.Name, header.Mode = one.name, 0o600
		if header.Size == 0 {
			header.Size = int64(len(one.text))
		}
		if header.Typeflag == 0 {
			header.Typeflag = tar.TypeReg
		}
		require.NoError(t, w.WriteHeader(&header))
		_, err := w.Write([]byte(one.text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// zipper packs, with one compressor for all.
func zipper(t testing.TB) func(content []byte) []byte {
	t.Helper()
	w := gzip.NewWriter(nil)
	return func(content []byte) []byte {
		var out bytes.Buffer
		w.Reset(&out)
		_, err := w.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return out.Bytes()
	}
}

// opener opens the bytes of a bundle.
func opener(t testing.TB) func(packed []byte, o revision.Options) (*revision.Revision, error) {
	t.Helper()
	directory := t.TempDir()
	return func(packed []byte, o revision.Options) (*revision.Revision, error) {
		o.Directory = directory
		require.NoError(t, os.WriteFile(filepath.Join(directory, "b.tar.gz"), packed, 0o600))
		return revision.Open(t.Context(), "b.tar.gz", o)
	}
}

// contents are all files of a file system.
func contents(t testing.TB, files fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		all[name] = string(text)
		return err
	}))
	return all
}
