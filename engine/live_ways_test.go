package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// mount lays a set as Kubernetes mounts a volume: a folder with a date, a link ..data to it, and links through that.
func mount(t *testing.T, folder, date string, files fstest.MapFS) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o700))
	old, _ := os.Readlink(filepath.Join(folder, "..data"))
	lay(t, filepath.Join(folder, date), files)
	link(t, date, filepath.Join(folder, "..data"))
	entries, err := os.ReadDir(filepath.Join(folder, date))
	require.NoError(t, err)
	for _, entry := range entries {
		if _, err := os.Lstat(filepath.Join(folder, entry.Name())); err != nil {
			link(t, "..data/"+entry.Name(), filepath.Join(folder, entry.Name()))
		}
	}
	if old != "" {
		require.NoError(t, os.RemoveAll(filepath.Join(folder, old)))
	}
}

// ways lists how files come to be, as set 1 below a root, and how they change to set 2.
func ways() []way {
	plain := func(t *testing.T, root string) { lay(t, filepath.Join(root, "p"), small(t, 1)) }
	return []way{
		{"written in place", "p", plain, func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "p"), small(t, 2))
		}},
		{"saved by renames", "p", plain, func(t *testing.T, root string) {
			for name, file := range small(t, 2) {
				place := filepath.Join(root, "p", filepath.FromSlash(name))
				require.NoError(t, os.WriteFile(place+"~", file.Data, 0o600))
				require.NoError(t, os.Rename(place+"~", place))
			}
		}},
		{"moved into new folders", "p", plain, func(t *testing.T, root string) {
			deep := filepath.Join(root, "p", "compaction", "a", "b", "c")
			require.NoError(t, os.MkdirAll(deep, 0o700))
			require.NoError(t, os.Remove(filepath.Join(root, "p", "compaction", "site.rego")))
			files := small(t, 2)
			require.NoError(t, os.WriteFile(filepath.Join(deep, "site.rego"), files["compaction/site.rego"].Data, 0o600))
			lay(t, filepath.Join(root, "p"), fstest.MapFS{"thresholds.yaml": files["thresholds.yaml"]})
		}},
		{"link to the directory swapped", "p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "v", "1"), small(t, 1))
			link(t, "v/1", filepath.Join(root, "p"))
		}, func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "v", "2"), small(t, 2))
			link(t, filepath.Join(root, "v", "2"), filepath.Join(root, "p"))
		}},
		{"link on the way swapped", "app/x/../p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "1", "p"), small(t, 1))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "1", "x"), 0o700))
			link(t, "./1", filepath.Join(root, "app"))
		}, func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "2", "p"), small(t, 2))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "2", "x"), 0o700))
			link(t, "1/../2", filepath.Join(root, "app"))
		}},
		{"link behind a link swapped", "p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "v", "1"), small(t, 1))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "w"), 0o700))
			link(t, "../v/1", filepath.Join(root, "w", "now"))
			link(t, "w/now", filepath.Join(root, "p"))
		}, func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "v", "2"), small(t, 2))
			link(t, "../v/2", filepath.Join(root, "w", "now"))
		}},
		{"volume of Kubernetes", "p", func(t *testing.T, root string) {
			mount(t, filepath.Join(root, "p"), "..2026_01", small(t, 1))
		}, func(t *testing.T, root string) {
			mount(t, filepath.Join(root, "p"), "..2026_02", small(t, 2))
		}},
		{"folder that is a link swapped", "p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "p"), small(t, 1))
			require.NoError(t, os.Rename(filepath.Join(root, "p", "compaction"), filepath.Join(root, "c1")))
			require.NoError(t, os.Rename(filepath.Join(root, "p", "thresholds.yaml"), filepath.Join(root, "c1", "x.yaml")))
			require.NoError(t, os.WriteFile(filepath.Join(root, "c1", "x.yaml"), []byte("token_ceiling: 100001\nprecedence: []\n"), 0o600))
			link(t, "../c1", filepath.Join(root, "p", "compaction"))
		}, func(t *testing.T, root string) {
			require.NoError(t, os.CopyFS(filepath.Join(root, "c2"), os.DirFS(filepath.Join(root, "c1"))))
			lay(t, filepath.Join(root, "c2"), fstest.MapFS{"x.yaml": {Data: []byte("token_ceiling: 100002\nprecedence: []\n")}, "site.rego": small(t, 2)["compaction/site.rego"]})
			link(t, "../c2", filepath.Join(root, "p", "compaction"))
		}},
		{"file behind a link written", "p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "p"), small(t, 1))
			for _, name := range []string{"compaction/site.rego", "thresholds.yaml"} {
				elsewhere := filepath.Join(root, filepath.Base(name))
				require.NoError(t, os.Rename(filepath.Join(root, "p", name), elsewhere))
				link(t, elsewhere, filepath.Join(root, "p", name))
			}
		}, func(t *testing.T, root string) {
			files := small(t, 2)
			lay(t, root, fstest.MapFS{"site.rego": files["compaction/site.rego"], "thresholds.yaml": files["thresholds.yaml"]})
		}},
		{"directory replaced by a rename", "p", plain, func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "new"), small(t, 2))
			require.NoError(t, os.Rename(filepath.Join(root, "p"), filepath.Join(root, "old")))
			require.NoError(t, os.Rename(filepath.Join(root, "new"), filepath.Join(root, "p")))
			require.NoError(t, os.RemoveAll(filepath.Join(root, "old")))
		}},
		{"folder above replaced by a rename", "app/p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "app", "p"), small(t, 1))
		}, func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "new", "p"), small(t, 2))
			require.NoError(t, os.Rename(filepath.Join(root, "app"), filepath.Join(root, "old")))
			require.NoError(t, os.Rename(filepath.Join(root, "new"), filepath.Join(root, "app")))
		}},
		{"directory removed and laid anew", "a/b/p", func(t *testing.T, root string) {
			lay(t, filepath.Join(root, "a", "b", "p"), small(t, 1))
		}, func(t *testing.T, root string) {
			require.NoError(t, os.RemoveAll(filepath.Join(root, "a")))
			lay(t, filepath.Join(root, "a", "b", "p"), small(t, 2))
		}},
	}
}

type way struct {
	name      string
	directory string // below the root, with slashes
	lay       func(t *testing.T, root string)
	change    func(t *testing.T, root string)
}
