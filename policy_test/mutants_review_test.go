package policy_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

// reviewEvery narrows which mutants are reviewed.
var reviewEvery = flag.Int("review-every", 150, "TestReviewOfMutants reviews each mutant whose number is a multiple of this")

// A review of a mutant says what changes: by a solver and cell by cell alike, never equal where OPA decides any fixture,
// boundary document or generated document otherwise, and never that nobody is let in where one of them is.
func TestReviewOfMutants(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	s := newSuite(t)
	base, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	r := &reviewed{suite: s, base: base, counts: map[string]int{}}
	r.solver, _ = exec.LookPath("z3")
	all := allMutants(t, s)
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := (int(next.Add(1)) - 1) * *reviewEvery; i < len(all); i = (int(next.Add(1)) - 1) * *reviewEvery {
				r.try(t, all[i])
			}
		})
	}
	group.Wait()
	lines := fmt.Sprintf("solver: %q", r.solver)
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		lines += fmt.Sprintf("\n%6d %s", r.counts[what], what)
	}
	t.Log(lines)
	require.NotZero(t, r.counts["documents that OPA decides otherwise"])
}

// reviewed counts what reviews of mutants said.
type reviewed struct {
	suite  *suite
	base   *engine.Program
	solver string

	mutex  sync.Mutex
	counts map[string]int
}

func (r *reviewed) count(what string, n int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.counts[what] += n
}

// try reviews one mutant both ways, and holds what they say against OPA.
func (r *reviewed) try(t *testing.T, m mutant) {
	p := r.suite.admit(m)
	if p.load() != "" {
		r.count("refused at load", 1)
		return
	}
	cells := r.compare(t, p.program, "")
	solved := cells
	if r.solver != "" {
		solved = r.compare(t, p.program, r.solver)
	}
	for gate, by := range solved.Gates {
		r.count("gates "+string(by.Verdict), 1)
		if by.Verdict == review.Unproved {
			r.count("gates unproved: "+by.Proof.Why, 1)
		}
		own := cells.Gates[gate]
		if own.Verdict == review.Unproved {
			r.count("gates unproved cell by cell alone", 1)
		} else if by.Verdict != review.Unproved && own.Verdict != by.Verdict {
			t.Errorf("%s\n%s:%d\n\tgate %s is %s by the solver, and %s cell by cell", m.key, m.file, m.line, gate, by.Verdict, own.Verdict)
		}
		changed := r.changed(gate, p.program)
		for _, said := range []review.GateComparison{by, own} {
			for how, document := range changed {
				if !slices.Contains(allowed[said.Verdict], how) {
					t.Errorf("%s\n%s:%d\n\tgate %s is said to be %s by %s, and OPA %s %+v", m.key, m.file, m.line, gate, said.Verdict, said.Proof.By, how, document)
				}
			}
		}
	}
}

func (r *reviewed) compare(t *testing.T, head *engine.Program, solver string) review.Comparison {
	got, err := review.Compare(context.Background(), review.Side{Name: "base", Program: r.base}, review.Side{Name: "head", Program: head}, review.Options{Solver: solver})
	if err != nil {
		t.Error(err)
	}
	return got
}

// allowed are the ways in which a document's decision may change, by what is said of its gate.
var allowed = map[review.Verdict][]string{
	review.Equal: {}, review.Relabelled: {"relabels"}, review.Loosened: {"relabels", "loosens"}, review.Tightened: {"relabels", "tightens"},
	review.Mixed: {"relabels", "loosens", "tightens"}, review.Unproved: {"relabels", "loosens", "tightens"},
}

// changed are the ways in which decisions of a gate change, each with a document, by OPA.
func (r *reviewed) changed(gate string, head *engine.Program) map[string]inputs.Document {
	found := map[string]inputs.Document{}
	for _, document := range r.suite.decodable(gate) {
		if how := r.changes(document, head); how != "" {
			r.count("documents that OPA decides otherwise", 1)
			found[how] = document
		}
	}
	return found
}

// changes is how a document's decision changes.
func (r *reviewed) changes(document inputs.Document, head *engine.Program) string {
	before, _ := r.base.Ask(context.Background(), document)
	after, _ := head.Ask(context.Background(), document)
	before.Policy, after.Policy, before.Error, after.Error = engine.Policy{}, engine.Policy{}, "", ""
	switch {
	case !before.Admit && after.Admit:
		return "loosens"
	case before.Admit && !after.Admit:
		return "tightens"
	case !decisionsAlike(before, after):
		return "relabels"
	}
	return ""
}

func decisionsAlike(a, b engine.Decision) bool {
	return a.Reason == b.Reason && a.Action == b.Action && slices.Equal(a.Violations, b.Violations) &&
		slices.Equal(a.Effects, b.Effects) && slices.Equal(a.Unknown, b.Unknown)
}
