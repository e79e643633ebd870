package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/journal"
	"github.com/admitctl/admitctl/policies"
)

type evalFlags struct {
	*common
	ndjson  bool
	summary bool
	timeout time.Duration
	log     logFlags
}

func newEval(io stdio, c *common) *cobra.Command {
	flags := &evalFlags{common: c}
	verb := &cobra.Command{
		Use:   "eval FILE… | -",
		Short: "Decide documents",
		Long: `eval decides documents and prints a line for each.

FILE is a .json file with one document, an .ndjson or .jsonl file with a document a line, or a directory, which means
the documents below it (*.want.json, the wanted decisions, are none). - is standard input: one document, or a document
a line with --ndjson. A document that cannot be decided is a line too, and never stops the others.

--log appends every decision to a decision log, in the shape of OPA's, before it is printed. A decision that cannot be
logged is a reject.`,
		Example: `  admitctl eval input.json
  admitctl eval -f json -t admitd.yaml --summary recorded.ndjson
  tail -f decisions.ndjson | admitctl eval --ndjson -f reason -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("eval needs a FILE, a directory, or - for standard input\nsee: admitctl eval --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return eval(cmd.Context(), flags, args, io) },
	}
	addPolicyFlags(verb, c)
	addFormatFlag(verb, &c.format, formats())
	addOutputFlag(verb, c)
	verb.Flags().StringVar(&c.gate, "gate", "", "the `GATE` of documents that name none")
	verb.Flags().BoolVar(&flags.ndjson, "ndjson", false, "every file and standard input hold a document a line")
	verb.Flags().BoolVar(&flags.summary, "summary", false, "end with counts by gate and reason, and sheds per hundred")
	addLogFlags(verb, &flags.log)
	verb.Flags().DurationVar(&flags.timeout, "timeout", engine.DefaultTimeout, "the most that one decision may take")
	return verb
}

func eval(ctx context.Context, flags *evalFlags, names []string, io stdio) (err error) {
	if flags.timeout <= 0 {
		return fmt.Errorf("--timeout: must be more than 0, not %s", flags.timeout)
	}
	if err := errors.Join(knownFormat(flags.format, formats()), flags.log.check()); err != nil {
		return err
	}
	shipped, err := policies.Files.ReadFile("gates.table")
	if err != nil {
		return err
	}
	program, from, err := loadProgram(ctx, flags.common, io, flags.timeout, engine.Tables(shipped))
	if err != nil {
		return err
	}
	if flags.gate != "" && !slices.Contains(program.Gates(), flags.gate) {
		return fmt.Errorf("--gate: there is no gate %q; one of %s", flags.gate, strings.Join(program.Gates(), ", "))
	}
	e := newEvaluation(program, flags)
	if flags.log.file != "" {
		if e.log, err = flags.log.open(flags.common, from, names, program, io); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, e.log.Close()) }()
	}
	var total tally
	// Opened last, so that no mistake above has emptied the file.
	err = writeOutput(flags.common, from, names, io, func(out output) error {
		if !flags.quiet {
			complain(io, fmt.Sprintf("policies from %s, revision %s", from, shortRevision(program, flags.verbose)))
		}
		e.render = renderers(out.style, program.Title)[flags.format]
		var err error
		total, err = e.run(ctx, runtime.GOMAXPROCS(0), io, out, func(p *pipeline) error {
			source := &documents{ndjson: flags.ndjson, in: interruptible{p.ctx, io.in}, written: []fs.FileInfo{fileOf(out.Writer), statOf(flags.log.file)}, to: p}
			return source.read(p.ctx, names)
		})
		if err != nil || !flags.summary {
			return err
		}
		if flags.format != "pretty" {
			return total.summarise(io.err)
		}
		return total.summarise(out)
	})
	if code := total.code(); err == nil && code != exitAdmit {
		return &exitError{code: code}
	}
	return err
}

// shortRevision is enough of a revision to tell two apart, unless more is asked for.
func shortRevision(program *engine.Program, whole bool) string {
	if whole {
		return program.Revision()
	}
	return fmt.Sprintf("%.19s…", program.Revision())
}

// evaluation is what every worker needs to read, decide and render a document.
type evaluation struct {
	decode  func(data []byte, source inputs.Source) (inputs.Document, error)
	decide  func(ctx context.Context, document inputs.Document, into *engine.Decision) error // sets all of into, which held another
	program *engine.Program                                                                  // names what could not be read
	source  inputs.Source                                                                    // how to decode, but for file and line
	render  renderer
	counted bool // by gate and reason

	log   *journal.Writer // nil logs nothing
	total *tally          // of what was logged
}

func newEvaluation(program *engine.Program, flags *evalFlags) *evaluation {
	decide := program.DecideInto
	if flags.format == "reason" && flags.log.file == "" { // prints, counts and exits by no more than a verdict
		decide = func(ctx context.Context, document inputs.Document, into *engine.Decision) error {
			verdict, err := program.Verdict(ctx, document)
			if err != nil {
				return program.DecideInto(ctx, document, into)
			}
			*into = engine.Decision{Gate: document.Gate(), Admit: verdict.Admit, Reason: verdict.Reason, Action: verdict.Action}
			return nil
		}
	}
	return &evaluation{
		decode:  inputs.Decode,
		decide:  decide,
		program: program,
		source:  inputs.Source{Gate: flags.gate, Schemas: program.Schemas()},
		counted: flags.summary,
	}
}

// run decides on some cores whatever read puts into the pipeline, and prints it to out.
func (e *evaluation) run(ctx context.Context, cores int, io stdio, out io.Writer, read func(*pipeline) error) (tally, error) {
	workers := make([]*worker, cores)
	for i := range workers {
		workers[i] = &worker{evaluation: e}
	}
	e.total = &tally{}
	p := newPipeline(ctx, workers, func(b *batch) error {
		if e.log != nil {
			e.logged(ctx, b)
		}
		return b.print(io, out)
	})
	err := p.close(read(p))
	total := *e.total
	for _, w := range workers {
		total.add(w.tally)
	}
	return total, err
}
