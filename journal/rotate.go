package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// rotate puts the file away under a name of its own and begins a new one. Where it cannot, the file stays as it is, and
// the next record tries again.
func (w *Writer) rotate() error {
	away, err := w.awayName()
	if err != nil {
		return err
	}
	if err := os.Rename(w.name, away); err != nil {
		return err
	}
	old, size, torn := w.file, w.size, w.torn
	w.torn = false
	if err := w.begin(); err != nil {
		w.file, w.size, w.torn = old, size, torn
		return errors.Join(err, os.Rename(away, w.name))
	}
	if err := old.Close(); err != nil {
		return err
	}
	if w.options.Durable {
		if err := syncDirectory(filepath.Dir(w.name)); err != nil {
			return err
		}
	}
	w.forget()
	return nil
}

// digits of the number by which files that were put away are sorted.
const digits = 9

// awayName is a name that nothing has yet and that sorts behind all others: decisions-000000001-20261201T014459Z.ndjson.
// The number counts, since a clock can go back.
func (w *Writer) awayName() (string, error) {
	files, err := Rotated(w.name)
	if err != nil {
		return "", err
	}
	number := 1
	if len(files) > 0 {
		number = numberOf(w.name, files[len(files)-1]) + 1
	}
	stem, extension := stemOf(w.name)
	return fmt.Sprintf("%s-%0*d-%s%s", stem, digits, number, w.options.Clock().UTC().Format("20060102T150405Z"), extension), nil
}

func stemOf(name string) (stem, extension string) {
	extension = filepath.Ext(name)
	return strings.TrimSuffix(name, extension), extension
}

// Rotated lists the files that the log of this name was put away under, the oldest first.
func Rotated(name string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		if file := filepath.Join(filepath.Dir(name), entry.Name()); numberOf(name, file) > 0 {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files, nil
}

// numberOf is the number of a file that the log was put away under, 0 for any other file.
func numberOf(name, file string) int {
	const stamp = len("-20060102T150405Z")
	stem, extension := stemOf(filepath.Base(name))
	rest, ok := strings.CutPrefix(filepath.Base(file), stem+"-")
	if !ok {
		return 0
	}
	rest, ok = strings.CutSuffix(rest, extension)
	if !ok || len(rest) != digits+stamp || rest[digits] != '-' || rest[len(rest)-1] != 'Z' {
		return 0
	}
	number, err := strconv.Atoi(rest[:digits])
	if err != nil || number < 0 {
		return 0
	}
	return number
}

// forget removes the oldest of the files that were put away, beyond those that are kept. One that cannot be removed is no
// reason to log nothing; the next rotation tries again.
func (w *Writer) forget() {
	if w.options.Keep <= 0 {
		return
	}
	files, _ := Rotated(w.name)
	for ; len(files) > w.options.Keep; files = files[1:] {
		_ = os.Remove(files[0])
	}
}

func syncDirectory(name string) error {
	directory, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
