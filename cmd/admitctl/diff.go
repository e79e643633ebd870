package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/review"
)

// sides are the flags of a verb that holds two sets of policies against each other.
type sides struct {
	*common
	base, head string
	baseOver   []string
	headOver   []string
	fails      []string
	solver     solverFlags
	most       int
}

func newDiff(io stdio, c *common) *cobra.Command {
	flags := &sides{common: c}
	verb := &cobra.Command{
		Use:   "diff --base POLICIES [--head POLICIES]",
		Short: "Say which decisions change between two sets of policies, with examples and proof",
		Long: `diff says of every gate which decisions change from one set of policies to another, over all documents that there can
be: the smallest document whose decision changes, the one next to it whose decision does not, and the edit that is the
cause. A verdict other than unproved is proved, by a solver (z3) where one is there.

--fail-on says which changes fail: any, loosened, tightened, mixed, unproved, relabelled. It can be repeated.

Exit codes: 0 no change that you asked to fail on, 1 such a change, 2 no verdict; also where nobody can prove that there
is no such change.`,
		Example: `  admitctl diff --base git:main
  admitctl diff --base git:main --head git:HEAD -f json
  admitctl diff --base policies --head-thresholds admitd.yaml --fail-on loosened`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return diff(cmd.Context(), flags, io) },
	}
	flags.add(verb, diffFails())
	addFormatFlag(verb, &c.format, diffFormats())
	addOutputFlag(verb, c)
	return verb
}

func diffFormats() []string { return []string{"pretty", "json", "markdown"} }

// add are the flags of both verbs.
func (f *sides) add(verb *cobra.Command, fails []string) {
	addPolicyFlags(verb, f.common)
	flags := verb.Flags()
	flags.StringVar(&f.base, "base", "", "the `POLICIES` before the change, as -p takes them")
	flags.StringVar(&f.head, "head", "", "the `POLICIES` after it (default those of -p)")
	flags.StringArrayVar(&f.baseOver, "base-thresholds", nil, "`FILE` of thresholds over those of the base alone, after -t; repeatable")
	flags.StringArrayVar(&f.headOver, "head-thresholds", nil, "`FILE` of thresholds over those of the head alone, after -t; repeatable")
	flags.StringArrayVar(&f.fails, "fail-on", nil, "exit with 1 on this `CHANGE`, one of "+strings.Join(fails, ", ")+"; repeatable")
	f.solver.add(verb)
	flags.IntVar(&f.most, "most", review.DefaultMost, "list this `NUMBER` of changes of a gate")
	verb.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("head") && f.head != "" && cmd.Flags().Changed("policy") && f.policy != "" {
			return errors.New("name the policies after the change once: --head or --policy")
		}
		return nil
	}
}

// check looks through the flags before anything is read.
func (f *sides) check(formats, fails []string) (failOn, error) {
	if err := knownFormat(f.format, formats); err != nil {
		return nil, err
	}
	if f.base == "" {
		return nil, errors.New("--base: name the policies before the change, such as git:main or a directory")
	}
	if f.most <= 0 {
		return nil, fmt.Errorf("--most: must be more than 0, not %d", f.most)
	}
	return parseFailOn(f.fails, fails)
}

// options are those of the comparison.
func (f *sides) options() (review.Options, error) {
	o, err := f.solver.options()
	o.Most = f.most
	return o, err
}

// under are the flags with the thresholds over one side.
func (f *sides) under(own []string) *common {
	c := *f.common
	c.thresholds = slices.Concat(f.thresholds, own)
	return &c
}

// headPolicy is how the flags name the policies after the change.
func (f *sides) headPolicy() string {
	if f.head != "" {
		return f.head
	}
	return f.policy
}

// load loads one side, and tells its warnings where a table is wrong: what else is to be said of policies check says.
func (f *sides) load(ctx context.Context, which, policy string, own []string, io stdio) (review.Side, error) {
	source, err := openPolicies(ctx, f.under(own), policy, engine.DefaultTimeout)
	if err != nil {
		return review.Side{}, fmt.Errorf("--%s: %w", which, err)
	}
	program, err := source.compile(ctx)
	if err != nil {
		return review.Side{}, fmt.Errorf("--%s: %w", which, err)
	}
	const quiet = true
	warn(io, program.Warnings(), quiet)
	return review.Side{Name: source.from, Program: program}, nil
}

// sources are the files that must not be written to.
func (f *sides) sources(more ...string) []string { return slices.Concat(f.baseOver, f.headOver, more) }

func diff(ctx context.Context, flags *sides, io stdio) error {
	fails, err := flags.check(diffFormats(), diffFails())
	if err != nil {
		return err
	}
	options, err := flags.options()
	if err != nil {
		return err
	}
	base, err := flags.load(ctx, "base", flags.base, flags.baseOver, io)
	if err != nil {
		return err
	}
	head, err := flags.load(ctx, "head", flags.headPolicy(), flags.headOver, io)
	if err != nil {
		return err
	}
	if err := mayWrite("output", flags.common, base.Name, nil); err != nil {
		return err
	}
	compared, err := review.Compare(ctx, base, head, options)
	if err != nil {
		return err
	}
	compared = listed(compared)
	err = writeOutput(flags.common, head.Name, flags.sources(), io, func(out output) error {
		return writeComparison(out, &compared, flags.common)
	})
	if err != nil {
		return err
	}
	return fails.verdict(func(word string) finding { return found(word, &compared) })
}

// listed is a comparison whose lists are lists, be they empty, and in which no verdict is unproved.
func listed(c review.Comparison) review.Comparison {
	c.Thresholds = append([]review.ThresholdChange{}, c.Thresholds...)
	c.Rules = append([]review.RuleChange{}, c.Rules...)
	gates := map[string]review.GateComparison{}
	for name, gate := range c.Gates {
		gate.Changes = append([]review.Change{}, gate.Changes...)
		for i := range gate.Changes {
			gate.Changes[i].Cause = append([]review.Cause{}, gate.Changes[i].Cause...)
		}
		gate.Verdict = review.Verdict(told(gate.Verdict))
		gates[name] = gate
	}
	c.Gates = gates
	c.Verdict = review.Verdict(told(c.Verdict))
	return c
}

// writeComparison writes a comparison in one of the formats of diff.
func writeComparison(out output, c *review.Comparison, flags *common) error {
	switch flags.format {
	case "json":
		return encodeJSON(out, c)
	case "markdown":
		_, err := io.WriteString(out, within(mostComment, func(m *markdown) {
			m.verdict(c)
			m.edits(c, nil)
			m.gates(c)
		}))
		return err
	}
	p := &pretty{style: out.style, verbose: flags.verbose}
	p.verdict(c)
	p.edits(c, nil, nil)
	p.gates(c, flags.quiet)
	_, err := io.WriteString(out, p.String())
	return err
}
