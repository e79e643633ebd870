package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/journal"
	"github.com/admitctl/admitctl/review"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	sides
	maxRecord int
}

// What --fail-on of replay may name.
const (
	failDrift        = "drift"
	failChanged      = "changed"
	failUnreplayable = "unreplayable"
)

func replayFails() []string { return []string{failDrift, failChanged, failUnreplayable} }

func newReplay(out stdio, c *common) *cobra.Command {
	flags := &replayFlags{sides: sides{common: c}}
	verb := &cobra.Command{
		Use:   "replay LOG… | -",
		Short: "Decide a recorded decision log again",
		Long: `replay decides the records of a decision log again, and counts three things apart: records that disagree with the
policies that they name (drift), records whose decision changes from --base to --head, and records that nobody can decide
again.

With --base it decides every record by both sides. Without, it holds what was logged against the policies of -p.

LOG is a decision log as eval --log writes it, or of OPA: a record a line, or JSON arrays of them; plain, by gzip or by
zstd. - is standard input. Memory does not grow with the log.

--fail-on says what fails: drift, changed, unreplayable. It can be repeated.

Exit codes: 0 nothing that you asked to fail on, 1 something of it, 2 no verdict: no records, none that could be decided
again, a log that cannot be read.`,
		Example: `  admitctl replay decisions.ndjson
  admitctl replay --base git:main decisions.ndjson.gz
  admitctl replay --base git:main --head git:HEAD -f json --fail-on drift decisions-*.ndjson`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay needs a LOG, or - for standard input\nsee: admitctl replay --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return replay(cmd.Context(), flags, args, out) },
	}
	flags.addPolicies(verb)
	addFormatFlag(verb, &c.format, replayFormats())
	addOutputFlag(verb, c)
	own := verb.Flags()
	own.StringArrayVar(&flags.fails, "fail-on", nil, "exit with 1 on `WHAT`, one of "+strings.Join(replayFails(), ", ")+"; repeatable")
	own.IntVar(&flags.most, "most", 3, "list this `NUMBER` of examples of a change")
	own.IntVar(&flags.maxRecord, "max-record", journal.MaxRecord, "the `BYTES` that a record may have; a longer one is passed over")
	return verb
}

func replayFormats() []string { return []string{"pretty", "json"} }

func (f *replayFlags) check() (failOn, error) {
	if err := knownFormat(f.format, replayFormats()); err != nil {
		return nil, err
	}
	if f.most <= 0 {
		return nil, fmt.Errorf("--most: must be more than 0, not %d", f.most)
	}
	if f.maxRecord <= 0 {
		return nil, fmt.Errorf("--max-record: must be more than 0, not %d", f.maxRecord)
	}
	if f.base == "" && (f.head != "" || len(f.baseOver) > 0 || len(f.headOver) > 0) {
		return nil, errors.New("--head, --base-thresholds and --head-thresholds are for two sides: name the --base too; one set of policies is that of -p and -t")
	}
	return parseFailOn(f.fails, replayFails())
}

func replay(ctx context.Context, flags *replayFlags, names []string, out stdio) error {
	fails, err := flags.check()
	if err != nil {
		return err
	}
	logs, total, err := openLogs(ctx, names, out)
	if err != nil {
		return err
	}
	base, head, err := flags.loadSides(ctx, out)
	if err != nil {
		return err
	}
	if base != nil {
		if err := mayWrite("output", flags.common, base.Name, nil); err != nil {
			return err
		}
	}
	options := review.ReplayOptions{Workers: runtime.GOMAXPROCS(0), Most: flags.most, MaxRecord: flags.maxRecord}
	drawn := &bar{to: out.err, now: out.now, total: total}
	if !flags.quiet && isTerminal(out.err) {
		options.Progress = drawn.show
	}
	replayed, failed := review.Replay(ctx, logs, base, head, options)
	drawn.clear()
	err = writeOutput(flags.common, head.Name, flags.sources(names...), out, func(to output) error {
		return writeReplayed(to, &replayed, flags)
	})
	switch {
	case failed != nil || err != nil:
		return errors.Join(failed, err)
	case replayed.Records == 0:
		return fmt.Errorf("%s: there are no records", strings.Join(names, ", "))
	case replayed.Decided == 0:
		return &exitError{code: exitNoVerdict, text: "no record could be decided again"}
	}
	return fails.verdict(func(word string) finding { return foundInReplay(word, &replayed) })
}

// loadSides loads the policies on both sides; without --base there is but the head.
func (f *replayFlags) loadSides(ctx context.Context, io stdio) (base *review.Side, head review.Side, err error) {
	if f.base == "" {
		program, from, err := loadProgram(ctx, f.common, io, engine.DefaultTimeout)
		return nil, review.Side{Name: from, Program: program}, err
	}
	own, err := f.load(ctx, "base", f.base, f.baseOver, io)
	if err != nil {
		return nil, head, err
	}
	head, err = f.load(ctx, "head", f.headPolicy(), f.headOver, io)
	return &own, head, err
}

// foundInReplay is what became of one word of --fail-on.
func foundInReplay(word string, r *review.Replayed) finding {
	switch word {
	case failDrift:
		return presentIf(r.Drift.Count > 0)
	case failChanged:
		return presentIf(r.Changed > 0)
	}
	return presentIf(r.Unreplayable.Count > 0 || len(r.Torn) > 0)
}

// openLogs finds the logs, so that one that is not there is told before anything is decided, and their bytes together; 0
// where nobody knows.
func openLogs(ctx context.Context, names []string, in stdio) ([]review.Log, int64, error) {
	var logs []review.Log
	total, known := int64(0), true
	for _, name := range names {
		if name == "-" {
			if slices.Contains(names[:len(logs)], "-") {
				return nil, 0, errors.New("- is standard input, which can be read once")
			}
			logs = append(logs, review.Log{Name: name, Open: standardInput(ctx, in)})
			known = false
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, 0, err
		case info.IsDir():
			return nil, 0, fmt.Errorf("%s: a directory; name the logs in it", name)
		}
		known = known && info.Mode().IsRegular()
		total += info.Size()
		logs = append(logs, review.Log{Name: name, Open: fileLog(name)})
	}
	if !known {
		total = 0
	}
	return logs, total, nil
}

func standardInput(ctx context.Context, in stdio) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(interruptible{ctx, in.in}), nil }
}

func fileLog(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return os.Open(name) }
}
