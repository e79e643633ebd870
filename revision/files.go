package revision

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"
	"unicode"
	"unicode/utf8"
)

// Limits are the most that is read of a bundle or of a git revision. A zero one is the default.
type Limits struct {
	File   int64 // bytes of one file; by default 64 MiB
	Total  int64 // bytes of all files together, and of an archive as it is stored; by default 128 MiB
	Files  int   // how many files and folders there are; by default 4096
	Factor int64 // how many times its size a bundle may unpack to, once it is more than a MiB; by default 200
}

func (l Limits) complete() Limits {
	for _, limit := range []struct {
		value    *int64
		fallback int64
	}{{&l.File, 64 << 20}, {&l.Total, 128 << 20}, {&l.Factor, 200}} {
		if *limit.value <= 0 {
			*limit.value = limit.fallback
		}
	}
	if l.Files <= 0 {
		l.Files = 4096
	}
	return l
}

func (o Options) path(name string) string {
	if o.Directory == "" || filepath.IsAbs(name) {
		return name
	}
	return o.Directory + string(filepath.Separator) + name // not cleaned: of link/../x the system means another x
}

// collection is the names and sizes of files that were seen, within the limits.
type collection struct {
	limits Limits
	seen   map[string]bool // true for a file, false for a folder
	total  int64
	count  int
}

func collect(limits Limits) *collection {
	return &collection{limits: limits, seen: map[string]bool{}}
}

// add takes a file that is to be read, once.
func (c *collection) add(name string, size int64) error {
	if err := wellNamed(name); err != nil {
		return err
	}
	if _, ok := c.seen[name]; ok {
		return fmt.Errorf("%q is there twice", name)
	}
	c.seen[name] = true
	if err := c.folder(path.Dir(name)); err != nil {
		return err
	}
	c.total += size
	switch {
	case size < 0 || size > c.limits.File:
		return fmt.Errorf("%w: %q has %d bytes, more than %d", ErrLimit, name, size, c.limits.File)
	case c.total > c.limits.Total:
		return fmt.Errorf("%w: more than %d bytes in all", ErrLimit, c.limits.Total)
	}
	return c.counted()
}

// folder takes a folder and those above it, which other files may lie in.
func (c *collection) folder(name string) error {
	for ; name != "."; name = path.Dir(name) {
		file, ok := c.seen[name]
		switch {
		case file:
			return fmt.Errorf("%q is a file and a folder", name)
		case ok:
			return nil
		}
		c.seen[name] = false
	}
	return nil
}

// counted counts an entry, whatever it is.
func (c *collection) counted() error {
	if c.count++; c.count > c.limits.Files || len(c.seen) > 2*c.limits.Files {
		return fmt.Errorf("%w: more than %d files", ErrLimit, c.limits.Files)
	}
	return nil
}

// wellNamed refuses a name that leads out of the folder, that could be read in two ways, or that nobody could read.
func wellNamed(name string) error {
	const longest = 1024
	switch {
	case len(name) > longest:
		return fmt.Errorf("a name of %d bytes, more than %d", len(name), longest)
	case name == "." || !fs.ValidPath(name) || strings.ContainsRune(name, '\\'):
		return fmt.Errorf("%q is no name of a file in it", name)
	case !printable(name):
		return fmt.Errorf("the name %q has characters that cannot be printed", name)
	}
	return nil
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// hidden reports whether a file or a folder on the way to it begins with a dot.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// isPolicy reports whether a set of policies may be made of a file of this name.
func isPolicy(name string) bool {
	switch path.Ext(name) {
	case ".rego", ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// inMemory is files as a file system, which nobody can write.
func inMemory(files map[string][]byte) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: text, Mode: 0o444}
	}
	return all
}
