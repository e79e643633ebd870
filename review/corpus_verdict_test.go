package review_test

import (
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

var (
	corpusEvery     = flag.Int("corpus-every", 12, "TestCorpus takes every how many-th edit; 1 is all")
	corpusFirst     = flag.Int("corpus-first", 2, "the edit that TestCorpus begins with, from 0")
	corpusWays      = flag.String("corpus-ways", "", "TestCorpus compares in the ways alone that begin so: solver, cells; empty is all four")
	corpusDocuments = flag.Int("corpus-documents", 150, "a small domain of more documents is made smaller: a property that the edit does not name has two values")
)

// Every edit of the corpus is compared in four ways: over a small domain and over all documents, each with a solver and
// without. The small domain is gone through by OPA too, and must come to the verdict that was written by hand, and to the
// same nearest examples.
func TestCorpus(t *testing.T) {
	require.Positive(t, *corpusEvery)
	solver, err := exec.LookPath("z3")
	if err != nil {
		t.Log("there is no z3: what cannot be settled without a solver may stay unproved")
	}
	c := readCorpus(t)
	shipped, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	f := figures{}
	for i, e := range c.edits {
		if i < *corpusFirst || (i-*corpusFirst)%*corpusEvery != 0 {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			base, head := e.sides(t, shipped)
			e.requireWhole(t, base, head)
			x := trial{edit: e, corpus: c, figures: f, opinions: opinions{}}
			x.compare(t, solver, review.Side{Name: "base", Program: base}, review.Side{Name: "head", Program: head}, same)
			if e.Swapped {
				x.compare(t, solver, review.Side{Name: "head", Program: head}, review.Side{Name: "base", Program: base}, flip)
			}
		})
	}
	t.Log("\n" + f.String())
}

func same(v review.Verdict) review.Verdict { return v }

// trial is an edit under comparison.
type trial struct {
	edit     policyEdit
	corpus   corpus
	figures  figures
	opinions opinions
}

// compare compares two sides in every way, and holds what comes of it against what was written by hand.
func (x *trial) compare(t *testing.T, solver string, base, head review.Side, as func(review.Verdict) review.Verdict) {
	touched := x.edit.gates(t, base.Program, head.Program)
	want := map[string]review.Verdict{}
	for _, gate := range inputs.Gates() {
		if want[gate] = review.Equal; x.edit.Verdict[gate] != "" {
			want[gate] = as(x.edit.Verdict[gate])
		}
	}
	truths, domains := map[string]truth{}, map[string]review.Domain{}
	for _, gate := range touched {
		own, _ := base.Program.Gate(gate)
		narrow := x.corpus.domain(gate, x.edit)
		documents := narrow.documents(t, gate)
		if len(documents) > *corpusDocuments {
			narrow = narrow.thinned(x.edit.Domain[gate], 2)
			documents = narrow.documents(t, gate)
		}
		require.NotEmpty(t, documents)
		require.Less(t, len(documents), 1500, gate)
		truths[gate] = bruteForce(t, x.opinions, base.Program, head.Program, documents, own.Nominal)
		require.Equal(t, want[gate], truths[gate].verdict(), "%s of %s, by hand and by brute force", gate, x.edit.Name)
		domains[gate] = narrow.narrowed(t)
	}
	for _, way := range []struct {
		name    string
		solver  string
		domains map[string]review.Domain
	}{{"solver, small", solver, domains}, {"solver, all", solver, nil}, {"cells, small", "", domains}, {"cells, all", "", nil}} {
		if strings.HasPrefix(way.name, "solver") && solver == "" || !strings.HasPrefix(way.name, *corpusWays) {
			continue
		}
		began := time.Now() //nolint:forbidigo // the figures tell how long it takes
		got, err := review.Compare(t.Context(), base, head, review.Options{Solver: way.solver, Domains: way.domains, Most: 1000})
		require.NoError(t, err)
		x.figures.add(way.name, got, touched, time.Since(began)) //nolint:forbidigo // as above
		require.Len(t, got.Gates, len(want))
		for gate, comparison := range got.Gates {
			h := held{trial: x, gate: gate, base: base.Program, head: head.Program, got: comparison, small: way.domains != nil}
			h.must = way.solver != "" && !slices.Contains(slices.Concat(x.edit.OPA, x.edit.Refused), gate)
			h.truth, h.tried = truths[gate]
			h.hold(t, way.name, want[gate])
		}
		requireOverall(t, got)
	}
}

// held is the comparison of one gate that is held against the truth.
type held struct {
	*trial
	gate       string
	base, head *engine.Program
	got        review.GateComparison
	truth      truth
	tried      bool // the edit touches the gate, so that there is a truth
	small      bool // only documents of the small domain were compared
	must       bool // it must be settled
}

func (h *held) hold(t *testing.T, way string, want review.Verdict) {
	t.Helper()
	if h.got.Verdict != review.Unproved || h.must || !h.tried {
		require.Equal(t, want, h.got.Verdict, "%s, %s: %+v", h.gate, way, h.got.Proof)
	}
	if h.got.Verdict != review.Unproved && h.got.Verdict != review.Mixed || h.must {
		require.True(t, h.got.Proof.Complete, "%s, %s: %s", h.gate, way, h.got.Proof.Why)
		require.Empty(t, h.got.Proof.Why)
	}
	require.Zero(t, h.got.More)
	if !h.tried {
		require.Empty(t, h.got.Changes)
		return
	}
	told := map[alteration]off{}
	for _, change := range h.got.Changes {
		a, at := h.example(t, change)
		require.NotContains(t, told, a, "%s, %s: told twice", h.gate, way)
		told[a] = at
	}
	for a, nearest := range h.truth.nearest {
		at, ok := told[a]
		if h.got.Proof.Complete {
			require.True(t, ok, "%s, %s: a change is not told: %v at %s", h.gate, way, a, nearest)
		}
		if h.must {
			require.False(t, nearest.less(at), "%s, %s: a document is nearer: %v at %s, not %s", h.gate, way, a, nearest, at)
		}
	}
	if h.small && h.must {
		require.Equal(t, h.truth.nearest, told, "%s, %s", h.gate, way)
	}
}

// example holds the examples of a change against OPA, and gives what the change is and where the nearest example lies.
func (h *held) example(t *testing.T, change review.Change) (alteration, off) {
	t.Helper()
	own, _ := h.base.Gate(h.gate)
	base, head := h.opinions.ask(t, h.base, change.Inside.Document), h.opinions.ask(t, h.head, change.Inside.Document)
	require.Equal(t, []engine.Decision{base, head}, []engine.Decision{change.Inside.Base, change.Inside.Head})
	a, changes := altered(base, head)
	require.True(t, changes, "%s: an example that does not change: %v", h.gate, change.Inside.Document)
	want := alteration{kind: change.Kind, part: change.Part, base: change.Base, head: change.Head}
	if a.base == (review.Outcome{}) { // of lists and what they show
		want.base, want.head = review.Outcome{}, review.Outcome{}
	}
	require.Equal(t, want, a)
	at := offOf(change.Inside.Document, own.Nominal)
	require.Equal(t, off{len(change.Inside.Off), change.Inside.Distance}, at, "as it is told")
	if nearest, ok := h.truth.nearest[a]; ok && change.Proved {
		require.False(t, nearest.less(at), "%s: called the nearest at %s, and there is one at %s", h.gate, at, nearest)
	}
	if h.must {
		require.True(t, change.Proved, "%s: %v at %s", h.gate, a, at)
	}
	if change.Outside != nil {
		beside, changes := altered(h.opinions.ask(t, h.base, change.Outside.Document), h.opinions.ask(t, h.head, change.Outside.Document))
		require.True(t, !changes || beside != a, "%s: the document outside changes as the one inside", h.gate)
	}
	return a, at
}

// requireOverall wants the verdict of all gates to follow from theirs.
func requireOverall(t *testing.T, got review.Comparison) {
	t.Helper()
	seen := map[review.Verdict]bool{}
	for _, gate := range got.Gates {
		seen[gate.Verdict] = true
	}
	want := review.Equal
	for _, c := range []struct {
		holds   bool
		verdict review.Verdict
	}{ // the last that holds counts
		{seen[review.Relabelled], review.Relabelled},
		{seen[review.Tightened], review.Tightened},
		{seen[review.Loosened], review.Loosened},
		{seen[review.Mixed] || seen[review.Loosened] && seen[review.Tightened], review.Mixed},
		{seen[review.Unproved], review.Unproved},
	} {
		if c.holds {
			want = c.verdict
		}
	}
	require.Equal(t, want, got.Verdict)
}

// requireWhole wants an edit to be what it says: of other revisions, and of the gates that it names.
func (e policyEdit) requireWhole(t *testing.T, base, head *engine.Program) {
	t.Helper()
	require.Equal(t, e.Same, base.Revision() == head.Revision())
	touched := e.gates(t, base, head)
	require.Equal(t, e.Same, len(touched) == 0)
	require.Subset(t, touched, slices.Concat(sortedKeys(e.Verdict), sortedKeys(e.Domain), e.OPA, e.Refused))
	for _, gate := range head.Evaluators() {
		require.Equal(t, !slices.Contains(e.OPA, gate.Gate), gate.Table, gate)
	}
}

// figures count what became of the gates that edits touch, by way.
type figures map[string]*figure

type figure struct {
	equal, changed, unproved int
	by                       map[review.Method]int
	questions                int
	took                     time.Duration
}

func (f figures) add(way string, got review.Comparison, touched []string, took time.Duration) {
	own := f[way]
	if own == nil {
		own = &figure{by: map[review.Method]int{}}
		f[way] = own
	}
	own.took += took
	for _, gate := range touched {
		switch comparison := got.Gates[gate]; comparison.Verdict {
		case review.Equal:
			own.equal++
		case review.Unproved:
			own.unproved++
		default:
			own.changed++
		}
		own.by[got.Gates[gate].Proof.By]++
		own.questions += got.Gates[gate].Proof.Cells
	}
}

func (f figures) String() string {
	var w strings.Builder // whose writes do not fail
	table := tabwriter.NewWriter(&w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "way\tgates\tproved equal\tchanged\tunproved\tby identity\tsolver\tcells\tsearch\tgone through\ttime\t")
	for _, way := range sortedKeys(f) {
		own := f[way]
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", way, own.equal+own.changed+own.unproved, own.equal, own.changed, own.unproved,
			own.by[review.ByIdentity], own.by[review.BySolver], own.by[review.ByCells], own.by[review.BySearch], own.questions, own.took.Round(time.Millisecond))
	}
	_ = table.Flush()
	return w.String()
}
