package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a file so that whoever reads it meanwhile, or after a crash, finds the old one or the new one, whole.
// An old one's permissions are kept; links are followed.
func replaceFile(name string, content []byte) error {
	mode := fs.FileMode(0o666) // as for any new file: the umask decides
	old, err := os.Stat(name)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return fmt.Errorf("%s: no regular file, and cannot be replaced", name)
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case exists(name):
		return fmt.Errorf("%s: a link that leads nowhere", name)
	}
	beside := fmt.Sprintf("%s.%d.new", name, os.Getpid())
	err = writeNew(beside, content, mode, old != nil)
	if err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // one that was there is somebody else's
		_ = os.Remove(beside) // there may be none
	}
	return err
}

// writeNew writes a file that must not be there yet, onto the disk. Its mode is as the umask has it, or exact.
func writeNew(name string, content []byte, mode fs.FileMode, exact bool) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if exact {
		err = file.Chmod(mode)
	}
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
