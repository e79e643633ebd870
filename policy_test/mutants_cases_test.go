package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/stretchr/testify/require"
)

func parseRego(name, text string) (*ast.Module, error) {
	return ast.ParseModuleWithOpts(name, text, ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
}

func storeOf(tree thresholds) storage.Store {
	text, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return inmem.NewFromReaderWithOpts(bytes.NewReader(text), inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
}

func valueOf(t testing.TB, text []byte) ast.Value {
	t.Helper()
	value, err := ast.ValueFromReader(bytes.NewReader(text))
	require.NoError(t, err)
	return value
}

// decisionValue is a decision as a gate answers it.
func decisionValue(t testing.TB, d decision) ast.Value {
	violations, effects := []any{}, []any{}
	for _, v := range d.Violations {
		violations = append(violations, map[string]any{"reason": v.Reason, "observed": v.Observed, "limit": v.Limit})
	}
	for _, e := range d.Effects {
		effects = append(effects, map[string]any{"plane": e.Plane, "counter": e.Counter, "delta": e.Delta})
	}
	text, err := json.Marshal(map[string]any{"gate": d.Gate, "admit": d.Admit, "reason": d.Reason, "action": d.Action,
		"violations": violations, "effects": effects, "unknown": d.Unknown})
	require.NoError(t, err)
	return valueOf(t, text)
}

// storeUnder is a set's store, with the mutated thresholds where thresholds are mutated.
func (p *patient) storeUnder(set caseSet) storage.Store {
	if p.base == nil {
		return set.store
	}
	return storeOf(overlaid(p.base, set.overlay))
}

// decide wants each case decided as it was.
func (p *patient) decide(sets []caseSet) string {
	for _, set := range sets {
		var store storage.Store
		queries := map[string]rego.PreparedEvalQuery{}
		for _, c := range set.cases {
			if !slices.Contains(p.gates, c.gate) {
				continue
			}
			if store == nil {
				store = p.storeUnder(set)
			}
			query, ok := queries[c.gate]
			if !ok {
				var err error
				if query, err = prepareGate(p.compiler, store, c.gate); err != nil {
					return err.Error()
				}
				queries[c.gate] = query
			}
			if got, err := answerOf(query, c.input); err != nil {
				return c.name + ": " + err.Error()
			} else if got.Compare(c.want) != 0 {
				return fmt.Sprintf("%s: %v, not %v", c.name, got, c.want)
			}
		}
	}
	return ""
}

func prepareGate(compiler *ast.Compiler, store storage.Store, gate string) (rego.PreparedEvalQuery, error) {
	keep := func(term *ast.Term, _ *rego.EvalContext) (any, error) { return term.Value, nil }
	return rego.New(rego.Compiler(compiler), rego.Store(store), rego.Query("data.admission."+gate+".decision"),
		rego.GenerateJSON(keep)).PrepareForEval(context.Background())
}

func answerOf(query rego.PreparedEvalQuery, input ast.Value) (ast.Value, error) {
	results, err := query.Eval(context.Background(), rego.EvalParsedInput(input))
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("%d results", len(results))
	}
	return results[0].Expressions[0].Value.(ast.Value), nil
}

// The Rego tests that damage every field of a document take as long as all others together.
const slowTests, quickTests = `\.test_malformed`, `\.test_([^m]|m[^a]|ma[^l])`

// regoTests runs the Rego tests that import what the mutant can touch, until the first that fails.
func (p *patient) regoTests(names string) string {
	if p.base != nil {
		return "" // Rego tests bring thresholds of their own
	}
	modules := p.touched()
	imported := map[string][]string{} // by package: its files share what one of them imports
	for _, test := range p.s.tests {
		for _, each := range test.Imports {
			imported[test.Package.String()] = append(imported[test.Package.String()], strings.TrimPrefix(each.Path.String(), "data.admission."))
		}
	}
	for name, test := range p.s.tests {
		imports := imported[test.Package.String()]
		own := slices.ContainsFunc(imports, func(name string) bool { return name == guardPackage || slices.Contains(gates(), name) })
		mine := func(name string) bool { return name == p.s.gateOf(p.m.file) || slices.Contains(p.gates, name) }
		if !own || slices.ContainsFunc(imports, mine) {
			modules[name] = test
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := p.s.cases[0].store
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return err.Error()
	}
	defer store.Abort(ctx, txn)
	results, err := tester.NewRunner().SetParallel(1).Filter(names).SetStore(store).SetModules(modules).SetTimeout(time.Minute).RunTests(ctx, txn)
	if err != nil {
		return err.Error()
	}
	how := ""
	for result := range results {
		if how == "" && !result.Pass() {
			how = result.Package + "." + result.Name
			cancel()
		}
	}
	return how
}
