package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/admitctl/admitctl/policy_test/testdata/mutantswitch"
)

// goSuite is a test binary's tests that are run for each mutant, after those of the suites before it.
type goSuite struct {
	name  string   // in the report
	in    string   // the package, as ./folder
	run   string   // which tests
	flags []string // of the binary, none of which may draw by chance: what a healthy run does not reach is not run
}

// Verdicts beside the names of the suites.
const (
	outOfTime    = "time limit"
	neverReached = "never reached" // by a healthy run, so that no run can tell it
	untried      = "untried"       // when the test's own time was up
)

// goTrial is a mutation that has been built, and what its suites did with no mutant on.
type goTrial struct {
	*goMutation
	suites  []goSuite
	folder  string            // for what is built
	binary  map[string]string // by package
	reached []map[int]bool    // by suite
	seconds []int             // by suite: how much processor time a mutant gets
	spent   atomic.Int64      // nanoseconds of processor time, over all mutants
	ran     atomic.Int64      // processes
}

// build builds a test binary a package, all mutants in each.
func (m *goMutation) build(ctx context.Context, folder string, suites []goSuite) (*goTrial, error) {
	t := &goTrial{goMutation: m, suites: suites, folder: folder, binary: map[string]string{}}
	replaced := map[string]string{}
	for name, text := range m.texts {
		file := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replaced[filepath.Join(m.root, filepath.FromSlash(name))] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return nil, err
	}
	for _, suite := range suites {
		if t.binary[suite.in] != "" {
			continue
		}
		t.binary[suite.in] = filepath.Join(folder, strings.ReplaceAll(strings.TrimPrefix(suite.in, "./"), "/", "_")+".test")
		command := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", t.binary[suite.in], suite.in)
		command.Dir = m.root
		if out, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", suite.in, err, out)
		}
		if _, err := os.Stat(t.binary[suite.in]); err != nil {
			return nil, fmt.Errorf("%s has no tests: %w", suite.in, err)
		}
	}
	return t, t.baseline(ctx)
}

// baseline runs every suite with no mutant on, to see which mutants it reaches and how long it takes.
func (t *goTrial) baseline(ctx context.Context) error {
	for i, suite := range t.suites {
		file := filepath.Join(t.folder, fmt.Sprintf("reached%d", i))
		end := t.start(ctx, suite, time.Hour, mutantswitch.ReachedVariable+"="+file)
		if end.err != nil || strings.Contains(end.output, "no tests to run") {
			return fmt.Errorf("%s, with no mutant on: %w\n%s", suite.name, end.err, end.output)
		}
		t.seconds = append(t.seconds, 2+int(4*end.spent/time.Second))
		reached := map[int]bool{}
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for line := range strings.Lines(string(text)) {
			id, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				return err
			}
			reached[id] = true
		}
		t.reached = append(t.reached, reached)
	}
	return nil
}

// try gives the suite that tells a mutant, and how.
func (t *goTrial) try(ctx context.Context, m goMutant) outcome {
	verdict := neverReached
	for i, suite := range t.suites {
		if !t.reached[i][m.id] {
			continue
		}
		verdict = survives
		seconds := t.seconds[i]
		wall := time.Duration(10*seconds) * time.Second // for what waits forever; others may be busy
		end := t.start(ctx, suite, wall, fmt.Sprintf("%s=%d", mutantswitch.ActiveVariable, m.id), fmt.Sprintf("%s=%d", mutantswitch.SecondsVariable, seconds))
		t.spent.Add(int64(end.spent))
		t.ran.Add(1)
		switch {
		case end.killed:
			return outcome{outOfTime, fmt.Sprintf("%s, after %v", suite.name, end.spent)}
		case end.err != nil:
			return outcome{suite.name, firstFailure(end.output)}
		}
	}
	return outcome{verdict, ""}
}

// tryEach shares the mutants over the cores, and tells each outcome when it is known.
func (t *goTrial) tryEach(ctx context.Context, tell func(goMutant, outcome)) []outcome {
	all := t.mutants
	outcomes := make([]outcome, len(all))
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				outcomes[i] = t.try(ctx, all[i])
				if ctx.Err() != nil { // which ended the suite too
					outcomes[i] = outcome{verdict: untried}
					continue
				}
				tell(all[i], outcomes[i])
			}
		})
	}
	group.Wait()
	return outcomes
}

// goEnd is how a process ended.
type goEnd struct {
	err    error
	killed bool
	output string
	spent  time.Duration // processor time
}

func (t *goTrial) start(ctx context.Context, suite goSuite, wall time.Duration, variables ...string) (end goEnd) {
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	command := exec.CommandContext(ctx, t.binary[suite.in], append([]string{"-test.run", suite.run, "-test.failfast", "-test.timeout", "0"}, suite.flags...)...)
	command.Dir = filepath.Join(t.root, filepath.FromSlash(suite.in))
	command.Env = append(slices.DeleteFunc(os.Environ(), ours), append(variables, "GOMAXPROCS=1", "TMPDIR="+t.folder)...)
	command.WaitDelay = time.Second
	output := &head{most: 64 << 10}
	command.Stdout, command.Stderr = output, output
	end.err = command.Run()
	end.output = output.text.String()
	if state := command.ProcessState; state != nil {
		end.spent = state.UserTime() + state.SystemTime()
		end.killed = state.ExitCode() < 0 // by a signal, and we know of no other than ours and the kernel's
	}
	return end
}

func ours(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return strings.HasPrefix(name, mutantswitch.ActiveVariable) || name == "GOMAXPROCS" || name == "TMPDIR"
}

// head keeps the beginning of what is written, which may have no end.
type head struct {
	most int
	text bytes.Buffer
}

func (h *head) Write(p []byte) (int, error) {
	h.text.Write(p[:min(len(p), h.most-h.text.Len())])
	return len(p), nil
}

var failurePattern = regexp.MustCompile(`(?m)^(\s*--- FAIL: \S+|panic: .*|fatal error: .*)`)

// firstFailure is the first line that says what failed.
func firstFailure(output string) string {
	if line := failurePattern.FindString(output); line != "" {
		return strings.TrimSpace(line)
	}
	return brief(output)
}
