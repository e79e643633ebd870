package revision

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Why [Open] refuses. Every error of it but that of a directory or file that cannot be read matches one of these.
var (
	// ErrSpec: the name of the policies cannot be read, or names nothing that could be policies.
	ErrSpec = errors.New("unusable")
	// ErrGit: git is missing or fails, the revision or the folder is not there, or it holds what no policies do.
	ErrGit = errors.New("git revision")
	// ErrBundle: the archive is broken, hostile, or holds what is not decided by.
	ErrBundle = errors.New("bundle")
	// ErrSignature: what is signed cannot be verified, or what must be signed is not.
	ErrSignature = errors.New("signature")
	// ErrLimit: there is more of it than [Limits] allow.
	ErrLimit = errors.New("too much")
)

// GitPrefix begins the name of a git revision: "git:REF" or "git:REF:DIR".
const GitPrefix = "git:"

// Options say how to open. The zero value is strict: the default limits, and no signed bundle.
type Options struct {
	// Directory is where git is run, and what names are relative to; empty is the working directory.
	Directory string
	// Limits of a bundle and of a git revision.
	Limits Limits
	// Verify holds everything in a bundle against its signature, by name without the leading slash, the signature
	// included. With it, whatever carries no signature is refused; without it, whatever does.
	Verify func(files map[string][]byte) error
}

// Revision is one set of policies, and does not change but for a directory, which is read when it is asked.
type Revision struct {
	FS         fs.FS
	Name       string // how people see it: "policies", "bundle.tar.gz", "git:main:policies at 1f0c3d9a5b7e"
	Root       string // how the folder is called in errors and origins: "git:main:policies"
	Repository string // of git: its directory, absolute; else empty
	Commit     string // of git: the commit in full; else empty
}

// Open opens what spec names: a directory, a file (which must be a bundle), or "git:REF" or "git:REF:DIR". DIR is
// "policies" unless it is said, and relative to the top of the repository; where it begins with ./, to the directory
// that git runs in. A directory whose name begins with git: is named with ./ before it.
func Open(ctx context.Context, spec string, o Options) (*Revision, error) {
	o.Limits = o.Limits.complete()
	if rest, ok := strings.CutPrefix(spec, GitPrefix); ok {
		if o.Verify != nil {
			return nil, unsigned(spec, "a git revision")
		}
		return openGit(ctx, rest, o)
	}
	name := o.path(spec)
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir() && o.Verify != nil:
		return nil, unsigned(spec, "a directory")
	case info.IsDir():
		return &Revision{FS: os.DirFS(name), Name: spec, Root: spec}, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is no directory, and no file that could be a bundle", ErrSpec, spec)
	}
	return openBundle(ctx, spec, name, o)
}

func unsigned(spec, kind string) error {
	return fmt.Errorf("%w: %s: %s carries no signature; name a signed bundle, or give no key", ErrSignature, spec, kind)
}
