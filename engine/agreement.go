package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// ErrDisagreement is a table that decided a document otherwise than OPA did: OPA decides the gate then.
var ErrDisagreement = errors.New("the table and OPA disagree")

// atLoad is how much of a table every load holds against OPA, and thorough what check --deep does. A document costs OPA
// half a millisecond.
var (
	atLoad   = table.Effort{Draws: 2000, Most: 32}
	thorough = table.Effort{Draws: 30_000, Every: true}
)

// Agreement is what came of holding the table of a gate against OPA.
type Agreement struct {
	Gate       string
	Table      bool  // there is one; else nothing was compared
	Documents  int   // that both decided, each with OPA's rule index and without it
	Outside    int   // of them, those that the table leaves to OPA
	Mismatches int   // of them, those that the two decide differently
	Err        error // the first mismatch (an [ErrDisagreement]), why not all was compared, or why there is no table
}

// Deepen holds the tables of some gates, or of all where none is named, against OPA on every document that the table
// knows to be telling: each outcome, and around each every field on both sides of every threshold, at the ends of its
// range, null and absent. It takes seconds on all cores, and stops when ctx ends. The same policies give the same
// agreements, in the order of the gates' names; a name of no gate is passed over.
func (p *Program) Deepen(ctx context.Context, gates ...string) []Agreement {
	p = p.loaded()
	var all []Agreement
	for _, name := range p.Gates() {
		if len(gates) == 0 || slices.Contains(gates, name) {
			all = append(all, p.deepen(ctx, p.gates[name]))
		}
	}
	return all
}

func (p *Program) deepen(ctx context.Context, gate *gate) (own Agreement) {
	defer caught(gate, &own.Err)
	own = Agreement{Gate: gate.name, Table: gate.table != nil, Err: gate.why}
	if gate.table == nil {
		return own
	}
	found := gate.table.Directed(thorough)
	all := make([]comparison, len(found))
	patient := p.patient()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(found)); i = next.Add(1) - 1 {
				all[i] = patient.compare(ctx, gate, &found[i], true)
			}
		})
	}
	workers.Wait()
	for _, one := range all {
		own.count(one)
	}
	return own
}

// count adds a comparison. A mismatch is told before whatever else kept a document from being compared.
func (a *Agreement) count(one comparison) {
	mismatch := errors.Is(one.err, ErrDisagreement)
	if one.err == nil || mismatch {
		a.Documents++
	}
	if one.outside {
		a.Outside++
	}
	if mismatch {
		a.Mismatches++
	}
	if a.Err == nil || mismatch && a.Mismatches == 1 {
		a.Err = one.err
	}
}

// agree holds a table against OPA, one document after the other, until the first mismatch.
func (p *Program) agree(ctx context.Context, gate *gate, effort table.Effort, indexToo bool) (own Agreement) {
	defer caught(gate, &own.Err)
	own = Agreement{Gate: gate.name, Table: true}
	patient := p.patient()
	found := gate.table.Directed(effort)
	for i := range found {
		if own.count(patient.compare(ctx, gate, &found[i], indexToo)); own.Err != nil {
			return own
		}
	}
	return own
}

// patient is the program with a time limit that says nothing of tables: what a service allows a decision may be too
// little for a busy machine that starts up.
func (p *Program) patient() *Program {
	own := *p
	own.timeout = max(p.timeout, proofTimeout)
	return &own
}

// comparison is what came of one document.
type comparison struct {
	outside bool  // the table leaves it to OPA
	err     error // an [ErrDisagreement], or an [ErrTimeout] where nothing was compared
}

// compare lets OPA decide a document, and holds the table against that; with indexToo once more without OPA's rule
// index, which must not matter.
func (p *Program) compare(ctx context.Context, gate *gate, flat *inputs.Flat, indexToo bool) (one comparison) {
	defer caught(gate, &one.err)
	var schemas []*inputs.Schema
	if own := p.schemas[gate.name]; own != nil {
		schemas = append(schemas, own)
	}
	document, err := flat.Document(gate.name, schemas...)
	if err != nil {
		return comparison{err: fmt.Errorf("%w: gate %s: a document that the table thinks valid is not: %w", ErrDisagreement, gate.name, err)}
	}
	ways := [][]rego.EvalOption{nil}
	if indexToo {
		ways = append(ways, []rego.EvalOption{rego.EvalRuleIndexing(false)})
	}
	for _, way := range ways {
		wanted, err := p.ask(ctx, gate, document, way...)
		if errors.Is(err, ErrTimeout) {
			return comparison{err: err}
		}
		if one.outside, one.err = held(gate, document, wanted); one.err != nil {
			return one
		}
	}
	return one
}

// caught makes a panic of a table, which a caller would get too, into a disagreement.
func caught(gate *gate, err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%w: gate %s: the table panicked: %v", ErrDisagreement, gate.name, cause)
	}
}

// held holds what a table says of a document against what OPA says; left is true where the table leaves it to OPA.
func held(gate *gate, document inputs.Document, wanted Decision) (left bool, err error) {
	defer caught(gate, &err)
	var got Decision
	err = gate.table.Answer(document, &got)
	var verdict Verdict
	if err == nil {
		verdict, err = gate.table.Judge(document)
	}
	switch {
	case errors.Is(err, table.ErrOutside):
		return true, nil
	case err != nil && wanted.Reason == ReasonError:
		return false, nil // both refuse
	case err != nil:
		return false, fmt.Errorf("%w: gate %s: %w, and OPA decides %s, on %s", ErrDisagreement, gate.name, err, printed(wanted), printed(document))
	case !sameDecision(got, wanted) || !sameVerdict(verdict, wanted):
		return false, fmt.Errorf("%w: gate %s: the table decides %s, and OPA %s, on %s", ErrDisagreement, gate.name, printed(got), printed(wanted), printed(document))
	}
	return false, nil
}

func sameDecision(a, b Decision) bool {
	return a.Gate == b.Gate && a.Admit == b.Admit && a.Reason == b.Reason && a.Action == b.Action &&
		slices.Equal(a.Violations, b.Violations) && slices.Equal(a.Effects, b.Effects) && slices.Equal(a.Unknown, b.Unknown)
}

func sameVerdict(v Verdict, d Decision) bool {
	return v.Admit == d.Admit && v.Reason == d.Reason && v.Action == d.Action && slices.Equal(v.Effects(), d.Effects)
}

func printed(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
