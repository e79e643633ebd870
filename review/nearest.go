package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Nearest finds the smallest change of a document's signals that turns its decision over: with the fewest signals changed,
// and then the smallest distance. A signal that is known stays known, since to lose it is no way to be admitted or
// rejected that says how near the document was; of a document that is admitted, what is unknown stays so. Every other
// field stays as it is.
//
// Its error is that of a document that cannot be decided, or that of ctx. What could not be proved is in the result.
func Nearest(ctx context.Context, side Side, document inputs.Document, o Options) (Counterfactual, error) {
	t, err := newTurning(ctx, side, document, o.filled())
	if err != nil {
		return Counterfactual{}, err
	}
	made := Counterfactual{Admit: !t.was.Admit, Fixed: t.fixedReasons()}
	flat, found := t.find()
	made.Proof = t.proof
	if found {
		made.Signals, err = t.turned(&flat)
	} else {
		t.any()
		if flat, found = t.find(); found {
			made.Fields, err = t.turned(&flat)
		}
		made.Beyond = &t.proof
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return made, err
}

// turning looks for the documents nearest to one that are decided the other way.
type turning struct {
	*closest
	side    Side
	gate    engine.Gate
	table   *table.Gate // nil where OPA decides
	was     engine.Decision
	kept    func(flat *inputs.Flat) bool // whether what may not change is as it was
	keeps   bool                         // what is known may not be lost
	options Options
	proof   Proof
	edges   []int64
}

func newTurning(ctx context.Context, side Side, document inputs.Document, o Options) (*turning, error) {
	explained, err := side.Program.Explain(ctx, document)
	if err != nil {
		return nil, err
	}
	t := &turning{side: side, table: side.Program.Table(document.Gate()), was: explained.Decision, options: o, closest: &closest{ctx: ctx}}
	t.gate, _ = side.Program.Gate(document.Gate())
	if !inputs.Flatten(document, &t.nominal) {
		return nil, fmt.Errorf("gate %s: its documents have more fields than can be searched", t.gate.Name)
	}
	var tables []*table.Gate
	if t.table != nil {
		tables = append(tables, t.table)
	}
	if t.space, err = newSpace(t.gate.Name, t.gate.Properties, tables, &t.nominal, nil, side.Program.Schemas()); err != nil {
		return nil, err
	}
	t.edges = edgesOfExplanation(explained, t.space, &t.nominal)
	t.wanted = t.turns
	t.signals()
	return t, nil
}

// edgesOfExplanation are the numbers that a document's checks compare with, and those of the document.
func edgesOfExplanation(e engine.Explanation, s *space, nominal *inputs.Flat) []int64 {
	var edges []int64
	for _, check := range e.Checks {
		if check.Limit.Kind == inputs.KindNumber {
			edges = append(edges, check.Limit.Number)
		}
		for _, source := range check.Reads {
			if number, ok := source.Value.(int64); ok {
				edges = append(edges, number)
			}
		}
	}
	for i, place := range s.places {
		if place.Kind == inputs.KindNumber && nominal.Known>>i&1 == 1 {
			edges = append(edges, nominal.Numbers[place.Slot])
		}
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// signals lets nothing but signals change, none that is known be lost, and none of an admitted document be found.
func (t *turning) signals() {
	t.keeps = true
	t.free = func(i int) bool {
		return t.space.places[i].Signal && (!t.was.Admit || t.nominal.Known>>i&1 == 1)
	}
	t.begin()
}

// any lets everything change.
func (t *turning) any() {
	t.keeps, t.free = false, func(int) bool { return true }
	t.begin()
}

func (t *turning) begin() {
	var fixed []int
	var known uint64
	for i := range t.space.places {
		switch {
		case !t.free(i):
			fixed = append(fixed, i)
		case t.keeps:
			known |= t.nominal.Known & (1 << i)
		}
	}
	t.kept = func(flat *inputs.Flat) bool {
		return flat.Known&known == known && !slices.ContainsFunc(fixed, func(i int) bool { return t.space.off(flat, &t.nominal, i) })
	}
	t.proof = Proof{By: BySearch, Why: "it was searched for"}
	t.candidates(t.edges)
}

// turns reports whether a document is decided the other way, with no other field changed than may.
func (t *turning) turns(flat *inputs.Flat) bool {
	violated, ok := t.violated(flat)
	return ok && (violated == 0) != t.was.Admit
}

// violated counts the checks that reject a document; false where it is none that may be told.
func (t *turning) violated(flat *inputs.Flat) (int, bool) {
	if !t.kept(flat) {
		return 0, false
	}
	document := t.space.document(flat)
	if document == nil {
		return 0, false
	}
	t.proof.Cells++
	if t.table == nil {
		decision, err := t.side.Program.Ask(t.ctx, document)
		return len(decision.Violations), err == nil
	}
	e := t.table.Examine(flat)
	switch {
	case e.Result == table.Outside:
		return 0, false
	case int(e.Result) >= len(t.table.Program().Checks):
		return 0, true
	}
	return max(1, len(named(t.table.Program().Checks, e.Violated))), true
}

// find finds the nearest document that is decided the other way, and says in proof whether there can be no nearer one.
func (t *turning) find() (inputs.Flat, bool) {
	n := &nearestOf{turning: t}
	for i := range t.values {
		own := slices.Clone(t.values[i])
		if t.space.places[i].Kind == inputs.KindText {
			slices.Reverse(own) // a name that nobody knows first, and not one that means something else
		}
		for _, flat := range own {
			n.consider(flat)
		}
	}
	if t.table != nil {
		t.byCells(n)
	}
	if !n.found {
		if flat, ok := t.greedy(); ok {
			n.consider(flat)
		}
	}
	if !t.proof.Complete && t.table != nil && t.options.Solver != "" {
		t.bySolver(n)
	}
	t.weaken(n)
	return n.flat, n.found
}

// weaken makes numbers that were not known as bad as they may be: what matters is what they must not be beyond, and any
// value is as near as another.
func (t *turning) weaken(n *nearestOf) {
	for i, place := range t.space.places {
		worse := t.gate.Worse[place.Name]
		if !n.found || t.was.Admit || worse == "" || t.nominal.Known>>i&1 == 1 || n.flat.Known>>i&1 == 0 {
			continue
		}
		worst := map[engine.Direction]int64{engine.Higher: place.High, engine.Lower: place.Low}[worse]
		end := n.flat
		end.Numbers[place.Slot] = worst
		if !t.turns(&end) { // else nothing is asked of it but to be known
			n.flat.Numbers[place.Slot] = t.last(n.flat, place.Slot, worst)
		}
	}
}

// nearestOf keeps the nearest document that turned up.
type nearestOf struct {
	*turning
	flat     inputs.Flat
	found    bool
	distance distance
}

// consider keeps a document if it is decided the other way and nearer than what was there, and says whether it is.
func (n *nearestOf) consider(flat inputs.Flat) bool {
	if !n.turns(&flat) {
		return false
	}
	flat = n.polish(flat)
	if d := n.space.from(&flat, &n.nominal); !n.found || d.less(n.distance) {
		n.flat, n.found, n.distance = flat, true, d
	}
	return true
}

// greedy changes one field after the other, each so that the fewest checks reject, until none does.
func (t *turning) greedy() (inputs.Flat, bool) {
	at := t.nominal
	least, _ := t.violated(&at)
	for t.ctx.Err() == nil {
		next, fewer := at, least
		for i := range t.values {
			for k := range t.values[i] {
				tried := at
				t.space.take(&tried, &t.values[i][k], i)
				count, ok := t.violated(&tried)
				nearer := t.space.from(&tried, &t.nominal).less(t.space.from(&next, &t.nominal))
				if ok && (count < fewer || count == fewer && fewer < least && nearer) {
					next, fewer = tried, count
				}
			}
		}
		switch {
		case t.turns(&next):
			return next, true
		case fewer >= least:
			return next, false
		}
		at, least = next, fewer
	}
	return at, false
}
