package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Bounds of a policy directory.
const (
	// maxFile is the size of the largest policy or threshold file, in bytes: room for some hundred thousand planes.
	maxFile = 64 << 20
	// maxFolders is how deep folders may lie.
	maxFolders = 16
)

// snapshot is every file of a policy directory that a load reads, as it was at one moment.
type snapshot struct {
	root  string // how the directory is named in errors
	files []file // in the order of a walk
	wrong []Problem
}

// file is a policy or a file of thresholds.
type file struct {
	name string // below the root, with slashes
	text []byte
}

// take reads every file that OPA would: Rego but for tests, and YAML and JSON as data. Files and folders whose names
// begin with a dot are passed over: Kubernetes keeps its own there, and leads to them with links, which are followed.
func take(files fs.FS, root string) *snapshot {
	s := &snapshot{root: root}
	s.walk(files, ".", nil)
	return s
}

// digest is the same for the same files and troubles.
func (s *snapshot) digest() [sha256.Size]byte {
	all := sha256.New()
	for _, file := range s.files {
		all.Write(fmt.Appendf(nil, "%d:%s%d:%s", len(file.name), file.name, len(file.text), file.text))
	}
	for _, problem := range s.wrong {
		all.Write([]byte(problem.String()))
	}
	return [sha256.Size]byte(all.Sum(nil))
}

func (s *snapshot) fail(name string, err error, mend string) {
	s.wrong = append(s.wrong, Problem{File: path.Join(s.root, name), Problem: err.Error(), Mend: mend, Kind: ErrFiles})
}

const mustBeReadable = "every file below a policy directory must be readable"

// walk reads a folder; above are those on the way to it.
func (s *snapshot) walk(files fs.FS, folder string, above []fs.FileInfo) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		s.fail(folder, err, mustBeReadable)
	}
	if self, err := fs.Stat(files, folder); err == nil {
		above = append(slices.Clone(above), self)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		name := path.Join(folder, entry.Name())
		info, err := fs.Stat(files, name)
		switch {
		case err != nil && !loaded(name) && entry.Type()&fs.ModeSymlink != 0:
			// a link that leads nowhere, and that would not be read if it did
		case err != nil:
			s.fail(name, err, mustBeReadable)
		case info.IsDir() && slices.ContainsFunc(above, func(up fs.FileInfo) bool { return os.SameFile(up, info) }):
			s.fail(name, errors.New("a link to a folder above itself"), "remove it")
		case info.IsDir() && len(above) > maxFolders:
			s.fail(name, fmt.Errorf("folders lie more than %d deep", maxFolders), "keep a gate in a folder of its own")
		case info.IsDir():
			s.walk(files, name, above)
		case loaded(name):
			s.read(files, name, info)
		}
	}
}

// loaded reports whether a load reads a file of this name.
func loaded(name string) bool {
	switch path.Ext(name) {
	case ".rego":
		return !IsTest(name)
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func (s *snapshot) read(files fs.FS, name string, info fs.FileInfo) {
	switch {
	case !info.Mode().IsRegular():
		s.fail(name, fmt.Errorf("no regular file"), mustBeReadable)
		return
	case info.Size() > maxFile:
		s.fail(name, fmt.Errorf("%d bytes, more than %d", info.Size(), maxFile), "split it")
		return
	}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		s.fail(name, err, mustBeReadable)
		return
	}
	s.files = append(s.files, file{name: name, text: text})
}
