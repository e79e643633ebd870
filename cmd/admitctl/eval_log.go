package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/journal"
)

// logFlags are the flags of a verb that logs decisions.
type logFlags struct {
	file    string
	durable bool
	allow   []string
}

const allowNone = "none"

func addLogFlags(verb *cobra.Command, f *logFlags) {
	flags := verb.Flags()
	flags.StringVar(&f.file, "log", "", "append every decision to the decision log `FILE` before it is printed; what cannot be logged is rejected")
	flags.BoolVar(&f.durable, "log-durable", false, "print a decision once its record is on the disk, and not just with the operating system")
	flags.StringSliceVar(&f.allow, "log-allow", nil, "of the texts that no rule reads, log the `FIELD` as it is and mask all others (none: mask all); repeatable")
}

func (f *logFlags) check() error {
	if f.file == "" && (f.durable || len(f.allow) > 0) {
		return errors.New("--log-durable and --log-allow say how to log: name the --log too")
	}
	return nil
}

// open opens the log, which must be none of the files that are read, printed to or loaded.
func (f *logFlags) open(c *common, from string, read []string, program *engine.Program, io stdio) (*journal.Writer, error) {
	own := *c
	own.output = f.file
	if err := mayWrite("log", &own, from, read); err != nil {
		return nil, err
	}
	if info, err := os.Stat(f.file); err == nil && c.output != "" {
		if output, err := os.Stat(c.output); err == nil && os.SameFile(info, output) {
			return nil, fmt.Errorf("--log: %s is what --output writes", f.file)
		}
	}
	if c.output != "" && c.output == f.file {
		return nil, fmt.Errorf("--log: %s is what --output writes", f.file)
	}
	options := journal.Options{Clock: io.now, Durable: f.durable, Labels: labels()}
	if len(f.allow) > 0 {
		options.Allow = &journal.Allowlist{Decides: reads(program)}
		if !slices.Equal(f.allow, []string{allowNone}) {
			options.Allow.Fields = f.allow
		}
	}
	w, err := journal.Open(f.file, options)
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	return w, nil
}

// reads reports whether a rule of a gate reads a field. Of a gate that OPA decides nobody can tell, and all may be read.
func reads(program *engine.Program) func(gate, field string) bool {
	var fields sync.Map // of gates, once they are asked for: asking for all would compile the policies
	return func(gate, field string) bool {
		decided := program.Table(gate)
		if decided == nil {
			return true
		}
		read, known := fields.Load(gate)
		if !known {
			read, _ = fields.LoadOrStore(gate, decided.Program().Reads())
		}
		names, _ := read.([]string)
		return slices.Contains(names, field)
	}
}

// labels say who decided.
func labels() map[string]string {
	all := map[string]string{"version": "(devel)"}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		all["version"] = info.Main.Version
	}
	if host, err := os.Hostname(); err == nil {
		all["id"] = host
	}
	return all
}

// statOf is a file as a directory has it, nil where there is none.
func statOf(name string) fs.FileInfo {
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	return info
}

// record appends the record of the line that was just decided to those of its batch.
func (w *worker) record(b *batch) {
	b.records = w.log.Append(b.records, journal.Entry{Document: w.line.document, Decision: &w.line.decision})
}

// logged logs what a batch decided before anybody sees it. Where that fails, all of it is decided anew, as rejects: what
// nobody could find in the log must not be acted on. It is called in the order of the batches.
func (e *evaluation) logged(ctx context.Context, b *batch) {
	if err := e.log.WriteRecords(b.records); err != nil {
		told := errors.New(err.Error()) // the path in it is that of the log, and not where the document is
		refusing := *e
		refusing.log = nil
		refusing.decide = func(_ context.Context, document inputs.Document, into *engine.Decision) error {
			into.Refuse(document.Gate(), engine.ReasonError, e.program.Revision(), told)
			return told
		}
		w := &worker{evaluation: &refusing}
		b.out, b.remarks = b.out[:0], b.remarks[:0]
		stopped := b.stopped
		w.work(context.WithoutCancel(ctx), b)
		b.stopped, b.tally = stopped, w.tally
	}
	e.total.add(b.tally)
}
