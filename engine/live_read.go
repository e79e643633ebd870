package engine

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// places are where the files lie, absolute, so that a service may change its working directory.
type places struct {
	directory string
	overlays  []string
}

func locate(w WatchOptions) (places, error) {
	directory, err := absolute(w.Directory)
	if err != nil {
		return places{}, err
	}
	at := places{directory: directory}
	for _, name := range w.Overlays {
		overlay, err := absolute(name)
		if err != nil {
			return places{}, err
		}
		at.overlays = append(at.overlays, overlay)
	}
	return at, nil
}

// absolute does not clean as filepath.Abs does: of link/../x the system means a neighbour of what the link leads to.
func absolute(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	working, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrLoad, name, err)
	}
	return working + string(filepath.Separator) + name, nil
}

// view is all that a program is made of, as it was at one look.
type view struct {
	files    *snapshot
	overlays []overlay
	digest   [sha256.Size]byte
}

// read takes the files through the resolved directory, so that a link that is swapped meanwhile cannot mix two sets.
func (l *Live) read() *view {
	found := &view{files: &snapshot{root: l.watching.options(nil).root}}
	if real, err := filepath.EvalSymlinks(l.places.directory); err != nil {
		found.files.fail(".", err, mustBeReadable)
	} else {
		found.files = take(os.DirFS(real), found.files.root)
	}
	for i, name := range l.watching.Overlays {
		found.readOverlay(name, l.places.overlays[i])
	}
	all := sha256.New()
	of := found.files.digest()
	all.Write(of[:])
	for _, over := range found.overlays {
		all.Write(fmt.Appendf(nil, "%d:%s%d:%s", len(over.name), over.name, len(over.text), over.text))
	}
	found.digest = [sha256.Size]byte(all.Sum(nil))
	return found
}

// readOverlay holds an overlay to what holds for a file of the policies: a pipe would be read only once.
func (v *view) readOverlay(name, place string) {
	one := &snapshot{}
	real, err := filepath.EvalSymlinks(place) // of link/../x the system means a neighbour of what the link leads to
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(real); err == nil {
			one.read(os.DirFS(filepath.Dir(real)), filepath.Base(real), info)
		}
	}
	if err != nil {
		one.fail(name, err, "an overlay must be there and readable")
	}
	for _, problem := range one.wrong {
		problem.File = name
		v.files.wrong = append(v.files.wrong, problem)
	}
	for _, file := range one.files {
		v.overlays = append(v.overlays, overlay{name, file.text})
	}
}
