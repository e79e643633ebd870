package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// git is the git program in a directory.
type git struct {
	program   string
	directory string
	environ   []string
}

func newGit(ctx context.Context, o Options) (*git, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: the git program is needed to read a revision: %w; install it, or name a directory of policies", ErrGit, err)
	}
	// What is read is what the commit says: nothing is fetched, asked, replaced, refreshed or traced.
	environ := append(os.Environ(), "LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_TRACE=0", "GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0")
	return &git{program: program, directory: o.Directory, environ: environ}, nil
}

// run runs git, gives what it prints, which is at most so many bytes, and what it tells on standard error.
func (g *git) run(ctx context.Context, most int64, args ...string) (out []byte, told string, err error) {
	err = g.stream(ctx, "", &told, func(from io.Reader) error {
		out, err = io.ReadAll(io.LimitReader(from, most+1))
		if err == nil && int64(len(out)) > most {
			err = fmt.Errorf("%w: git prints more than %d bytes", ErrLimit, most)
		}
		return err
	}, args...)
	return out, told, err
}

// line is what git prints, without the end of the line.
func (g *git) line(ctx context.Context, args ...string) (string, error) {
	out, _, err := g.run(ctx, 1<<16, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// stream runs git and lets read take what it prints. Where read fails, git is ended.
func (g *git) stream(ctx context.Context, in string, told *string, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fixed := []string{"--no-pager", "--literal-pathspecs", "-c", "protocol.allow=never", "-c", "core.warnAmbiguousRefs=true", "-c", "core.fsmonitor=false"}
	command := exec.CommandContext(ctx, g.program, append(fixed, args...)...)
	command.Dir, command.Env, command.Stdin = g.directory, g.environ, strings.NewReader(in)
	command.WaitDelay = 5 * time.Second // a child that git leaves behind may hold the pipes
	complaint := &head{most: 4 << 10}
	command.Stderr = complaint
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("git does not start: %w", err)
	}
	failed := read(out)
	if failed != nil {
		cancel()
	}
	err = command.Wait()
	*told = complaint.String()
	var exit *exec.ExitError
	switch {
	case failed != nil && err != nil && errors.Is(failed, errAnswer) && *told != "":
		return fmt.Errorf("%w: %s", failed, *told)
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit) && *told != "":
		return errors.New(*told)
	}
	return err
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(text []byte) (int, error) {
	if room := h.most - h.Len(); room > 0 {
		h.Buffer.Write(text[:min(room, len(text))])
	}
	return len(text), nil
}

// String is what git said, without the word that begins every last line of it.
func (h *head) String() string {
	return strings.TrimPrefix(strings.TrimSpace(strings.ToValidUTF8(h.Buffer.String(), "\uFFFD")), "fatal: ")
}
