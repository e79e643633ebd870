package engine

import (
	"errors"
	"slices"

	"github.com/admitctl/admitctl/engine/tabulate"
)

// warnTables tells of every gate that OPA decides, and why no table does.
func (p *Program) warnTables(texts map[string][]byte) []Problem {
	w := &problems{texts: texts}
	for _, name := range p.Gates() {
		if why := p.gates[name].why; why != nil {
			w.add(p.warnTable(name, why))
		}
	}
	return w.told()
}

func (p *Program) warnTable(gate string, why error) Problem {
	at := p.described[gate]
	told := Problem{File: at.File, Line: at.Line, Column: 1, Problem: "gate " + gate + " is decided by OPA, not by a table: ", Kind: ErrTabulation}
	var unsupported *tabulate.Unsupported
	switch {
	case errors.Is(why, ErrDisagreement):
		told.Problem, told.Mend, told.Kind = why.Error(), "OPA decides the gate; report this, with these policies", ErrDisagreement
	case errors.As(why, &unsupported):
		told.Problem += unsupported.What()
		if unsupported.At.File != "" {
			told.File, told.Line = unsupported.At.File, unsupported.At.Line
		}
	default:
		told.Problem += why.Error()
	}
	return told
}

// disagreements are the warnings that nobody may miss: a table decided otherwise than OPA.
func (p *Program) disagreements(texts map[string][]byte) []Problem {
	return slices.DeleteFunc(p.warnTables(texts), func(told Problem) bool { return !errors.Is(told.Kind, ErrDisagreement) })
}
