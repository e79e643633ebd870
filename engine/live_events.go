package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// maxLinks is how many links one path may lead through, as many as filepath.EvalSymlinks follows.
const maxLinks = 255

// events says that a look may be worth it: something happened to a file that is read, or to a name on the way to one.
type events struct {
	open    func() (*fsnotify.Watcher, error)
	poke    chan struct{} // holds one
	watcher *fsnotify.Watcher
	pumped  chan struct{} // closed once nothing comes from the watcher any more
	failed  error         // why some change would go untold, after the last arm

	mu      sync.Mutex
	watched map[string]*names // by folder
}

// names are those in a folder whose changes count.
type names struct {
	every bool
	some  map[string]bool
}

func newEvents(open func() (*fsnotify.Watcher, error)) *events {
	return &events{open: open, poke: make(chan struct{}, 1)}
}

// arm watches every folder of the policies, and every folder in which a name on the way to them or to an overlay is
// looked up, since each of them can be swapped. All is watched before it is read: what changes later is told.
func (e *events) arm(at places) {
	e.failed = nil
	if e.watcher == nil {
		watcher, err := e.open()
		if err != nil {
			e.failed = fmt.Errorf("no events: %w", err)
			return
		}
		e.watcher, e.pumped = watcher, make(chan struct{})
		go e.pump()
	}
	e.mu.Lock()
	old := e.watched
	e.watched = map[string]*names{}
	e.mu.Unlock()
	for _, overlay := range at.overlays {
		e.follow(overlay)
	}
	e.walk(e.follow(at.directory), maxFolders)
	for folder := range old {
		if e.watched[folder] == nil {
			_ = e.watcher.Remove(folder) // it can be gone with its folder
		}
	}
}

// walk watches a folder of policies and those below it, as far as take reads them.
func (e *events) walk(folder string, deeper int) {
	e.watch(folder, "")
	entries, err := os.ReadDir(folder)
	if err != nil || deeper == 0 {
		return // the look tells why
	}
	for _, entry := range entries {
		inner := filepath.Join(folder, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
			continue
		case entry.Type()&fs.ModeSymlink != 0:
			inner = e.follow(inner)
		case !entry.IsDir():
			continue
		}
		info, err := os.Stat(inner)
		if known := e.watched[inner]; err == nil && info.IsDir() && (known == nil || !known.every) {
			e.walk(inner, deeper-1)
		}
	}
}

// follow watches every name on the way to a file, through links, and gives where the way ends.
func (e *events) follow(name string) string {
	at, rest := split(name)
	for links := 0; len(rest) > 0; {
		step := rest[0]
		rest = rest[1:]
		if step == ".." {
			at = filepath.Dir(at)
			continue
		}
		e.watch(at, step)
		target, err := os.Readlink(filepath.Join(at, step))
		if err != nil || links == maxLinks {
			at = filepath.Join(at, step)
			continue
		}
		links++
		root, steps := split(target)
		if root != "" {
			at = root
		}
		rest = append(steps, rest...)
	}
	return at
}

// split is a path in its root, empty when it is relative, and its steps; it does not clean, since links may lie between.
func split(name string) (root string, steps []string) {
	if filepath.IsAbs(name) {
		root = filepath.VolumeName(name) + string(filepath.Separator)
	}
	steps = strings.FieldsFunc(name[len(filepath.VolumeName(name)):], func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) })
	kept := steps[:0]
	for _, step := range steps {
		if step != "." {
			kept = append(kept, step)
		}
	}
	return root, kept
}

// watch watches one name in a folder, or every name when it is empty.
func (e *events) watch(folder, name string) {
	e.mu.Lock()
	in := e.watched[folder]
	first := in == nil
	if first {
		in = &names{some: map[string]bool{}}
		e.watched[folder] = in
	}
	in.some[name] = true
	in.every = in.every || name == ""
	e.mu.Unlock()
	if !first {
		return
	}
	// What is not there needs no watch: a name on the way to it is watched, in a folder that is there.
	if err := e.watcher.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && e.failed == nil {
		e.failed = fmt.Errorf("no events of %s: %w", folder, err)
	}
}

// counts reports whether an event of this name is about what is read.
func (e *events) counts(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	in := e.watched[filepath.Dir(name)]
	return in != nil && (in.every || in.some[filepath.Base(name)])
}

// pump reads the watcher's channels in a goroutine of its own: fsnotify can send an error under the lock that Add wants.
func (e *events) pump() {
	defer close(e.pumped)
	for told, failures := e.watcher.Events, e.watcher.Errors; told != nil || failures != nil; {
		worth := true // also of an error, since it says that events were lost
		select {
		case event, ok := <-told:
			if !ok {
				told = nil
			}
			worth = ok && e.counts(event.Name)
		case _, ok := <-failures:
			if !ok {
				failures = nil
			}
			worth = ok
		}
		if worth {
			select {
			case e.poke <- struct{}{}:
			default: // it is poked already
			}
		}
	}
}

// close gives the watches back and waits until the pump has ended.
func (e *events) close() error {
	if e.watcher == nil {
		return nil
	}
	err := e.watcher.Close()
	<-e.pumped
	return err
}
