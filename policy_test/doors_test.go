package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// gates in the order of the documentation.
func gates() []string { return []string{"fence", "fence.retry", "fence.bind", "compaction", "fanout"} }

// doors are two ways to one decision: the typed door is what a service calls, the raw door is OPA's evaluator as the
// stock binary runs it, with a map as input and nothing of ours between.
type doors struct {
	program *engine.Program
	raw     map[string]rego.PreparedEvalQuery
}

// open opens both doors on the same rules and thresholds.
func open(t testing.TB, overlay string) *doors {
	t.Helper()
	d, err := openFiles(policies.Files, overlay)
	require.NoError(t, err)
	return d
}

func openFiles(files fs.FS, overlay string) (*doors, error) {
	ctx := context.Background()
	options := []engine.Option{engine.Timeout(time.Minute)} // a loaded machine is no finding
	if overlay != "" {
		options = append(options, engine.Overlay("overlay.yaml", []byte(overlay)))
	}
	program, err := engine.Compile(ctx, files, options...)
	if err != nil {
		return nil, err
	}
	compiler, err := stockCompiler(files)
	if err != nil {
		return nil, err
	}
	d := &doors{program: program, raw: map[string]rego.PreparedEvalQuery{}}
	store := inmem.NewFromReader(bytes.NewReader(program.Data()))
	for _, gate := range gates() {
		query, err := rego.New(rego.Compiler(compiler), rego.Store(store), rego.Query("data.admission."+gate+".decision")).PrepareForEval(ctx)
		if err != nil {
			return nil, err
		}
		d.raw[gate] = query
	}
	return d, nil
}

// stockCompiler compiles the rules as stock OPA does, without our checks.
func stockCompiler(files fs.FS) (*ast.Compiler, error) {
	modules := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".rego") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		modules[name] = string(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ast.CompileModulesWithOpt(modules, ast.CompileOpts{ParserOptions: ast.ParserOptions{ProcessAnnotation: true}})
}

// typedDecision goes through decoding and Decide.
func (d *doors) typedDecision(text []byte) (decision, error) {
	document, err := inputs.Decode(text, inputs.Source{})
	if err != nil {
		return decision{}, err
	}
	answer, err := d.program.Decide(context.Background(), document)
	return fromEngine(answer), err
}

// rawDecision goes through OPA alone.
func (d *doors) rawDecision(gate string, text []byte) (decision, error) {
	var input map[string]any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&input); err != nil {
		return decision{}, err
	}
	query := d.raw[gate]
	results, err := query.Eval(context.Background(), rego.EvalInput(input))
	if err != nil {
		return decision{}, err
	}
	if len(results) != 1 {
		return decision{}, fmt.Errorf("%d results", len(results))
	}
	return fromRaw(results[0].Expressions[0].Value)
}

// decide gives the one decision that both doors must agree on.
func (d *doors) decide(t testing.TB, gate string, text []byte) decision {
	t.Helper()
	typed, err := d.typedDecision(text)
	require.NoError(t, err, "%s", text)
	raw, err := d.rawDecision(gate, text)
	require.NoError(t, err, "%s", text)
	require.Equal(t, raw, typed, "%s", text)
	return typed
}

func fromEngine(d engine.Decision) decision {
	out := decision{Gate: d.Gate, Admit: d.Admit, Reason: d.Reason, Action: d.Action, Violations: []violation{}, Effects: []effect{}, Unknown: d.Unknown}
	for _, v := range d.Violations {
		out.Violations = append(out.Violations, violation{v.Reason, plainValue(v.Observed), plainValue(v.Limit)})
	}
	for _, e := range d.Effects {
		out.Effects = append(out.Effects, effect{e.Plane, e.Counter, e.Delta})
	}
	return out
}

func plainValue(v inputs.Value) any {
	switch v.Kind {
	case inputs.KindNumber:
		return v.Number
	case inputs.KindFlag:
		return v.Flag
	case inputs.KindText:
		return v.Text
	}
	return nil
}

// fromRaw reads a decision as OPA or a JSON file has it, and refuses keys that decisions do not have.
func fromRaw(value any) (decision, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return decision{}, err
	}
	return decodeDecision(text)
}

func decodeDecision(text []byte) (decision, error) {
	var from struct {
		Gate       string `json:"gate"`
		Admit      bool   `json:"admit"`
		Reason     string `json:"reason"`
		Action     string `json:"action"`
		Violations []struct {
			Reason   string `json:"reason"`
			Observed any    `json:"observed"`
			Limit    any    `json:"limit"`
		} `json:"violations"`
		Effects []struct {
			Plane   string `json:"plane"`
			Counter string `json:"counter"`
			Delta   int64  `json:"delta"`
		} `json:"effects"`
		Unknown []string `json:"unknown"`
		Policy  any      `json:"policy"`
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	strict.UseNumber()
	if err := strict.Decode(&from); err != nil {
		return decision{}, err
	}
	out := decision{Gate: from.Gate, Admit: from.Admit, Reason: from.Reason, Action: from.Action, Violations: []violation{}, Effects: []effect{}, Unknown: from.Unknown}
	for _, v := range from.Violations {
		out.Violations = append(out.Violations, violation{v.Reason, wholeOf(v.Observed), wholeOf(v.Limit)})
	}
	for _, e := range from.Effects {
		out.Effects = append(out.Effects, effect(e))
	}
	return out, nil
}

// wholeOf turns a json.Number into an int64, and keeps one that is none, which then equals nothing.
func wholeOf(value any) any {
	number, ok := value.(json.Number)
	if !ok {
		return value
	}
	if whole, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		return whole
	}
	return number
}

// documentOf is JSON as the model takes it: whole numbers as int64.
func documentOf(t testing.TB, text []byte) document {
	t.Helper()
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	var d document
	require.NoError(t, numbers.Decode(&d))
	wholeIn(d)
	return d
}

func wholeIn(d document) {
	for key, value := range d {
		if inner, ok := value.(document); ok {
			wholeIn(inner)
		} else {
			d[key] = wholeOf(value)
		}
	}
}

// textOf is a document as JSON, keys sorted.
func textOf(t testing.TB, d document) []byte {
	t.Helper()
	text, err := json.Marshal(d)
	require.NoError(t, err)
	return text
}

// clone copies a document and the objects in it.
func clone(d document) document {
	same := maps.Clone(d)
	for key, value := range same {
		if inner, ok := value.(document); ok {
			same[key] = maps.Clone(inner)
		}
	}
	return same
}

func TestProgramHasTheGatesOfTheContract(t *testing.T) {
	require.ElementsMatch(t, gates(), open(t, "").program.Gates())
	require.Equal(t, gates(), slices.Clone(inputs.Gates()))
}
