package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/review"
)

type checkFlags struct {
	*common
	strict  bool
	deep    bool
	prove   bool
	solver  solverFlags
	schemas string
}

func newCheck(io stdio, c *common) *cobra.Command {
	flags := &checkFlags{common: c}
	verb := &cobra.Command{
		Use:   "check [DIR | BUNDLE | git:REF]",
		Short: "Report everything that is wrong with policies and thresholds",
		Long: `check loads policies and thresholds as a service would, and reports everything that is wrong with them at once, each
with its place and the line itself. Warnings are what loads and will surprise: limits that admit nothing, reasons that
a precedence list does not name, ages tighter than twice the sampling interval, rules without METADATA, gates that OPA
decides since their rules come to no table.

--deep holds the table of every gate against OPA on all documents that tell them apart, which takes tens of seconds.

--prove says of every gate which properties it has, over all documents that there can be: each is decided; nothing that
becomes unknown or worse, and no limit of the caller's own, turns a reject into an admit; every reason can be one. z3
proves most of them, where it is there.

Exit codes: 0 the policies load, 2 they do not; 1 a table and OPA disagree, a property is refuted, or with --strict there
are warnings or a property is not proved.`,
		Example: `  admitctl check policies
  admitctl check policies -t admitd.yaml -f json
  admitctl check policies -f github --strict
  admitctl check git:origin/main
  admitctl check policies --deep --gate compaction
  admitctl check policies --prove`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("policy") { // on the command line: settings are applied later
				return errors.New("name the policies once: DIR or --policy")
			}
			return cobra.MaximumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				c.policy = args[0]
			}
			return check(cmd.Context(), flags, io)
		},
	}
	addPolicyFlags(verb, c)
	addFormatFlag(verb, &c.format, checkFormats())
	addOutputFlag(verb, c)
	verb.Flags().BoolVar(&flags.strict, "strict", false, "warnings fail too")
	verb.Flags().BoolVar(&flags.deep, "deep", false, "compare every table with OPA on all documents that tell them apart")
	verb.Flags().StringVar(&c.gate, "gate", "", "with --deep and --prove, look at this `GATE` alone")
	verb.Flags().BoolVar(&flags.prove, "prove", false, "prove the properties that every gate must have, or refute them")
	flags.solver.add(verb)
	verb.Flags().StringVar(&flags.schemas, "schemas", "", "write the JSON Schemas of documents, decisions and thresholds to `DIR`, for editors")
	return verb
}

// checked is what check prints.
type checked struct {
	engine.Report
	from   string
	deep   []engine.Agreement
	proved *review.Properties // with --prove
}

func checkFormats() []string { return []string{"pretty", "json", "sarif", "github"} }

func check(ctx context.Context, flags *checkFlags, io stdio) (err error) {
	if err := knownFormat(flags.format, checkFormats()); err != nil {
		return err
	}
	options, err := flags.solver.options()
	if err != nil {
		return err
	}
	source, err := openPolicies(ctx, flags.common, flags.policy, engine.DefaultTimeout)
	if err != nil {
		return err
	}
	report, err := engine.Inspect(ctx, source.files, source.options...)
	if err != nil {
		return err
	}
	c := checked{Report: report, from: source.from}
	if flags.deep && report.Program != nil {
		if err := c.deepen(ctx, flags.common, io); err != nil {
			return err
		}
	}
	if flags.prove && report.Program != nil {
		if err := c.prove(ctx, flags.common, options, io); err != nil {
			return err
		}
	}
	err = writeOutput(flags.common, source.from, nil, io, func(out output) error {
		switch flags.format {
		case "json":
			return c.writeJSON(out)
		case "sarif":
			return c.writeSARIF(out)
		case "github":
			return c.writeGitHub(out)
		}
		return c.writePretty(out, out.style, flags.verbose, flags.quiet)
	})
	if err == nil && flags.schemas != "" && report.Program != nil {
		err = writeSchemas(report.Program, source.from, flags.schemas)
	}
	if err != nil {
		return err
	}
	return c.verdict(flags.strict)
}

// verdict is the exit code. A table that decides otherwise than OPA is no matter of taste: somebody must look.
func (c checked) verdict(strict bool) error {
	disagrees := slices.ContainsFunc(c.Warnings, func(w engine.Problem) bool { return errors.Is(w.Kind, engine.ErrDisagreement) })
	switch {
	case c.Program == nil:
		return &exitError{code: exitNoVerdict}
	case disagrees, c.refuted(), strict && (len(c.Warnings) > 0 || c.unproved()):
		return &exitError{code: exitReject}
	}
	return nil
}

// writeSchemas writes what editors complete and check files by.
func writeSchemas(program *engine.Program, from, folder string) error {
	if from != embedded && isBelow(folder, from) {
		return fmt.Errorf("--schemas: %s lies in the policies, and would be loaded as data", folder)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil { // as mkdir does: the umask decides
		return fmt.Errorf("--schemas: %w", err)
	}
	for name, text := range program.Published() {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			return fmt.Errorf("--schemas: %w", err)
		}
	}
	return nil
}

func knownFormat(format string, formats []string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return fmt.Errorf("--format: there is no format %q; %s", format, strings.Join(formats, ", "))
}

// writePretty prints a problem a line, the line of the file below it, and what it comes to at the end.
func (c checked) writePretty(out io.Writer, s style, verbose, quiet bool) error {
	text := &strings.Builder{}
	list := func(all []engine.Problem, severity, colour string) {
		for _, problem := range all {
			if place := problem.Place(); place != "" {
				text.WriteString(place + ": ")
			}
			text.WriteString(colour + severity + s.reset + ": " + problem.Message() + "\n")
			if line := problem.Source(); line != "" {
				text.WriteString("\t" + s.dim + line + s.reset + "\n")
			}
		}
	}
	list(c.Problems, "error", s.bad)
	list(c.Warnings, "warning", s.warn)
	if verbose {
		for _, setting := range c.Thresholds {
			fmt.Fprintf(text, "%s = %s  %s%s:%d%s\n", setting.Path, jsonOf(setting.Value), s.dim, setting.File, setting.Line, s.reset)
		}
	}
	if !quiet {
		for _, own := range c.deep {
			text.WriteString(compared(own) + "\n")
		}
		text.WriteString(c.properties(verbose))
		text.WriteString(c.conclusion() + "\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// conclusion is the last line: whether the policies load.
func (c checked) conclusion() string {
	warnings := count(len(c.Warnings), "warning")
	if c.Program == nil {
		return fmt.Sprintf("%s: %s, %s; a service would not load this", c.from, count(len(c.Problems), "problem"), warnings)
	}
	return fmt.Sprintf("%s: loads, %s; %s, %s, revision %.19s…", c.from, warnings, count(len(c.Program.Gates()), "gate"), count(len(c.Thresholds), "threshold"), c.Program.Revision())
}

func count(number int, noun string) string {
	switch number {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}
