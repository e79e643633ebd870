package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// The differential test is made of rounds. A round is one set of thresholds, which is bound to the tables, and some
// hundred documents a gate; its number and -seed say what it draws, so that a run can go on where another stopped.
var (
	differential = flag.Int("differential", 2_000, "documents for TestTablesAndOPAAgree, of all gates together")
	firstRound   = flag.Int("first-round", 0, "the round that TestTablesAndOPAAgree begins with")
	onlyGates    = flag.String("gates", "", "the gates that TestTablesAndOPAAgree decides, with commas; all if empty")
)

// Documents of one round and gate, of which a quarter is what the table thinks telling, a half is near the thresholds,
// and the rest is anything.
const fewest, most = 20, 2000

// Tables and OPA's own evaluator give the same whole decision, and the same verdict, under the shipped thresholds, under
// those that operators might write and under random ones.
func TestTablesAndOPAAgree(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	names := gates()
	if *onlyGates != "" {
		names = strings.Split(*onlyGates, ",")
	}
	const rounds = 8 // at least, of which each second has thresholds of its own
	each := min(max(*differential/len(names)/rounds, fewest), most)
	count := (*differential + each*len(names) - 1) / (each * len(names))
	d := newDifference(t, names, each)
	var next atomic.Int64
	next.Store(int64(*firstRound))
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for !t.Failed() {
				round := int(next.Add(1)) - 1
				if round >= *firstRound+count {
					return
				}
				d.round(t, round)
			}
		})
	}
	group.Wait()
	d.report(t, fmt.Sprintf("rounds %d to %d of seed %d", *firstRound, *firstRound+count-1, *seed))
}

// difference holds tables against OPA.
type difference struct {
	gates    []string
	each     int // documents of a round and gate
	sets     []namedThresholds
	base     *engine.Program
	compiler *ast.Compiler

	mutex  sync.Mutex
	rounds int
	counts map[string]*differenceOf
}

// differenceOf is what came of one gate.
type differenceOf struct{ documents, admitted, outside, mismatches int }

func newDifference(t *testing.T, names []string, each int) *difference {
	base, err := engine.Compile(t.Context(), policies.Files, engine.Timeout(time.Minute))
	require.NoError(t, err)
	compiler, err := stockCompiler(policies.Files)
	require.NoError(t, err)
	d := &difference{gates: names, each: each, sets: thresholdSets(), base: base, compiler: compiler, counts: map[string]*differenceOf{}}
	for _, name := range names {
		require.Contains(t, gates(), name)
		d.counts[name] = &differenceOf{}
	}
	return d
}

// round binds thresholds, and holds the tables of all gates against OPA.
func (d *difference) round(t *testing.T, round int) {
	r := rand.New(rand.NewPCG(*seed, uint64(round)))
	set := d.sets[round/2%len(d.sets)]
	if round%2 == 1 {
		set = randomThresholds(r)
	}
	program, err := d.base.Reload(context.Background(), policies.Files, engine.Timeout(time.Minute), engine.Overlay("overlay.yaml", []byte(set.Overlay)))
	if err != nil {
		t.Errorf("round %d: thresholds %s: %v\n%s", round, set.Name, err, set.Overlay)
		return
	}
	store := storeOf(set.Tree)
	for _, gate := range d.gates {
		own := program.Table(gate)
		if own == nil {
			t.Errorf("round %d: gate %s has no table: %+v\n%s", round, gate, program.Evaluators(), set.Overlay)
			return
		}
		query, err := prepareGate(d.compiler, store, gate)
		if err != nil {
			t.Errorf("round %d: gate %s: %v", round, gate, err)
			return
		}
		d.hold(t, round, set, own, query, d.documents(t, r, own, set))
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.rounds++; d.rounds%100 == 0 {
		t.Logf("after %d rounds, up to round %d or so: %+v", d.rounds, round, d.total())
	}
}

// documents draws valid documents.
func (d *difference) documents(t *testing.T, r *rand.Rand, own *table.Gate, set namedThresholds) []inputs.Document {
	gate := own.Name()
	var all []inputs.Document
	for _, flat := range own.Directed(table.Effort{Draws: min(4*d.each, 3000), Most: d.each / 4, Every: r.IntN(2) == 0, Seed: r.Uint64()}) {
		document, err := flat.Document(gate)
		if err != nil {
			t.Errorf("gate %s: a document that the table thinks valid is not: %v", gate, err)
			return nil
		}
		all = append(all, document)
	}
	for len(all) < d.each {
		drawn := generate(r, gate, set.Tree)
		if len(all)%3 == 0 {
			drawn = anyDocument(r, gate, set.Tree)
		}
		document, err := inputs.Decode(textOf(t, drawn), inputs.Source{})
		if err != nil {
			t.Errorf("gate %s: a document that was generated is invalid: %v\n%s", gate, err, textOf(t, drawn))
			return nil
		}
		all = append(all, document)
	}
	return all
}

// hold holds one table against OPA.
func (d *difference) hold(t *testing.T, round int, set namedThresholds, own *table.Gate, query rego.PreparedEvalQuery, documents []inputs.Document) {
	var sum differenceOf
	var reused table.Decision
	for _, document := range documents {
		sum.documents++
		outside, err := compared(own, query, document, &reused)
		switch {
		case err != nil:
			sum.mismatches++
			t.Errorf("-seed %d -first-round %d: thresholds %s: %v\n%s", *seed, round, set.Name, err, set.Overlay)
		case outside:
			sum.outside++
		case reused.Admit:
			sum.admitted++
		}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	total := d.counts[own.Name()]
	total.documents += sum.documents
	total.admitted += sum.admitted
	total.outside += sum.outside
	total.mismatches += sum.mismatches
}

// compared decides a document with the table, into a decision that is used again, and with OPA, which is given the
// document's JSON and nothing of ours. It says whether the table leaves the document to OPA.
func compared(own *table.Gate, query rego.PreparedEvalQuery, document inputs.Document, reused *table.Decision) (outside bool, err error) {
	text, err := json.Marshal(document)
	if err != nil {
		return false, err
	}
	input, err := ast.ValueFromReader(strings.NewReader(string(text)))
	if err != nil {
		return false, err
	}
	raw, err := answerOf(query, input)
	if err != nil {
		return false, fmt.Errorf("OPA does not decide %s: %w", text, err)
	}
	answered := own.Answer(document, reused)
	verdict, judged := own.Judge(document)
	if errors.Is(answered, table.ErrOutside) || errors.Is(judged, table.ErrOutside) {
		return true, nil
	}
	if err := errors.Join(answered, judged); err != nil {
		return false, fmt.Errorf("the table does not decide %s, and OPA decides %v: %w", text, raw, err)
	}
	if got := valueOfDecision(reused); got.Compare(raw) != 0 {
		return false, fmt.Errorf("the table decides %v, and OPA %v, on %s", got, raw, text)
	}
	if whole := reused.Verdict(); verdict.Admit != whole.Admit || verdict.Reason != whole.Reason || verdict.Action != whole.Action || !slices.Equal(verdict.Effects(), whole.Effects()) {
		return false, fmt.Errorf("the verdict is %+v, and the decision %+v, on %s", verdict, reused, text)
	}
	return false, nil
}

// valueOfDecision is a decision as a gate answers it.
func valueOfDecision(d *table.Decision) ast.Value {
	item := func(name string, value *ast.Term) [2]*ast.Term { return ast.Item(ast.InternedTerm(name), value) }
	violations, effects, unknown := ast.NewArray(), ast.NewArray(), ast.NewArray()
	for _, v := range d.Violations {
		violations = violations.Append(ast.ObjectTerm(item("reason", ast.StringTerm(v.Reason)), item("observed", termOfValue(v.Observed)), item("limit", termOfValue(v.Limit))))
	}
	for _, e := range d.Effects {
		effects = effects.Append(ast.ObjectTerm(item("plane", ast.StringTerm(e.Plane)), item("counter", ast.StringTerm(e.Counter)), item("delta", ast.NumberTerm(json.Number(fmt.Sprint(e.Delta))))))
	}
	for _, name := range d.Unknown {
		unknown = unknown.Append(ast.StringTerm(name))
	}
	return ast.NewObject(item("gate", ast.StringTerm(d.Gate)), item("admit", ast.BooleanTerm(d.Admit)), item("reason", ast.StringTerm(d.Reason)), item("action", ast.StringTerm(d.Action)),
		item("violations", ast.NewTerm(violations)), item("effects", ast.NewTerm(effects)), item("unknown", ast.NewTerm(unknown)))
}

func termOfValue(v inputs.Value) *ast.Term {
	switch v.Kind {
	case inputs.KindNumber:
		return ast.NumberTerm(json.Number(v.String()))
	case inputs.KindFlag:
		return ast.BooleanTerm(v.Flag)
	case inputs.KindText:
		return ast.StringTerm(v.Text)
	}
	return ast.NullTerm()
}

func (d *difference) total() (sum differenceOf) {
	for _, own := range d.counts {
		sum.documents += own.documents
		sum.admitted += own.admitted
		sum.outside += own.outside
		sum.mismatches += own.mismatches
	}
	return sum
}

// report prints a line a gate, and wants both kinds of decisions seen and nothing left to OPA.
func (d *difference) report(t *testing.T, what string) {
	lines := fmt.Sprintf("%s\n%-12s %12s %12s %12s %12s", what, "gate", "documents", "admitted", "outside", "mismatches")
	for _, gate := range d.gates {
		own := d.counts[gate]
		lines += fmt.Sprintf("\n%-12s %12d %12d %12d %12d", gate, own.documents, own.admitted, own.outside, own.mismatches)
		if own.admitted == 0 || own.admitted == own.documents || own.outside > 0 {
			t.Errorf("gate %s: %+v", gate, *own)
		}
	}
	sum := d.total()
	t.Logf("%s\n%-12s %12d %12d %12d %12d", lines, "all", sum.documents, sum.admitted, sum.outside, sum.mismatches)
}
