package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// trial is a gate of one check, which is violated unless the rule fits holds. Its rules need pass no lint: what OPA
// compiles must be tabulated right, or not at all.
type trial struct {
	name  string
	rules string // the rule fits, and what it needs; rules named shown replace what the violation shows
	// unsupported is the construct that keeps the gate from a table, "" where it has one.
	unsupported string
	// outside is whether some documents are left to OPA.
	outside bool
	// more are properties beside those of every trial.
	more []inputs.Property
}

// trialHead is the rest of the gate.
const trialHead = `package admission.trial

import data.admission.guard

# METADATA
# custom:
#   reason: unfit
#   action: stop
violated contains rego.metadata.rule().custom if not fits

# METADATA
# custom:
#   reason: held
#   action: wait
violated contains rego.metadata.rule().custom if input.count == 3

default shown := null

default bound := null

observed["unfit"] := shown

limit["unfit"] := bound

unknown contains "x" if input.x == null

unknown contains "y" if input.y == null

ranked := guard.ranked(violated, ["unfit"])

default decision := {
	"gate": "trial",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "trial",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": unknown,
	"admit": {"reason": "admit", "action": "go", "effects": []},
})

`

// trialFirstLine is the line of the first of a trial's own rules.
var trialFirstLine = strings.Count(trialHead, "\n") + 1

// trialProperties are fields of every kind, at the ends of what fields can be.
func trialProperties() []inputs.Property {
	const most = 1<<53 - 1
	return []inputs.Property{
		{Name: "count", Kind: inputs.KindNumber, Required: true, High: 1 << 20},
		{Name: "name", Kind: inputs.KindText, Required: true},
		{Name: "x", Kind: inputs.KindNumber, Required: true, Signal: true, High: 1 << 20},
		{Name: "y", Kind: inputs.KindNumber, Signal: true, Low: -1 << 40, High: 1 << 40},
		{Name: "v", Kind: inputs.KindNumber, Required: true, Low: -most, High: most},
		{Name: "w", Kind: inputs.KindNumber, Low: 0, High: most},
		{Name: "other", Kind: inputs.KindText},
		{Name: "kind", Kind: inputs.KindText, Signal: true, Words: []string{"free", "paid", "trial"}},
		{Name: "on", Kind: inputs.KindFlag, Signal: true},
		{Name: "off", Kind: inputs.KindFlag},
		{Name: "box", Object: true},
		{Name: "box.n", Kind: inputs.KindNumber, Required: true, High: 100},
		{Name: "box.m", Kind: inputs.KindNumber, Signal: true, High: 100},
		{Name: "box.tag", Kind: inputs.KindText},
	}
}

// trialData are thresholds of every kind.
func trialData() map[string]any {
	return map[string]any{"trial": map[string]any{
		"low": int64(3), "high": int64(10), "zero": int64(0), "huge": int64(1 << 60), "vast": map[string]any{"a": int64(1 << 60)}, "negative": int64(-7), "version": int64(1<<53 - 1),
		"enabled": true, "disabled": false, "mode": "strict",
		"words": []any{"a", "b", "paid"}, "empty": []any{}, "numbers": []any{int64(1), int64(2), int64(3)},
		"rows": map[string]any{
			"a": map[string]any{"limit": int64(5), "enabled": true, "tier": "gold", "needs": []any{"x", "y"}, "nested": map[string]any{"deep": int64(2)}},
			"b": map[string]any{"limit": int64(8), "enabled": false, "tier": "tin", "needs": []any{}, "own": int64(4)},
			"c": map[string]any{"tier": "gold", "needs": []any{"y"}, "nested": map[string]any{"deep": int64(-2)}},
		},
		"mixed": map[string]any{"a": int64(1), "b": "word"},
		"plain": map[string]any{"a": int64(1), "b": int64(70)},
		"none":  map[string]any{},
	}, "dotted": map[string]any{"a.b": map[string]any{"n": int64(2)}, "a": map[string]any{"b": map[string]any{"n": int64(1)}}}}
}

// try makes the trial a program of its own, past our load: its gate is as it would be after one.
func (c trial) try(t testing.TB, data map[string]any) (*Program, *gate, *tabulate.Result) {
	t.Helper()
	guard, err := policies.Files.ReadFile("guard/guard.rego")
	require.NoError(t, err)
	compiler, err := ast.CompileModulesWithOpt(map[string]string{"guard.rego": string(guard), "trial.rego": trialHead + c.rules}, ast.CompileOpts{ParserOptions: ast.ParserOptions{ProcessAnnotation: true}})
	require.NoError(t, err)
	properties := append(trialProperties(), c.more...)
	schema, err := inputs.NewSchema("trial", properties)
	require.NoError(t, err)
	stored := numbers(copied(data)).(map[string]any)
	store := inmem.NewFromObjectWithOpts(stored, inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
	query, err := rego.New(rego.Compiler(compiler), rego.Store(store), rego.Query("data.admission.trial.decision"),
		rego.StrictBuiltinErrors(true), rego.GenerateJSON(keepTerm)).PrepareForEval(t.Context())
	require.NoError(t, err)
	own := &gate{name: "trial", query: query}
	p := &Program{gates: map[string]*gate{"trial": own}, schemas: map[string]*inputs.Schema{"trial": schema}, timeout: time.Minute}
	plan, err := planOf(t.Context(), compiler, "trial")
	require.NoError(t, err)
	result, err := tabulate.Gate(t.Context(), "trial", plan, properties, data)
	if err == nil {
		own.table, err = result.Program.Bind(data, nil, "")
	}
	own.why = err
	return p, own, result
}

// copied is a value that shares nothing with another.
func copied(value any) any {
	switch value := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for key, inner := range value {
			made[key] = copied(inner)
		}
		return made
	case []any:
		made := make([]any, len(value))
		for i, inner := range value {
			made[i] = copied(inner)
		}
		return made
	}
	return value
}

// requireAgreement holds the table of a trial against OPA: on documents that the table thinks telling, and on others
// that know nothing of it. It counts the documents that the table leaves to OPA.
func requireAgreement(t testing.TB, p *Program, own *gate, random int) (outside int) {
	t.Helper()
	found := p.agree(t.Context(), own, table.Effort{Draws: 500, Most: 60, Every: true}, true)
	require.NoError(t, found.Err)
	outside = found.Outside
	draw := &drawing{random: rand.New(rand.NewPCG(20261130, 1)), schema: p.schemas["trial"]}
	for range random {
		document := draw.document(t)
		left, err := requireSame(t.Context(), p, own, document)
		require.NoError(t, err)
		if left {
			outside++
		}
	}
	return outside
}

// requireSame holds Answer and Judge against OPA, each alone: a table may leave one of them to OPA, and not the other.
func requireSame(ctx context.Context, p *Program, own *gate, document inputs.Document) (left bool, err error) {
	wanted, _ := p.ask(ctx, own, document)
	left, err = held(own, document, wanted)
	if err != nil {
		return left, err
	}
	verdict, err := own.table.Judge(document)
	switch {
	case err == nil && left && !verdict.Admit && wanted.Reason == ReasonError:
		return left, nil // what the decision would show is no number that a decision holds
	case errors.Is(err, table.ErrOutside):
		return true, nil
	case err != nil && wanted.Reason != ReasonError, err == nil && !sameVerdict(verdict, wanted):
		return left, fmt.Errorf("%w: the verdict is %+v, %w, and OPA's decision %s, on %s", ErrDisagreement, verdict, err, printed(wanted), printed(document))
	}
	return left, nil
}

// drawing draws valid documents of a schema.
type drawing struct {
	random *rand.Rand
	schema *inputs.Schema
}

func (d *drawing) document(t testing.TB) inputs.Document {
	t.Helper()
	values, objects := map[string]inputs.Value{}, map[string]bool{}
	for _, property := range d.schema.Properties() {
		object, _, nested := strings.Cut(property.Name, ".")
		absent := !property.Required && d.random.IntN(4) == 0
		switch {
		case property.Object:
			objects[property.Name] = !absent
		case nested && !objects[object], absent:
		case property.Signal && d.random.IntN(5) == 0:
			values[property.Name] = inputs.Value{}
		default:
			values[property.Name] = d.value(property)
		}
	}
	document, err := d.schema.Document(values)
	require.NoError(t, err)
	return document
}

// value is near what the trials compare with, at an end of the range, or anywhere.
func (d *drawing) value(p inputs.Property) inputs.Value {
	switch p.Kind {
	case inputs.KindFlag:
		return inputs.Value{Kind: inputs.KindFlag, Flag: d.random.IntN(2) == 0}
	case inputs.KindText:
		words := p.Words
		if words == nil {
			words = []string{"a", "b", "c", "x", "y", "paid", "gold", "a b", "ab", "z"}
		}
		return inputs.Value{Kind: inputs.KindText, Text: words[d.random.IntN(len(words))]}
	}
	number := []int64{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 20, 30, 100}[d.random.IntN(15)]
	switch d.random.IntN(6) {
	case 0:
		number = p.Low + d.random.Int64N(3)
	case 1:
		number = p.High - d.random.Int64N(3)
	case 2:
		number = p.Low + d.random.Int64N(p.High-p.Low+1)
	case 3:
		number = int64(1)<<d.random.IntN(53) + d.random.Int64N(3) - 1
	case 4:
		number = -number
	}
	return inputs.Value{Kind: inputs.KindNumber, Number: min(max(number, p.Low), p.High)}
}

// requireTrials runs trials, each against OPA.
func requireTrials(t *testing.T, trials []trial) {
	for _, c := range trials {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, own, _ := c.try(t, trialData())
			if c.unsupported != "" {
				var unsupported *tabulate.Unsupported
				require.ErrorAs(t, own.why, &unsupported)
				require.Contains(t, unsupported.Construct, c.unsupported)
				require.NotContains(t, unsupported.Construct, "mistake")
				return
			}
			require.NoError(t, own.why)
			outside := requireAgreement(t, p, own, 100)
			require.Equal(t, c.outside, outside > 0, "%d documents are left to OPA", outside)
		})
	}
}
