package policy_test

import (
	"context"
	"flag"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	tabulatorMutants = flag.Bool("tabulator-mutants", false,
		"TestTabulatorMutants tries every mutant of the tabulator, which takes many minutes")
	tabulatorMutantsOf = flag.String("tabulator-mutants-of", "",
		"with -tabulator-mutants: the mutants whose names contain this")
	tabulatorMutantsFiles = flag.String("tabulator-mutants-files", "",
		"with -tabulator-mutants: other source, as patterns from the root with commas between; nothing explains its survivors")
	tabulatorMutantsSuites = flag.String("tabulator-mutants-suites", "",
		"with -tabulator-mutants: other suites, as ./package=TESTS=FLAGS with semicolons between")
)

// The source that is mutated, and the suites that must tell its mutants, the cheapest first.
var (
	tabulatorFiles  = []string{"table/*.go", "engine/tabulate/*.go", "engine/tabulate*.go"}
	tabulatorSuites = []goSuite{
		{name: "load", in: "./engine", run: "^TestEveryShippedGateIsTabulated$"},
		{name: "table", in: "./table", run: "^Test", flags: []string{"-rapid.nofailfile", "-rapid.seed=20261130"}},
		{name: "tabulate", in: "./engine/tabulate", run: "^Test"},
		{name: "engine", in: "./engine", run: "Tabul"},
		{name: "documents", in: "./policy_test", run: "^TestDoorsAndModelAgree$", flags: []string{"-documents=2000"}},
	}
)

// The load, which holds the tabulator against OPA, and the suites tell every fault in the tabulator, or it is in the list
// of those that cannot change a decision. Without its flag the test holds the list against the source alone.
func TestTabulatorMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	files, suites, explanations := tabulatorFiles, tabulatorSuites, tabulatorExplanations
	if *tabulatorMutantsFiles != "" {
		files, explanations = strings.Split(*tabulatorMutantsFiles, ","), nil
	}
	if *tabulatorMutantsSuites != "" {
		suites = goSuitesOf(t, *tabulatorMutantsSuites)
	}
	mutation, err := mutateGo(root, files)
	require.NoError(t, err)
	explained := explainedMutants(t, mutation.plain(), explanations)
	t.Logf("%d mutants; %d changes do not compile\n\t%s", len(mutation.mutants), len(mutation.dropped), strings.Join(mutation.dropped, "\n\t"))
	if !*tabulatorMutants {
		return
	}
	require.NotEmpty(t, mutation.mutants, "no source is matched by %s", files)
	mutation.narrow(*tabulatorMutantsOf)

	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok { // leave time to report what was tried
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-20*time.Second))
		defer cancel()
	}
	trial, err := mutation.build(ctx, t.TempDir(), suites)
	require.NoError(t, err)
	done := atomic.Int64{}
	outcomes := trial.tryEach(ctx, func(m goMutant, o outcome) {
		if n := done.Add(1); n%200 == 0 {
			t.Logf("%d of %d", n, len(mutation.mutants))
		}
		told := o.verdict != survives && o.verdict != neverReached
		switch why := explained[m.key]; {
		case !told && why == "":
			t.Errorf("%s, and nothing explains, %s\n%s:%d", o.verdict, m.key, m.file, m.line)
		case told && why != "":
			t.Errorf("explained as one that cannot be told, and told by %s: %s\n\t%s", o.verdict, m.key, o.how)
		}
	})
	trial.report(t, outcomes)
	require.NoError(t, ctx.Err(), "%d mutants were tried; give the test more time, or dearer suites fewer tests", done.Load())
}

// goSuitesOf reads suites as a flag gives them.
func goSuitesOf(t *testing.T, text string) (suites []goSuite) {
	for one := range strings.SplitSeq(text, ";") {
		parts := strings.SplitN(one, "=", 3)
		require.GreaterOrEqual(t, len(parts), 2, "%q is no ./package=TESTS", one)
		suite := goSuite{name: strings.TrimPrefix(parts[0], "./") + " " + parts[1], in: parts[0], run: parts[1]}
		if len(parts) == 3 {
			suite.flags = strings.Fields(parts[2])
		}
		suites = append(suites, suite)
	}
	return suites
}

// plain are the mutants as the mutants of the policies are listed.
func (m *goMutation) plain() (all []mutant) {
	for _, each := range m.mutants {
		all = append(all, each.mutant)
	}
	return all
}

// narrow leaves the mutants whose names contain a text.
func (m *goMutation) narrow(text string) {
	some := m.mutants[:0]
	for _, each := range m.mutants {
		if strings.Contains(each.key, text) {
			some = append(some, each)
		}
	}
	m.mutants = some
}

// report prints a line a kind, and what it took.
func (t *goTrial) report(to *testing.T, outcomes []outcome) {
	columns := []string{}
	for _, suite := range t.suites {
		columns = append(columns, suite.name)
	}
	report(to, t.plain(), outcomes, append(columns, outOfTime, survives, neverReached, untried)...)
	spent := float64(t.spent.Load()) / 1e9
	to.Logf("%d processes, %.0f seconds of processor time, %.2f a mutant", t.ran.Load(), spent, spent/float64(len(outcomes)))
	for i, o := range outcomes {
		if o.verdict == outOfTime {
			to.Logf("time limit: %s: %s", t.mutants[i].key, o.how)
		}
	}
}
