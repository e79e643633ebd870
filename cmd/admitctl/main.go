// Command admitctl decides whether background AI work may be admitted, by policies that operators edit.
//
// A verb is a file here: it parses flags, calls the library and prints. Only this package knows settings, exit codes
// and the clock.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/admitctl/admitctl/inputs"
)

func main() { os.Exit(execute()) }

func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process, whatever it waits for
	return run(ctx, os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), now: time.Now})
}

// stdio is what a verb reads and writes.
type stdio struct {
	in      io.Reader
	out     io.Writer
	err     io.Writer
	environ []string // as os.Environ gives it
	now     func() time.Time
}

// Exit codes, as grep and diff have them.
const (
	exitAdmit     = 0 // all admitted
	exitReject    = 1 // something was rejected
	exitNoVerdict = 2 // usage, unreadable input, policies that do not load, time-out
)

// exitError carries the exit code of a verb to run. Its text may be empty: then all was said already.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// run runs one command line and gives its exit code.
func run(ctx context.Context, args []string, io stdio) int {
	root := newRoot(io)
	root.SetArgs(args)
	return conclude(root.ExecuteContext(ctx), io)
}

// conclude tells what is left to tell, and turns the outcome into the exit code.
func conclude(err error, io stdio) int {
	if err == nil {
		return exitAdmit
	}
	var exit *exitError
	if errors.As(err, &exit) {
		if exit.text != "" {
			complain(io, exit.text)
		}
		return exit.code
	}
	complain(io, err.Error())
	return exitNoVerdict
}

// complain writes to standard error; there is nobody left to tell if that fails.
func complain(io stdio, text string) {
	_, _ = fmt.Fprintln(io.err, "admitctl: "+strings.ReplaceAll(inputs.Printable(strings.TrimSpace(text)), "\n", "\n  "))
}
