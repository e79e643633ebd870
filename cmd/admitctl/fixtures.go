package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// fixture is a document and the file of the decision that it must get.
type fixture struct {
	file     string
	want     string
	text     []byte
	overlays []string // files, the one of the outermost folder first
}

// testFiles is what lies below the directories that test is given.
type testFiles struct {
	rego     []engine.TestFile
	fixtures []fixture
	alone    []string // documents without a wanted decision
}

// names are all files that were read.
func (f *testFiles) names() []string {
	names := slices.Clone(f.alone)
	for _, test := range f.rego {
		names = append(names, test.Name)
	}
	for _, fixture := range f.fixtures {
		names = append(names, fixture.file, fixture.want)
		names = append(names, fixture.overlays...)
	}
	return names
}

const (
	wantSuffix  = ".want.json"
	overlayName = "overlay.yaml"
	maxTestFile = 64 << 20 // bytes
)

// usualRoots are where tests are looked for when nobody says where.
func usualRoots(policies string) []string {
	roots := []string{"policy_test", "fixtures"}
	if policies != embedded {
		roots = append(roots, policies)
	}
	return slices.DeleteFunc(roots, func(root string) bool { return !isDirectory(root) })
}

// findTests finds the Rego tests and fixtures of files and directories, each once.
func findTests(roots []string) (testFiles, error) {
	var found testFiles
	seen := map[string]bool{}
	for _, root := range roots {
		info, err := os.Stat(root)
		if err != nil {
			return found, err
		}
		if !info.IsDir() {
			if err := found.add(root, overlaysAbove(filepath.Dir(root)), seen); err != nil {
				return found, err
			}
			continue
		}
		overlays := map[string][]string{filepath.Dir(filepath.Clean(root)): overlaysAbove(filepath.Dir(filepath.Clean(root)))}
		// With the slash a link to a directory is walked too.
		err = filepath.WalkDir(root+string(filepath.Separator), func(name string, entry fs.DirEntry, err error) error {
			name = filepath.Clean(name)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && name != filepath.Clean(root) && strings.HasPrefix(entry.Name(), "."):
				return fs.SkipDir
			case entry.IsDir():
				overlays[name] = withOverlay(overlays[filepath.Dir(name)], name)
				return nil
			}
			return found.add(name, overlays[filepath.Dir(name)], seen)
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// overlaysAbove are the overlays of a folder and of those above it, as far up as the working directory.
func overlaysAbove(folder string) []string {
	if folder == "." || folder == filepath.Dir(folder) || !isBelow(folder, ".") {
		return withOverlay(nil, folder)
	}
	return withOverlay(overlaysAbove(filepath.Dir(folder)), folder)
}

func withOverlay(above []string, folder string) []string {
	own := slices.Clone(above)
	if over := filepath.Join(folder, overlayName); exists(over) {
		own = append(own, over)
	}
	return own
}

// exists reports whether there is anything of this name, be it a link that leads nowhere.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// readRegular reads a file, and of one that is no regular file nothing: a pipe would keep us waiting.
func readRegular(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: no regular file", inputs.PrintableName(name))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := readAtMost(file, most)
	return text, errors.Join(err, file.Close())
}

// add takes a file that is a Rego test, a document or a wanted decision.
func (f *testFiles) add(name string, overlays []string, seen map[string]bool) error {
	identity, err := filepath.Abs(name)
	if err != nil || seen[identity] {
		return err
	}
	seen[identity] = true
	switch {
	case engine.IsTest(name):
		text, err := readRegular(name, maxTestFile)
		f.rego = append(f.rego, engine.TestFile{Name: name, Text: text})
		return err
	case strings.HasSuffix(name, wantSuffix):
		if document := strings.TrimSuffix(name, wantSuffix) + ".json"; !exists(document) {
			return fmt.Errorf("%s: the document %s, which must get this decision, is not there", inputs.PrintableName(name), inputs.PrintableName(filepath.Base(document)))
		}
	case strings.HasSuffix(name, ".json"):
		return f.addDocument(name, overlays)
	}
	return nil
}

func (f *testFiles) addDocument(name string, overlays []string) error {
	want := strings.TrimSuffix(name, ".json") + wantSuffix
	if !exists(want) {
		f.alone = append(f.alone, name)
		return nil
	}
	text, err := readRegular(name, inputs.MaxBytes+1) // one more is too many, and the decoder says so
	if err != nil {
		return err
	}
	f.fixtures = append(f.fixtures, fixture{file: name, want: want, text: text, overlays: overlays})
	return nil
}
