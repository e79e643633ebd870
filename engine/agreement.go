package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// ErrDisagreement is a table that decided a document otherwise than OPA did: OPA decides the gate then.
var ErrDisagreement = errors.New("the table and OPA disagree")

// atLoad is how much of a table every load holds against OPA, and thorough what check --deep does. A document costs OPA
// half a millisecond.
var (
	atLoad   = table.Effort{Draws: 3000, Most: 48}
	thorough = table.Effort{Draws: 30_000, Every: true}
)

// Agreement is what came of holding the tables of a program against OPA.
type Agreement struct {
	Gate      string
	Documents int   // that both decided, each with OPA's rule index and without it
	Outside   int   // of them, those that the table leaves to OPA
	Err       error // an [ErrDisagreement], or why nothing was compared
}

// Deepen holds every table against OPA on every document that the table knows to be telling: each outcome, and around
// each every field on both sides of every threshold, at the ends of its range, null and absent. It takes seconds.
func (p *Program) Deepen(ctx context.Context) []Agreement {
	var all []Agreement
	for _, name := range p.Gates() {
		gate := p.gates[name]
		own := Agreement{Gate: name, Err: gate.why}
		if gate.table != nil {
			own.Documents, own.Outside, own.Err = p.agree(ctx, gate, thorough, true)
		}
		all = append(all, own)
	}
	return all
}

// agree holds a table against OPA; the error is an [ErrDisagreement], or that of ctx.
func (p *Program) agree(ctx context.Context, gate *gate, effort table.Effort, indexToo bool) (documents, outside int, err error) {
	defer func() {
		if caught := recover(); caught != nil { // a table that panics here would do so for a caller
			err = fmt.Errorf("%w: gate %s: the table panicked: %v", ErrDisagreement, gate.name, caught)
		}
	}()
	var schemas []*inputs.Schema
	if own := p.schemas[gate.name]; own != nil {
		schemas = append(schemas, own)
	}
	found := gate.table.Directed(effort)
	for i := range found {
		if err := ctx.Err(); err != nil {
			return documents, outside, err
		}
		document, err := found[i].Document(gate.name, schemas...)
		if err != nil {
			return documents, outside, fmt.Errorf("%w: gate %s: a document that the table thinks valid is not: %w", ErrDisagreement, gate.name, err)
		}
		wanted, err := p.ask(ctx, gate, document)
		if errors.Is(err, ErrTimeout) {
			return documents, outside, err
		}
		documents++
		left, err := held(gate, document, wanted)
		if left {
			outside++
		}
		if err == nil && indexToo {
			wanted, _ = p.ask(ctx, gate, document, rego.EvalRuleIndexing(false))
			_, err = held(gate, document, wanted)
		}
		if err != nil {
			return documents, outside, err
		}
	}
	return documents, outside, nil
}

// held holds what a table says of a document against what OPA says; left is true where the table leaves it to OPA.
func held(gate *gate, document inputs.Document, wanted Decision) (left bool, err error) {
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
