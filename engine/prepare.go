package engine

import (
	"context"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/admitctl/admitctl/thresholds"
)

// prepare readies a query for each gate, and proves that it rejects an empty document. Of a gate that has problems
// already, the proof would only tell them again.
func (p *Program) prepare(ctx context.Context, s *source, compiler *ast.Compiler, tree *thresholds.Tree, found *problems) {
	store := newStore(tree)
	blamed := s.blamed(found)
	for _, name := range gateNames(s) {
		if blamed["admission."+name] || blamed[guardPackage] {
			continue
		}
		query, err := rego.New(rego.Compiler(compiler), rego.Store(store), rego.Query("data.admission."+name+".decision"),
			rego.StrictBuiltinErrors(true), rego.GenerateJSON(keepTerm)).PrepareForEval(ctx)
		if err != nil {
			found.add(Problem{File: s.root, Problem: "gate " + name + ": " + err.Error(), Kind: ErrEntrypoint})
			continue
		}
		p.gates[name] = &gate{name: name, query: query}
		term, err := evaluate(ctx, query, ast.NewObject(), max(p.timeout, proofTimeout))
		var decision Decision
		if err == nil {
			decision, err = readDecision(name, term)
		}
		if err == nil && (decision.Admit || decision.Reason != ReasonInvalidInput) {
			err = fmt.Errorf("%w: it answers %q", ErrEvaluation, decision.Reason)
		}
		if err != nil {
			found.add(Problem{File: s.root, Problem: "gate " + name + " does not reject an empty document as invalid_input: " + err.Error(), Mend: "keep the row invalid_input, whose check wants every required field", Kind: ErrEntrypoint})
		}
	}
}

// newStore holds the thresholds as OPA reads them.
func newStore(tree *thresholds.Tree) storage.Store {
	data, _ := numbers(tree.Value()).(map[string]any)
	return inmem.NewFromObjectWithOpts(data, inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
}

// numbers turns the thresholds into what OPA's store takes: json.Number for numbers.
func numbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = numbers(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = numbers(inner)
		}
	case int64:
		return jsonNumber(value)
	}
	return value
}
