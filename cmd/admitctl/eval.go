package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

type evalFlags struct {
	*common
	ndjson  bool
	summary bool
	timeout time.Duration
}

func newEval(io stdio, c *common) *cobra.Command {
	flags := &evalFlags{common: c}
	verb := &cobra.Command{
		Use:   "eval FILE… | -",
		Short: "Decide documents",
		Long: `eval decides documents and prints a line for each.

FILE is a .json file with one document, an .ndjson or .jsonl file with a document a line, or a directory, which means
the documents below it (*.want.json, the wanted decisions, are none). - is standard input: one document, or a document
a line with --ndjson. A document that cannot be decided is a line too, and never stops the others.`,
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
	verb.Flags().DurationVar(&flags.timeout, "timeout", engine.DefaultTimeout, "the most that one decision may take")
	return verb
}

func eval(ctx context.Context, flags *evalFlags, names []string, io stdio) error {
	if flags.timeout <= 0 {
		return fmt.Errorf("--timeout: must be more than 0, not %s", flags.timeout)
	}
	if err := knownFormat(flags.format, formats()); err != nil {
		return err
	}
	program, from, err := loadProgram(ctx, flags.common, io, flags.timeout)
	if err != nil {
		return err
	}
	if gates := program.Gates(); flags.gate != "" && !slices.Contains(gates, flags.gate) {
		return fmt.Errorf("--gate: there is no gate %q; one of %s", flags.gate, strings.Join(gates, ", "))
	}
	e := &evaluation{ctx: ctx, program: program, io: io, counts: map[string]map[string]int{}}
	// Opened last, so that no mistake above has emptied the file.
	err = writeOutput(flags.common, from, names, io, func(out output) error {
		if !flags.quiet {
			complain(io, fmt.Sprintf("policies from %s, revision %s", from, shortRevision(program, flags.verbose)))
		}
		e.print = printers(out)[flags.format]
		source := &documents{source: inputs.Source{Gate: flags.gate, Schemas: program.Schemas()}, ndjson: flags.ndjson, in: interruptible{ctx, io.in}, output: fileOf(out.Writer), each: e.decide, wrong: e.wrong}
		if err := source.read(ctx, names); err != nil || !flags.summary {
			return err
		}
		if flags.format != "pretty" {
			return e.summarise(io.err)
		}
		return e.summarise(out)
	})
	if err == nil && e.code != exitAdmit {
		return &exitError{code: e.code}
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

// evaluation decides and prints, and keeps what the exit code and the summary need.
type evaluation struct {
	ctx     context.Context
	program *engine.Program
	print   printer
	io      stdio
	code    int
	counts  map[string]map[string]int // of decisions, by gate and reason
	admits  int
	rejects int
	refused int
}

// decide prints the decision of one document. Its error is of the output, and final.
func (e *evaluation) decide(from answer) error {
	var decision engine.Decision
	err := from.err
	if err == nil {
		decision, err = e.program.Decide(e.ctx, from.document)
	} else {
		decision = e.program.Invalid(gateOf(err), err)
	}
	switch {
	case err != nil:
		e.refused++
		e.code = exitNoVerdict
		decision.Error = inputs.Printable(located(from, err))
		complain(e.io, "error: "+decision.Error)
	case decision.Admit:
		e.admits++
	default:
		e.rejects++
		e.code = max(e.code, exitReject)
	}
	e.count(decision)
	if err := e.print(line{answer: from, decision: decision, title: e.title(decision)}); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// gateOf is the gate of a document that could not be read, where at least that is known.
func gateOf(err error) string {
	var problem *inputs.Error
	if errors.As(err, &problem) {
		return problem.Gate
	}
	return ""
}

// wrong tells of an argument that gave no documents.
func (e *evaluation) wrong(err error) {
	e.code = exitNoVerdict
	complain(e.io, "error: "+err.Error())
}

// located names the document, unless the error does already, as those of its text and of its file do.
func located(from answer, err error) string {
	var path *fs.PathError
	if strings.HasPrefix(err.Error(), from.place()+":") || errors.As(err, &path) {
		return err.Error()
	}
	return from.place() + ": " + err.Error()
}

func (e *evaluation) title(decision engine.Decision) string {
	if decision.Admit {
		return ""
	}
	return e.program.Title(decision.Gate, decision.Reason, decision.Action)
}

func (e *evaluation) count(decision engine.Decision) {
	gate := decision.Gate
	if gate == "" {
		gate = "-"
	}
	if e.counts[gate] == nil {
		e.counts[gate] = map[string]int{}
	}
	e.counts[gate][decision.Reason]++
}
