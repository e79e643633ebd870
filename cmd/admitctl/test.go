package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/inputs"
)

type testFlags struct {
	*common
	policies []string
	pattern  string
	timeout  time.Duration
}

func newTest(io stdio, c *common) *cobra.Command {
	flags := &testFlags{common: c}
	verb := &cobra.Command{
		Use:   "test [DIR…]",
		Short: "Run Rego tests and fixtures, with coverage",
		Long: `test runs the Rego tests (*_test.rego) and the fixtures below each DIR in one go, and says which rules they cover.

A fixture is a document NAME.json beside NAME.want.json, the decision that it must get; what the wanted decision leaves
out is not compared. An overlay.yaml in its folder, or in one above it, lies over the thresholds. Without DIR the tests
are those beside the policies and those of ./policy_test and ./fixtures.

Fixtures are decided by the table of their gate and by OPA; where the two differ, the fixture fails with both decisions.

With two policies (-p BASE -p HEAD) everything runs against HEAD, and the fixtures that BASE decides otherwise are
listed.

Exit codes: 0 all passed, 1 something failed, 2 no verdict, such as when nothing ran.`,
		Example: `  admitctl test
  admitctl test -p mine --run depth -v examples/subagent
  admitctl test -p policies -p mine fixtures`,
		RunE: func(cmd *cobra.Command, args []string) error { return test(cmd.Context(), flags, args, io) },
	}
	verb.Flags().StringArrayVarP(&flags.policies, "policy", "p", nil, policyUsage+"; twice: BASE and HEAD")
	addThresholdsFlag(verb, c)
	addFormatFlag(verb, &c.format, testFormats())
	addOutputFlag(verb, c)
	verb.Flags().StringVar(&flags.pattern, "run", "", "only Rego tests whose names, and fixtures whose files, match the regular expression `PATTERN`")
	verb.Flags().DurationVar(&flags.timeout, "timeout", time.Minute, "the most that one Rego test may take")
	return verb
}

func test(ctx context.Context, flags *testFlags, roots []string, io stdio) error {
	if err := knownFormat(flags.format, testFormats()); err != nil {
		return err
	}
	if flags.timeout <= 0 {
		return fmt.Errorf("--timeout: must be more than 0, not %s", flags.timeout)
	}
	pattern, err := regexp.Compile(flags.pattern)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	base, head, err := flags.suites(ctx)
	if err != nil {
		return err
	}
	const quiet = true // what tests mean to break, they break: only tables that are wrong are told
	for _, own := range []*suite{base, head} {
		if own != nil {
			warn(io, own.tester.Program.Warnings(), quiet)
		}
	}
	if len(roots) == 0 {
		roots = usualRoots(head.from)
	}
	files, err := findTests(roots)
	if err != nil {
		return err
	}
	r := &testResults{policies: head.from, revision: head.tester.Program.Revision(), alone: files.alone}
	if len(files.rego) > 0 {
		r.rego, r.refused = head.tester.Run(ctx, files.rego, flags.pattern, flags.timeout)
	}
	if base != nil {
		r.base = base.from
	}
	for _, fixture := range files.fixtures {
		if !pattern.MatchString(fixture.file) {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before %s: %w", fixture.file, context.Cause(ctx))
		}
		r.fixtures = append(r.fixtures, decideFixture(ctx, fixture, head, base))
	}
	r.coverage = head.tester.Coverage()
	if passed, failed := r.counts(); passed+failed == 0 && r.refused == nil {
		if skipped := len(r.rego); skipped > 0 {
			return fmt.Errorf("nothing ran: %s skipped, whose names begin with todo_", count(skipped, "test"))
		}
		return nothingRan(flags.pattern, roots)
	}
	if err := writeOutput(flags.common, head.from, files.names(), io, func(out output) error { return r.write(out, flags.common) }); err != nil {
		return err
	}
	return r.verdict()
}

// suites loads the policies that -p names: HEAD, and BASE or nil.
func (f *testFlags) suites(ctx context.Context) (base, head *suite, err error) {
	switch len(f.policies) {
	case 0:
		head, err = openSuite(ctx, f.common, "")
	case 1:
		head, err = openSuite(ctx, f.common, f.policies[0])
	case 2:
		if base, err = openSuite(ctx, f.common, f.policies[0]); err == nil {
			head, err = openSuite(ctx, f.common, f.policies[1])
		}
	default:
		err = errors.New("--policy: name one set of policies, or two: BASE and HEAD")
	}
	return base, head, err
}

// nothingRan is the error of a run without a test, which is no success.
func nothingRan(pattern string, roots []string) error {
	if pattern != "" {
		return fmt.Errorf("nothing ran: no test and no fixture matches %q", pattern)
	}
	where := "beside the policies, in ./policy_test and in ./fixtures; name a DIR"
	if len(roots) > 0 {
		names := make([]string, len(roots))
		for i, root := range roots {
			names[i] = inputs.PrintableName(root)
		}
		where = "below " + strings.Join(names, ", ")
	}
	return errors.New("nothing ran: there are no Rego tests (*_test.rego) and no fixtures (NAME.json beside NAME.want.json) " + where)
}

// verdict is the exit code.
func (r *testResults) verdict() error {
	if r.refused != nil {
		return &exitError{code: exitNoVerdict, text: "the Rego tests do not run:\n" + r.refused.Error()}
	}
	if _, failed := r.counts(); failed > 0 {
		return &exitError{code: exitReject}
	}
	return nil
}
