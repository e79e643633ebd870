package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/table"
)

type buildFlags struct {
	*common
	gates []string
}

func newBuild(io stdio, c *common) *cobra.Command {
	flags := &buildFlags{common: c}
	verb := &cobra.Command{
		Use:   "build -o FILE",
		Short: "Write the gates as a table file, for services that decide without OPA",
		Long: `build compiles the policies and writes what the gates come to, with the thresholds, into one file: a service reads it
with table.Read and decides as eval does, without policies, OPA or a compiler. The same policies give the same bytes, wherever they lie.

A gate that only OPA can decide is an error that says why; --gate picks the others. FILE is replaced at once and whole,
or stays as it was.

Exit codes: 0 the file is written, 2 it is not.`,
		Example: `  admitctl build -o gates.table
  admitctl build -p policies -t admitd.yaml --gate compaction -o compaction.table`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return build(cmd.Context(), flags, io) },
	}
	addPolicyFlags(verb, c)
	verb.Flags().StringVarP(&c.output, "output", "o", "", "write to `FILE`, which is replaced at once and whole")
	verb.Flags().StringArrayVar(&flags.gates, "gate", nil, "only this `GATE`; repeatable (default all)")
	return verb
}

func build(ctx context.Context, flags *buildFlags, io stdio) error {
	if flags.output == "" {
		return errors.New("--output: name the file to write, such as -o gates.table")
	}
	program, source, err := loadSource(ctx, flags.common, io, engine.DefaultTimeout)
	if err != nil {
		return err
	}
	gates, err := tablesOf(program, flags.gates)
	if err != nil {
		return err
	}
	for i := range gates {
		gates[i] = gates[i].Below(source.root)
	}
	var file bytes.Buffer
	if err := table.Write(&file, gates...); err != nil {
		return err
	}
	set, err := table.Read(bytes.NewReader(file.Bytes())) // what a service could not read is not written
	if err != nil {
		return err
	}
	if err := mayWrite("output", flags.common, source.from, nil); err != nil {
		return err
	}
	if err := replaceFile(flags.output, file.Bytes()); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	if flags.quiet {
		return nil
	}
	_, err = fmt.Fprintf(io.out, "%s: %s; revision %s, %d bytes\n", flags.output, strings.Join(set.Names(), ", "), shortRevision(program, flags.verbose), file.Len())
	return err
}

// tablesOf are the tables of the gates that are named, of none those of all. Gates without a table are one error.
func tablesOf(program *engine.Program, names []string) ([]*table.Gate, error) {
	for _, name := range names {
		if gates := program.Gates(); !slices.Contains(gates, name) {
			return nil, fmt.Errorf("--gate: there is no gate %q; one of %s", name, strings.Join(gates, ", "))
		}
	}
	var gates []*table.Gate
	var left []string
	var failed []error
	for _, evaluator := range program.Evaluators() {
		switch wanted := len(names) == 0 || slices.Contains(names, evaluator.Gate); {
		case !evaluator.Table && wanted:
			failed = append(failed, evaluator.Why)
		case evaluator.Table:
			left = append(left, "--gate "+evaluator.Gate)
			if wanted {
				gates = append(gates, program.Table(evaluator.Gate))
			}
		}
	}
	switch {
	case len(failed) > 0 && len(left) > 0:
		return nil, fmt.Errorf("not every gate can be a table:\n%w\nmend these, or choose among the others: %s", errors.Join(failed...), strings.Join(left, " "))
	case len(failed) > 0:
		return nil, fmt.Errorf("no gate can be a table:\n%w", errors.Join(failed...))
	}
	return gates, nil
}
