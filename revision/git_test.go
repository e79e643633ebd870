package revision_test

import (
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/revision"
)

// repository is a repository of git in a directory of its own, whatever this machine's configuration is.
type repository struct {
	t         *testing.T
	directory string
}

func newRepository(t *testing.T, more ...string) repository {
	t.Helper()
	home := t.TempDir()
	for _, pair := range []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"} {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	r := repository{t, t.TempDir()}
	r.git("", append([]string{"init", "-q", "-b", "main"}, more...)...)
	return r
}

// git runs git in the repository and gives what it prints, without the end of the line.
func (r repository) git(in string, args ...string) string {
	r.t.Helper()
	command := exec.Command("git", args...)
	command.Dir, command.Stdin = r.directory, strings.NewReader(in)
	out, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(r.t, err, &exit)
		require.NoError(r.t, err, "git %v: %s", args, exit.Stderr)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (r repository) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.directory, filepath.FromSlash(name))
	require.NoError(r.t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(r.t, os.WriteFile(name, []byte(text), 0o600))
}

func (r repository) commit() string {
	r.t.Helper()
	r.git("", "add", "-A")
	r.git("", "commit", "-q", "-m", "c")
	return r.git("", "rev-parse", "HEAD")
}

func (r repository) open(spec string) (*revision.Revision, error) {
	r.t.Helper()
	return revision.Open(r.t.Context(), spec, revision.Options{Directory: r.directory})
}

func TestAGitRevisionIsWhatTheCommitSays(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := newRepository(t, "--object-format="+format)
			r.write("policies/thresholds.yaml", "a: 1\n")
			r.write("policies/fence/fence.rego", "package admission.fence\n")
			r.write("policies/with a space/ü.rego", "package admission.x\n")
			r.write("policies/.hidden/x.rego", "package hidden\n")
			r.write("policies/README.md", "for people\n")
			r.write("other/data.json", "{}")
			require.NoError(t, os.Chmod(filepath.Join(r.directory, "policies/fence/fence.rego"), 0o700))
			commit := r.commit()
			r.write("policies/thresholds.yaml", "a: 2\n")
			r.write("policies/more.rego", "package more\n")
			r.git("", "add", "policies/more.rego")
			want := map[string]string{"thresholds.yaml": "a: 1\n", "fence/fence.rego": "package admission.fence\n", "with a space/ü.rego": "package admission.x\n"}
			for _, spec := range []string{"git:HEAD", "git:main", "git:refs/heads/main", "git:HEAD:policies", "git:HEAD:policies/", "git:HEAD:./policies", "git:" + commit, "git:" + commit[:12], "git:@", "git:HEAD@{0}", "git:HEAD^{/c}", "git:HEAD^0"} {
				opened, err := r.open(spec)
				require.NoError(t, err, spec)
				require.Equal(t, want, contents(t, opened.FS), spec)
				require.Equal(t, commit, opened.Commit)
				require.Equal(t, ".git", filepath.Base(opened.Repository))
				require.True(t, strings.HasPrefix(opened.Name, opened.Root+" at "+commit[:12]), opened.Name)
				require.True(t, strings.HasSuffix(opened.Root, ":policies"), opened.Root)
			}
			opened, err := r.open("git:HEAD:.")
			require.NoError(t, err)
			require.Equal(t, "git:HEAD:", opened.Root)
			require.Len(t, contents(t, opened.FS), 4)
		})
	}
}

func TestTagsNameTheirCommit(t *testing.T) {
	r := newRepository(t)
	r.write("policies/a.rego", "package a\n")
	commit := r.commit()
	r.git("", "tag", "-a", "-m", "t", "v1")
	r.git("", "tag", "-a", "-m", "t", "v2", "v1")
	opened, err := r.open("git:v2")
	require.NoError(t, err)
	require.Equal(t, commit, opened.Commit)
	for _, spec := range []string{"git:HEAD^{tree}", "git:" + r.git("", "rev-parse", "HEAD^{tree}"), "git:" + r.git("", "rev-parse", "HEAD:policies/a.rego")} {
		_, err = r.open(spec)
		require.ErrorIs(t, err, revision.ErrGit, spec)
	}
}

// What a repository may say runs and changes nothing: filters, hooks, attributes, monitors, replaced objects.
func TestReadingARevisionRunsNothingAndTouchesNothing(t *testing.T) {
	r := newRepository(t)
	r.write("policies/a.rego", "package a # $Id$\n")
	commit := r.commit()
	r.write("policies/a.rego", "package evil\n")
	r.git("", "replace", commit, r.commit())
	r.git("", "reset", "-q", "--hard", "HEAD~0")
	mark := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"filter.evil.smudge": "touch " + mark, "filter.evil.clean": "touch " + mark, "diff.evil.textconv": "touch " + mark, "core.fsmonitor": "touch " + mark,
		"core.pager": "touch " + mark, "pager.cat-file": "touch " + mark, "core.autocrlf": "true", "core.editor": "touch " + mark, "core.sshCommand": "touch " + mark,
		"credential.helper": "!touch " + mark, "alias.cat-file": "!touch " + mark, "alias.rev-parse": "!touch " + mark,
	} {
		r.git("", "config", key, value)
	}
	r.write(".git/info/attributes", "* filter=evil diff=evil ident text eol=crlf working-tree-encoding=UTF-16\n")
	hooks, err := os.ReadDir(filepath.Join(r.directory, ".git", "hooks"))
	require.NoError(t, err)
	for _, hook := range hooks {
		name := strings.TrimSuffix(hook.Name(), ".sample")
		require.NoError(t, os.WriteFile(filepath.Join(r.directory, ".git", "hooks", name), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o700))
	}
	before := stamps(t, r.directory)
	opened, err := r.open("git:" + commit)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.rego": "package a # $Id$\n"}, contents(t, opened.FS))
	require.Equal(t, before, stamps(t, r.directory))
	require.NoFileExists(t, mark)
}

// stamps are when every file below a directory was changed.
func stamps(t *testing.T, directory string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		all[name] = info.ModTime().String()
		return err
	}))
	return all
}

// A clone without some objects fetches none, whatever protocols its configuration allows.
func TestNothingIsFetched(t *testing.T) {
	origin := newRepository(t)
	origin.write("policies/a.rego", "package a\n")
	origin.commit()
	origin.git("", "config", "uploadpack.allowFilter", "true")
	for _, filter := range []string{"blob:none", "tree:0"} {
		clone := repository{t, t.TempDir()}
		clone.git("", "clone", "-q", "--no-checkout", "--filter="+filter, "file://"+origin.directory, ".")
		mark := filepath.Join(t.TempDir(), "ran")
		clone.git("", "config", "protocol.file.allow", "always")
		clone.git("", "config", "protocol.ext.allow", "always")
		for _, url := range []string{"file://" + origin.directory, "ext::touch " + mark} {
			clone.git("", "config", "remote.origin.url", url)
			before := stamps(t, clone.directory)
			_, err := clone.open("git:HEAD")
			require.ErrorIs(t, err, revision.ErrGit, filter)
			require.ErrorContains(t, err, "this clone is partial", filter)
			require.ErrorContains(t, err, "git fetch --no-tags --no-filter --refetch origin", filter)
			require.Equal(t, before, stamps(t, clone.directory))
			require.NoFileExists(t, mark)
		}
	}
}

// hostile are names that git, or a shell, could take for something else.
func hostile() []string {
	return []string{"", "-", "--", "-x", "--upload-pack=touch ran", "--output=ran", "--all", "--help", "-c", "main..HEAD", "main...HEAD", "..", "...", "^main", "main^@", "main^!", "main^-", "main^-1",
		"main\nHEAD", "\nmain", "main\x00", "main\r", "main\t", "main\x1b[2J", "main\u202e", "ma\xffin", "$(touch ran)", "`touch ran`", "main;touch ran", "main|touch ran", "@{-1}", "@{-99}", "@{upstream}", "@{push}", "stash@{0}",
		"main@{yesterday..}", "FETCH_HEAD", "MERGE_HEAD", "nobody", "refs/heads/", "/main", "main/", ".", "./main", "../main", ".git/HEAD", "main.lock", "~", "^", "HEAD~99999999", "HEAD^99", "HEAD^{blob}", "HEAD^{tree}", "HEAD^{/nothing}", "HEAD^{",
		strings.Repeat("a", 2000), strings.Repeat("HEAD^", 300), "0000000000000000000000000000000000000000", "*", "refs/heads/*", "--glob=*", "--branches", "--end-of-options", "ext::touch ran", "file:///etc/passwd"}
}

func TestHostileRevisionsAreRefused(t *testing.T) {
	r := newRepository(t)
	r.write("policies/a.rego", "package a\n")
	r.commit()
	t.Chdir(r.directory)
	before := stamps(t, r.directory)
	for _, ref := range hostile() {
		for _, spec := range []string{"git:" + ref, "git:" + ref + ":policies"} {
			_, err := r.open(spec)
			require.Error(t, err, "%q", spec)
			require.True(t, errorsAny(err, revision.ErrSpec, revision.ErrGit), "%q: %v", spec, err)
		}
	}
	for _, folder := range []string{"", "/", "/policies", "..", "../policies", "policies/..", "policies/../policies", "policies//a", "./../policies", "./", ".//", "policies\n", "policies\x00", `policies\a`, "-x", "--help", "nothing", "policies/a.rego", "policies/a.rego/x", ":policies", ":/policies", ":(glob)*", "policies:a.rego", ".git", "*"} {
		if opened, err := r.open("git:main:" + folder); err == nil {
			require.Contains(t, []string{"./", ".//"}, folder)
			require.Equal(t, map[string]string{"policies/a.rego": "package a\n"}, contents(t, opened.FS))
		} else {
			require.True(t, errorsAny(err, revision.ErrSpec, revision.ErrGit), "%q: %v", folder, err)
		}
	}
	require.Equal(t, before, stamps(t, r.directory))
}

// A branch and a tag of one name are never confused: whoever may push a tag must not choose what is compared.
func TestAnAmbiguousRevisionIsRefused(t *testing.T) {
	r := newRepository(t)
	r.write("policies/a.rego", "package a\n")
	r.commit()
	r.git("", "tag", "main")
	r.git("", "config", "core.warnAmbiguousRefs", "false")
	_, err := r.open("git:main")
	require.ErrorIs(t, err, revision.ErrGit)
	require.ErrorContains(t, err, `more than one thing is called "main"`)
	_, err = r.open("git:refs/heads/main")
	require.NoError(t, err)
}

func TestTreesThatNoCheckoutMakesAreRefused(t *testing.T) {
	r := newRepository(t)
	blob := r.git("package a\n", "hash-object", "-w", "--stdin")
	empty := r.git("", "hash-object", "-w", "-t", "tree", "--stdin")
	raw, err := hex.DecodeString(blob)
	require.NoError(t, err)
	inner, err := hex.DecodeString(empty)
	require.NoError(t, err)
	entry := func(mode, name string, object []byte) string { return mode + " " + name + "\x00" + string(object) }
	for what, tree := range map[string]string{
		"a name that leads up": entry("100644", "..", raw), "an empty name": entry("100644", "", raw),
		"one name twice": entry("100644", "a.rego", raw) + entry("100644", "a.rego", raw), "a symbolic link": entry("120000", "a.rego", raw), "a submodule": entry("160000", "a", raw),
		"an odd mode": entry("100000", "a.rego", raw), "a pipe": entry("10644", "a.rego", raw), "a backslash": entry("100644", `a\b.rego`, raw), "a line end": entry("100644", "a\nb.rego", raw),
		"a control character": entry("100644", "a\x1b.rego", raw), "a name that is no UTF-8": entry("100644", "a\xff.rego", raw), "a file that is not there": entry("100644", "a.rego", []byte(strings.Repeat("x", 20))),
		"a folder and a name with a slash": entry("40000", "a", unfold(t, r, entry("100644", "b.rego", raw))) + entry("100644", "a/b.rego", raw),
		"a folder as a file":               entry("100644", "a.rego", inner), "a file as a folder": entry("40000", "a", raw), "a folder up": entry("40000", "..", inner) + entry("100644", "../a.rego", raw),
	} {
		t.Run(what, func(t *testing.T) {
			top := r.git("40000 policies\x00"+string(unfold(t, r, tree)), "hash-object", "-w", "-t", "tree", "--literally", "--stdin")
			r.git("", "update-ref", "refs/heads/odd", r.git("", "commit-tree", "-m", "odd", top))
			opened, err := r.open("git:odd")
			if err == nil {
				require.Contains(t, []string{"an odd mode", "a pipe"}, what, "git reads it as a regular file")
				require.Equal(t, map[string]string{"a.rego": "package a\n"}, contents(t, opened.FS))
				return
			}
			require.ErrorIs(t, err, revision.ErrGit)
		})
	}
}

// unfold is the object of a tree.
func unfold(t *testing.T, r repository, tree string) []byte {
	t.Helper()
	return []byte(unhex(t, r.git(tree, "hash-object", "-w", "-t", "tree", "--literally", "--stdin")))
}

func unhex(t *testing.T, text string) string {
	t.Helper()
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	return string(raw)
}

func TestAGitRevisionIsHeldToItsLimits(t *testing.T) {
	r := newRepository(t)
	r.write("policies/a.rego", strings.Repeat("x", 500))
	r.write("policies/b.rego", strings.Repeat("x", 500))
	r.write("policies/picture.png", strings.Repeat("x", 5000))
	r.commit()
	for says, limits := range map[string]revision.Limits{"500 bytes, more than 499": {File: 499}, "more than 999 bytes in all": {Total: 999}, "more than 2 files": {Files: 2}} {
		_, err := revision.Open(t.Context(), "git:main", revision.Options{Directory: r.directory, Limits: limits})
		require.ErrorIs(t, err, revision.ErrLimit)
		require.ErrorIs(t, err, revision.ErrGit)
		require.ErrorContains(t, err, says)
	}
	_, err := revision.Open(t.Context(), "git:main", revision.Options{Directory: r.directory, Limits: revision.Limits{File: 500, Total: 1000, Files: 3}})
	require.NoError(t, err)
}

func TestWhatGitRefusesIsPassedOn(t *testing.T) {
	r := newRepository(t)
	r.write("policies/a.rego", "package a\n")
	r.commit()
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := r.open("git:main")
	require.ErrorIs(t, err, revision.ErrGit)
	require.ErrorContains(t, err, "dubious ownership")
	require.ErrorContains(t, err, "git config --global --add safe.directory")
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "0")
	_, err = repository{t, t.TempDir()}.open("git:main")
	require.ErrorContains(t, err, "not a git repository")
	require.ErrorContains(t, err, "run it in a clone, or name a directory of policies")
	_, err = repository{t, filepath.Join(r.directory, "missing")}.open("git:main")
	require.ErrorIs(t, err, revision.ErrGit)
	t.Setenv("PATH", t.TempDir())
	_, err = r.open("git:main")
	require.ErrorIs(t, err, revision.ErrGit)
	require.ErrorContains(t, err, "the git program is needed to read a revision")
}

// Whoever answers in the place of git is not believed.
func TestAnswersThatGitDoesNotGiveAreRefused(t *testing.T) {
	for what, script := range map[string]string{
		"nothing":                     "exit 0",
		"a complaint":                 "echo fatal: no >&2; exit 128",
		"no object":                   `case "$*" in *cat-file*|*ls-tree*) exit 0;; *) echo main;; esac`,
		"more objects than one":       `case "$*" in *git-dir*) echo /x;; *rev-parse*) echo 0123456789012345678901234567890123456789; echo 0123456789012345678901234567890123456789;; esac`,
		"a listing that breaks off":   `case "$*" in *ls-tree*) printf '100644 blob 0123456789012345678901234567890123456789 5\ta.rego';; *) echo 0123456789012345678901234567890123456789;; esac`,
		"a listing without sizes":     `case "$*" in *ls-tree*) printf '100644 blob 0123456789012345678901234567890123456789\ta.rego\000';; *) echo 0123456789012345678901234567890123456789;; esac`,
		"a size below nothing":        `case "$*" in *ls-tree*) printf '100644 blob 0123456789012345678901234567890123456789 -5\ta.rego\000';; *) echo 0123456789012345678901234567890123456789;; esac`,
		"another object":              answering(`printf '9999999999999999999999999999999999999999 blob 5\nhello\n'`),
		"another size":                answering(`printf '0123456789012345678901234567890123456789 blob 6\nhello!\n'`),
		"another type":                answering(`printf '0123456789012345678901234567890123456789 tree 5\nhello\n'`),
		"less content than announced": answering(`printf '0123456789012345678901234567890123456789 blob 5\nhell'`),
		"content without its end":     answering(`printf '0123456789012345678901234567890123456789 blob 5\nhello!'`),
		"more than was asked for":     answering(`printf '0123456789012345678901234567890123456789 blob 5\nhello\n\n'`),
		"a failure behind the answer": answering(`printf '0123456789012345678901234567890123456789 blob 5\nhello\n'; exit 1`),
		"no answer":                   answering(`exit 0`),
		"an endless answer":           answering(`yes`),
		"an endless listing":          `case "$*" in *ls-tree*) yes;; *) echo 0123456789012345678901234567890123456789;; esac`,
	} {
		t.Run(what, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
			_, err := revision.Open(t.Context(), "git:main", revision.Options{Limits: revision.Limits{Files: 10}})
			require.ErrorIs(t, err, revision.ErrGit)
		})
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\n"+answering(`printf '0123456789012345678901234567890123456789 blob 5\nhello\n'`)+"\n"), 0o700))
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	_, err := revision.Open(t.Context(), "git:main", revision.Options{})
	require.NoError(t, err, "what all of these are an edit of")
}

// answering is a git with one file of five bytes, which answers so when it is asked for it.
func answering(answer string) string {
	return `case "$*" in *cat-file*) ` + answer + `;; *ls-tree*) printf '100644 blob 0123456789012345678901234567890123456789 5\ta.rego\000';; *) echo 0123456789012345678901234567890123456789;; esac`
}
