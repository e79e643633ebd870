package revision

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// defaultFolder is where the policies of a repository lie unless it is said.
const defaultFolder = "policies"

// gitSpec is REF[:DIR].
type gitSpec struct {
	ref    string
	folder string // clean; relative to the top of the repository, or to the working directory
	here   bool   // it is relative to the working directory
}

// parseGit splits REF[:DIR] and refuses what git could take for something else than the name of one commit.
func parseGit(spec string) (gitSpec, error) {
	ref, folder, said := strings.Cut(spec, ":")
	if !said {
		folder = defaultFolder
	}
	g := gitSpec{ref: ref, here: folder == "." || strings.HasPrefix(folder, "./")}
	g.folder = strings.TrimSuffix(folder, "/")
	for strings.HasPrefix(g.folder, "./") {
		g.folder = strings.TrimLeft(strings.TrimPrefix(g.folder, "./"), "/")
	}
	if g.here && g.folder == "" {
		g.folder = "."
	}
	refuse := func(problem string) (gitSpec, error) {
		return gitSpec{}, fmt.Errorf("%w: %q: %s; write git:REF or git:REF:DIR", ErrSpec, GitPrefix+spec, problem)
	}
	switch {
	case ref == "":
		return refuse("it names no revision")
	case strings.HasPrefix(ref, "-"):
		return refuse("a revision does not begin with -")
	case strings.HasPrefix(ref, "^"), strings.Contains(ref, ".."), strings.HasSuffix(ref, "^@"), strings.HasSuffix(ref, "^!"), strings.Contains(ref, "^-"):
		return refuse("this is a range, and no one revision")
	case len(ref) > 1024:
		return refuse("the revision is too long")
	case !printable(ref):
		return refuse("the revision has characters that no revision has")
	case folder == "":
		return refuse("DIR is empty; of the whole revision write ./ at the top of the repository")
	case g.folder != "." && wellNamed(g.folder) != nil:
		return refuse("DIR is no folder of a repository; it is written a/b, or ./a/b from the working directory, without .. or a slash before it")
	}
	return g, nil
}

// openGit reads a folder of a commit out of the object store. Nothing of the work tree or of the index is looked at.
func openGit(ctx context.Context, spec string, o Options) (*Revision, error) {
	wanted, err := parseGit(spec)
	if err != nil {
		return nil, err
	}
	g, err := newGit(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &Revision{Root: GitPrefix + spec}
	fail := func(err error) (*Revision, error) { return nil, fmt.Errorf("%w: %s: %w", ErrGit, r.Root, err) }
	if r.Repository, err = g.line(ctx, "rev-parse", "--absolute-git-dir"); err != nil {
		return fail(fmt.Errorf("%w; run it in a clone, or name a directory of policies", err))
	}
	folder := wanted.folder
	if wanted.here {
		prefix, err := g.line(ctx, "rev-parse", "--show-prefix")
		if err != nil {
			return fail(err)
		}
		folder = path.Join(prefix, folder)
	}
	if r.Commit, err = g.commit(ctx, wanted.ref); err != nil {
		return fail(err)
	}
	r.Root = GitPrefix + wanted.ref + ":" + strings.TrimPrefix(folder, ".")
	r.Name = fmt.Sprintf("%s at %.12s", r.Root, r.Commit)
	tree, err := g.tree(ctx, r.Commit, folder)
	if err != nil {
		return fail(err)
	}
	files, err := g.read(ctx, tree, o.Limits)
	if err != nil {
		return fail(err)
	}
	r.FS = inMemory(files)
	return r, nil
}

// commit is the one commit that a revision names.
func (g *git) commit(ctx context.Context, ref string) (string, error) {
	out, told, err := g.run(ctx, 1<<10, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
	switch {
	case err != nil:
		return "", g.missing(ctx, ref, fmt.Errorf("there is no such commit here (git: %w)", err))
	case strings.Contains(told, "ambiguous"):
		return "", fmt.Errorf("more than one thing is called %q (%s); write refs/heads/…, refs/remotes/… or refs/tags/…", ref, told)
	}
	commit := strings.TrimSuffix(string(out), "\n")
	if !isObject(commit) {
		return "", fmt.Errorf("git names no commit, but %q", commit)
	}
	return commit, nil
}

// tree is the object of a folder of a commit.
func (g *git) tree(ctx context.Context, commit, folder string) (string, error) {
	name := commit + "^{tree}"
	if folder != "." {
		name = commit + ":" + folder
	}
	out, _, err := g.run(ctx, 1<<10, "rev-parse", "--verify", "--end-of-options", name)
	if err != nil {
		if g.promises(ctx) {
			return "", g.missing(ctx, commit, err)
		}
		return "", fmt.Errorf("there is no folder %s in this commit; name it: git:REF:DIR", folder)
	}
	tree := strings.TrimSuffix(string(out), "\n")
	if !isObject(tree) {
		return "", fmt.Errorf("git names no folder, but %q", tree)
	}
	return tree, nil
}

// missing says what to do where a clone does not have everything.
func (g *git) missing(ctx context.Context, ref string, err error) error {
	shallow, _ := g.line(ctx, "rev-parse", "--is-shallow-repository")
	ref = strings.TrimPrefix(ref, "origin/")
	if at := strings.IndexAny(ref, "~^@"); at >= 0 {
		ref = ref[:at] // what only this clone can count from
	}
	fetch := strings.TrimSpace("git fetch --no-tags origin " + ref)
	switch {
	case g.promises(ctx):
		return fmt.Errorf("%w; this clone is partial, and what it left out is not fetched here: git fetch --no-tags --no-filter --refetch origin, or clone without --filter", err)
	case shallow == "true":
		return fmt.Errorf("%w; this clone is shallow: fetch it (%s), or more history (git fetch --deepen=100, or --unshallow); in GitHub Actions set fetch-depth: 0 in the checkout step", err, fetch)
	}
	return fmt.Errorf("%w; if it is on the server alone, fetch it: %s (in GitHub Actions set fetch-depth: 0 in the checkout step)", err, fetch)
}

// promises reports whether the repository is a partial clone.
func (g *git) promises(ctx context.Context) bool {
	out, _, err := g.run(ctx, 1<<16, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	return err == nil && len(out) > 0
}

// isObject reports whether a text is the whole name of an object, SHA-1 or SHA-256.
func isObject(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
