package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

// tabulate gives every gate a table that can have one, and lets none decide that does not agree with OPA.
func (p *Program) tabulate(ctx context.Context, compiler *ast.Compiler) {
	data, _ := p.tree.Value().(map[string]any)
	for _, gate := range p.gates {
		plan, err := planOf(ctx, compiler, gate.name)
		if err == nil {
			gate.tried, err = tabulate.Gate(ctx, gate.name, plan, p.described[gate.name].Properties, data)
		}
		if err == nil {
			p.tell(gate)
			gate.table, err = gate.tried.Program.Bind(data, p.revision)
		}
		if err == nil {
			_, _, err = p.agree(ctx, gate, atLoad, false)
		}
		if gate.why = err; err != nil {
			gate.table = nil
		}
	}
	p.core = coreGates{p.gates["fence"], p.gates["fence.retry"], p.gates["fence.bind"], p.gates["compaction"], p.gates["fanout"]}
}

// tell says where the rows and the thresholds of a program were written.
func (p *Program) tell(gate *gate) {
	program := gate.tried.Program
	for i := range program.Checks {
		check := &program.Checks[i]
		for _, row := range p.described[gate.name].Checks {
			if row.Reason == check.Reason && (check.At.File == "" || row.Action == check.Action) {
				check.At = table.Origin{File: row.File, Line: row.Line}
			}
		}
	}
	for i := range program.Constants {
		constant := &program.Constants[i]
		if found, _ := p.tree.Find(constant.Path); constant.Path != nil && found.Kind == thresholds.Scalar {
			constant.At = table.Origin{File: found.At.File, Line: found.At.Line}
		}
	}
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
	if p == nil {
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
