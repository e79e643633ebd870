package policy_test

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// mutants has every mutant tried. Without it each fortieth is.
var mutants = flag.Bool("mutants", false, "TestMutants tries every mutant of the policies, which takes minutes")

// mutantsOf narrows a run, to look at the mutants of one file, rule or kind.
var mutantsOf = flag.String("mutants-of", "", "TestMutants tries the mutants whose names contain this")

// allMutants are all mutants of all policy files, in a fixed order.
func allMutants(t *testing.T, s *suite) (all []mutant) {
	for _, file := range slices.Sorted(maps.Keys(s.texts)) {
		enumerate := regoMutants
		if file == thresholdsFile {
			enumerate = thresholdMutants
		}
		found, err := enumerate(file, s.texts[file])
		require.NoError(t, err, file)
		require.NotEmpty(t, found, file)
		all = append(all, found...)
	}
	return all
}

// The suite tells every fault in the policies: a mutant is refused at load, or decides a case otherwise, or it is in the
// list of those that cannot change a decision, and is still there.
func TestMutants(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	s := newSuite(t)
	requireHealthy(t, s)

	all := allMutants(t, s)
	explained := explainedMutants(t, all, explanations)
	tried := chosen(all)
	verdicts := tryAll(s, tried, explained)
	report(t, tried, verdicts, atLoad, byFixtures, byRegoTests, byRows, byJudge, survives)
	for i, m := range tried {
		why := explained[m.key]
		switch v := verdicts[i]; {
		case v.verdict == "panic":
			t.Errorf("%s\n%s:%d\n\t%s", m.key, m.file, m.line, v.how)
		case v.verdict == byJudge:
			t.Errorf("a hole: no case tells %s\n%s:%d\n\t%s", m.key, m.file, m.line, v.how)
		case v.verdict == survives && why == "":
			t.Errorf("nothing tells, and nothing explains, %s\n%s:%d", m.key, m.file, m.line)
		case v.verdict != survives && why != "":
			t.Errorf("explained as one that cannot be told, and told by %s: %s\n\t%s", v.verdict, m.key, v.how)
		}
	}
}

// The engine knows the effects that a decision must have: it admits nothing by policies that name others.
func TestEffectMutantsAdmitNothing(t *testing.T) {
	s := newSuite(t)
	healthy := open(t, "")
	for _, m := range allMutants(t, s) {
		if m.kind != "effect" {
			continue
		}
		p := s.admit(m)
		require.Empty(t, p.load(), m.key)
		refused := 0
		for _, gate := range s.gatesOf(m) {
			for _, document := range nominal(gate) {
				text := textOf(t, document)
				want, err := healthy.typedDecision(text)
				require.NoError(t, err)
				got, err := (&doors{program: p.program}).typedDecision(text)
				if err == nil {
					require.Equal(t, want, got, m.key)
					continue
				}
				refused++
				require.ErrorIs(t, err, engine.ErrEvaluation, m.key)
				require.False(t, got.Admit, m.key)
			}
		}
		require.NotZero(t, refused, m.key)
	}
}

// requireHealthy wants the suite to pass on the policies as they are.
func requireHealthy(t *testing.T, s *suite) {
	healthy := s.admit(mutant{file: guardFile, text: s.texts[guardFile]})
	require.Empty(t, healthy.compile())
	require.Empty(t, healthy.decide(s.cases))
	require.Empty(t, healthy.regoTests(""))
	require.Empty(t, healthy.decide(s.rows))
}

// chosen are the mutants of this run.
func chosen(all []mutant) (some []mutant) {
	for i, m := range all {
		if *mutantsOf != "" && strings.Contains(m.key, *mutantsOf) || *mutantsOf == "" && (*mutants || i%40 == 0) {
			some = append(some, m)
		}
	}
	return some
}

type outcome struct{ verdict, how string }

// tryAll shares the mutants over the cores. The judge looks at what is explained too when every mutant is tried.
func tryAll(s *suite, all []mutant, explained map[string]string) []outcome {
	outcomes := make([]outcome, len(all))
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				outcomes[i] = tryOne(s, all[i], *mutants || explained[all[i].key] == "")
			}
		})
	}
	group.Wait()
	return outcomes
}

func tryOne(s *suite, m mutant, judged bool) (o outcome) {
	defer func() {
		if caught := recover(); caught != nil {
			o = outcome{"panic", fmt.Sprint(caught)}
		}
	}()
	o.verdict, o.how = s.try(m, judged)
	return o
}

// report prints a line a kind, with a column a verdict.
func report(t *testing.T, all []mutant, outcomes []outcome, columns ...string) {
	counts := map[string]map[string]int{"all": {}}
	for i, m := range all {
		if counts[m.kind] == nil {
			counts[m.kind] = map[string]int{}
		}
		for _, kind := range []string{m.kind, "all"} {
			counts[kind][outcomes[i].verdict]++
			counts[kind]["mutants"]++
		}
	}
	lines := fmt.Sprintf("%-24s", "kind")
	for _, column := range append([]string{"mutants"}, columns...) {
		lines += fmt.Sprintf(" %13s", column)
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		lines += fmt.Sprintf("\n%-24s %13d", kind, counts[kind]["mutants"])
		for _, column := range columns {
			lines += fmt.Sprintf(" %13d", counts[kind][column])
		}
	}
	t.Logf("%d mutants\n%s", len(all), lines)
}
