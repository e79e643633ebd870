// Package processes builds and runs the binaries that are compared as whole processes.
package processes

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Binaries are programs that were built for a comparison.
type Binaries struct {
	Admitctl  string
	Hello     string
	stopwatch string
}

// Build builds them into a folder; root is that of the repository, whose command is built there.
func Build(folder, root string) (*Binaries, error) {
	b := &Binaries{Admitctl: filepath.Join(folder, "admitctl"), Hello: filepath.Join(folder, "hello"), stopwatch: filepath.Join(folder, "stopwatch")}
	for _, each := range []struct{ from, output, name string }{
		{root, b.Admitctl, "./cmd/admitctl"},
		{filepath.Join(root, "bench"), b.Hello, "./processes/hello"},
		{filepath.Join(root, "bench"), b.stopwatch, "./processes/stopwatch"},
	} {
		if err := command(each.from, nil, "go", "build", "-o", each.output, each.name); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// BuildOPA builds OPA's binary of a version into a folder.
func BuildOPA(folder, version string) (string, error) {
	err := command(folder, []string{"GOBIN=" + folder}, "go", "install", "github.com/open-policy-agent/opa@"+version)
	return filepath.Join(folder, "opa"), err
}

func command(folder string, env []string, name string, arguments ...string) error {
	run := exec.Command(name, arguments...)
	run.Dir, run.Env = folder, append(os.Environ(), env...)
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", run.Args, err, out)
	}
	return nil
}

// Run runs a command whose output nobody reads, with these variables besides, and gives its wall time in nanoseconds and
// its largest resident set in kilobytes.
func (b *Binaries) Run(env []string, arguments ...string) (wall, memory float64, err error) {
	run := exec.Command(b.stopwatch, arguments...)
	run.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%v: %w\n%s", arguments, err, stderr.String())
	}
	_, err = fmt.Sscan(string(out), &wall, &memory)
	return wall, memory, err
}
