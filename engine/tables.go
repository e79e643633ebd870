package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ir"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

// tabulate gives every gate a table that can have one, and lets none decide that does not agree with OPA.
func (p *Program) tabulate(ctx context.Context, r *rules) {
	own := *r // what it comes to under these thresholds is this program's
	own.plans, own.tables = map[string]*ir.Policy{}, map[string]*tabulate.Result{}
	maps.Copy(own.plans, r.plans)
	maps.Copy(own.tables, r.tables)
	p.rules = &own
	data, _ := p.tree.Value().(map[string]any)
	for _, gate := range p.gates {
		var err error
		gate.table, err = p.tabulated(ctx, gate.name, data)
		if err == nil {
			err = p.agree(ctx, gate, atLoad, false).Err
		}
		if gate.why = err; err != nil {
			gate.table = nil
		}
	}
	p.findCore()
}

func (p *Program) findCore() {
	p.core = coreGates{p.gates["fence"], p.gates["fence.retry"], p.gates["fence.bind"], p.gates["compaction"], p.gates["fanout"]}
}

// tabulated is the table of a gate, by the program of an earlier load where that holds for these thresholds too.
func (p *Program) tabulated(ctx context.Context, gate string, data map[string]any) (*table.Gate, error) {
	r := p.rules
	if known := r.tables[gate]; known != nil && known.Holds(data) {
		if bound, err := known.Program.Bind(data, p.origin, p.revision); err == nil { // else its rows are of a new kind
			return bound, nil
		}
	}
	plan := r.plans[gate]
	if plan == nil {
		var err error
		if plan, err = planOf(ctx, r.compiler, gate); err != nil {
			return nil, err
		}
		r.plans[gate] = plan
	}
	result, err := tabulate.Gate(ctx, gate, plan, p.described[gate].Properties, data)
	if err != nil {
		return nil, err
	}
	p.tell(gate, result.Program)
	r.tables[gate] = result
	return result.Program.Bind(data, p.origin, p.revision)
}

// tell says where the rows of a program were written.
func (p *Program) tell(gate string, program *table.Program) {
	for i := range program.Checks {
		check := &program.Checks[i]
		for _, row := range p.described[gate].Checks {
			if row.Reason == check.Reason && (check.At.File == "" || row.Action == check.Action) {
				check.At, check.Title = table.Origin{File: row.File, Line: row.Line}, row.Title
			}
		}
	}
}

// origin is where a threshold was written.
func (p *Program) origin(path []string) table.Origin {
	if found, _ := p.tree.Find(path); found.Kind == thresholds.Scalar {
		return table.Origin{File: found.At.File, Line: found.At.Line}
	}
	return table.Origin{}
}

// Evaluator says what decides the documents of a gate.
type Evaluator struct {
	Gate  string
	Table bool  // a table does; else OPA
	Why   error // where OPA does: a [*tabulate.Unsupported], or a disagreement of the two
}

// String says in one line what decides the gate, and of OPA why.
func (e Evaluator) String() string {
	var unsupported *tabulate.Unsupported
	switch {
	case e.Table:
		return "decided by a table"
	case errors.As(e.Why, &unsupported):
		return "decided by OPA: " + unsupported.Where()
	case e.Why != nil:
		return "decided by OPA: " + e.Why.Error()
	}
	return "decided by OPA"
}

// Evaluators lists what decides the documents of each gate, by the gates' names.
func (p *Program) Evaluators() []Evaluator {
	if p = p.loaded(); p == nil {
		return nil
	}
	all := make([]Evaluator, 0, len(p.gates))
	for _, name := range p.Gates() {
		gate := p.gates[name]
		all = append(all, Evaluator{Gate: name, Table: gate.table != nil, Why: gate.why})
	}
	return slices.Clip(all)
}

// Table is the table of a gate, nil where it has none.
func (p *Program) Table(gate string) *table.Gate {
	if p == nil || p.gates[gate] == nil {
		return nil
	}
	return p.gates[gate].table
}
