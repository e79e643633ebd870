package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// reviewFlags are the flags of review.
type reviewFlags struct {
	sides
	fixtures []string
	logs     []string
}

func newReview(io stdio, c *common) *cobra.Command {
	flags := &reviewFlags{sides: sides{common: c}}
	verb := &cobra.Command{
		Use:   "review --base POLICIES [--head POLICIES]",
		Short: "Say all that a change of policies changes, as one report for a pull request",
		Long: `review says in one report what a change of policies comes to: thresholds that changed, what they mean and what they
change; which decisions change, by the smallest example and with proof (as diff does); properties of the gates that are
lost; fixtures and recorded decisions (--log) that flip.

-f github prints annotations of a workflow, and writes the report to the summary of the step. -f markdown is short
enough for a comment. -f junit has a suite a gate, and a failing case for what --fail-on names.

--fail-on says what fails: any, loosened, tightened, mixed, unproved, relabelled, property. It can be repeated.

Exit codes: 0 nothing that you asked to fail on, 1 something of it, 2 no verdict; also where nobody can prove that there
is nothing of it.`,
		Example: `  admitctl review --base git:main
  admitctl review --base git:origin/main --head git:HEAD -f markdown -o report.md --fail-on loosened
  admitctl review --base git:main --log decisions.ndjson.gz`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return reviewPolicies(cmd.Context(), flags, io) },
	}
	flags.add(verb, reviewFails())
	addFormatFlag(verb, &c.format, reviewFormats())
	addOutputFlag(verb, c)
	verb.Flags().StringArrayVar(&flags.logs, "log", nil, "decide the records of a decision `LOG` by both sides; repeatable")
	verb.Flags().StringArrayVar(&flags.fixtures, "fixtures", nil, "decide the fixtures below `DIR` by both sides (default ./fixtures when it is there); repeatable")
	return verb
}

func reviewFormats() []string { return []string{"pretty", "json", "markdown", "github", "junit"} }

func reviewPolicies(ctx context.Context, flags *reviewFlags, io stdio) error {
	fails, err := flags.check(reviewFormats(), reviewFails())
	if err != nil {
		return err
	}
	options, err := flags.options()
	if err != nil {
		return err
	}
	fixtures, err := flags.findFixtures()
	if err != nil {
		return err
	}
	logs, _, err := openLogs(ctx, flags.logs, io)
	if err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	base, err := flags.suite(ctx, "base", flags.base, flags.baseOver, io)
	if err != nil {
		return err
	}
	head, err := flags.suite(ctx, "head", flags.headPolicy(), flags.headOver, io)
	if err != nil {
		return err
	}
	if err := mayWrite("output", flags.common, base.from, nil); err != nil {
		return err
	}
	compared, err := review.Compare(ctx, base.side(), head.side(), options)
	if err != nil {
		return err
	}
	r := &reviewed{Comparison: listed(compared), Recorded: []recorded{}, fails: fails}
	if err := r.replayLogs(ctx, logs, base.side(), head.side()); err != nil {
		return err
	}
	r.describe(base, head)
	if r.Properties, err = proveProperties(ctx, &r.Comparison, base.side(), head.side(), options); err != nil {
		return err
	}
	if err := r.decideFixtures(ctx, fixtures.fixtures, base, head); err != nil {
		return err
	}
	r.conclude()
	err = writeOutput(flags.common, head.from, flags.sources(fixtures.names()...), io, func(out output) error { return r.write(out, flags.common) })
	if err == nil && flags.format == "github" {
		err = r.writeSummary(environment(io.environ, "GITHUB_STEP_SUMMARY"))
	}
	if err != nil {
		return err
	}
	return fails.verdict(r.found)
}

// suite loads one side, as load does, so that it decides fixtures too.
func (f *sides) suite(ctx context.Context, which, policy string, thresholds []string, io stdio) (*suite, error) {
	own, err := openSuite(ctx, f.under(thresholds), policy)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", which, err)
	}
	own.quick = true
	const quiet = true
	warn(io, own.tester.Program.Warnings(), quiet)
	return own, nil
}

func (s *suite) side() review.Side { return review.Side{Name: s.from, Program: s.tester.Program} }

// findFixtures finds the fixtures that are decided by both sides; of none that anybody named nothing is wrong.
func (f *reviewFlags) findFixtures() (testFiles, error) {
	const usual = "fixtures"
	roots := f.fixtures
	if len(roots) == 0 && isDirectory(usual) {
		roots = []string{usual}
	}
	files, err := findTests(roots)
	if err == nil && len(f.fixtures) > 0 && len(files.fixtures) == 0 {
		err = fmt.Errorf("there are no fixtures (NAME.json beside NAME.want.json) below %s", joined(roots))
	}
	if err != nil {
		return files, fmt.Errorf("--fixtures: %w", err)
	}
	return files, nil
}

// describe notes what the policies themselves say of what changed.
func (r *reviewed) describe(base, head *suite) {
	r.Meanings, r.Effects, r.gates = map[string]string{}, map[string]string{}, map[string]table.Origin{}
	for _, change := range r.Thresholds {
		if said := meaning(change.Path, head.tester.Program, base.tester.Program); said != "" {
			r.Meanings[change.Path] = said
		}
		r.Effects[change.Path] = effectWords(&r.Comparison, change.Path) + r.recordedWords(change.Path)
	}
	for _, program := range []*suite{base, head} {
		for _, name := range program.tester.Program.Gates() {
			gate, _ := program.tester.Program.Gate(name)
			r.gates[name] = table.Origin{File: gate.File, Line: gate.Line}
		}
	}
}

// decideFixtures decides fixtures by both sides.
func (r *reviewed) decideFixtures(ctx context.Context, fixtures []fixture, base, head *suite) error {
	if len(fixtures) == 0 {
		return nil
	}
	r.Fixtures = &fixtureFlips{Failing: []string{}, Flips: []fixtureFlip{}}
	for _, fixture := range fixtures {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before %s: %w", fixture.file, context.Cause(ctx))
		}
		r.Fixtures.add(decideFixture(ctx, fixture, head, base))
	}
	slices.SortStableFunc(r.Fixtures.Flips, func(a, b fixtureFlip) int { return severityOf(a.Kind) - severityOf(b.Kind) })
	return nil
}

func (f *fixtureFlips) add(result fixtureResult) {
	f.Decided++
	if result.wrong != nil {
		f.Failing = append(f.Failing, result.file)
	}
	if result.flip == nil {
		return
	}
	flip := fixtureFlip{File: result.file, Gate: result.decision.Gate, Change: result.flip.String()}
	if result.flip.failed == nil {
		flip.Kind = kindOf(result.flip.before.Admit, result.flip.after.Admit)
	}
	f.Flips = append(f.Flips, flip)
}

// severityOf is severity of a kind of change, of which none is one that nobody knows.
func severityOf(kind review.Kind) int { return severity(review.Verdict(kind)) }

func environment(environ []string, name string) string {
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

func joined(words []string) string { return strings.Join(words, ", ") }

func (r *reviewed) write(out output, flags *common) error {
	text := ""
	switch flags.format {
	case "json":
		return encodeJSON(out, r)
	case "junit":
		return r.junit(out)
	case "github":
		text = r.annotations()
	case "markdown":
		text = within(mostComment, r.markdown)
	default:
		text = r.pretty(out.style, flags)
	}
	_, err := io.WriteString(out, text)
	return err
}
