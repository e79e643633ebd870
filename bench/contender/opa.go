package contender

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// bare holds the bare checks in each language.
//
//go:embed bare
var bare embed.FS

// stockShipped is OPA as a library with the shipped policies: prepared once, a map as input.
func stockShipped(program *engine.Program, gate string, documents []inputs.Document) (Contender, error) {
	query, err := Prepare(policies.Files, program.Data(), "data.admission."+gate+".decision")
	if err != nil {
		return Contender{}, err
	}
	return stock(StockShipped, query, documents, func(value any) (bool, string) {
		decision, _ := value.(map[string]any)
		admit, _ := decision["admit"].(bool)
		reason, _ := decision["reason"].(string)
		return admit, reason
	})
}

// stockBare is OPA as a library with bare checks.
func stockBare(program *engine.Program, gate string, documents []inputs.Document) (Contender, error) {
	query, err := Prepare(bare, program.Data(), "data.bare."+gate+".decision")
	if err != nil {
		return Contender{}, err
	}
	return stock(StockBare, query, documents, func(value any) (bool, string) {
		reason, _ := value.(string)
		return reason == "admit", reason
	})
}

// Prepare readies a query over the rules in files and thresholds in data, as OPA's documentation says.
func Prepare(files fs.FS, data []byte, query string) (rego.PreparedEvalQuery, error) {
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
		return rego.PreparedEvalQuery{}, err
	}
	compiler, err := ast.CompileModulesWithOpt(modules, ast.CompileOpts{ParserOptions: ast.ParserOptions{ProcessAnnotation: true}})
	if err != nil {
		return rego.PreparedEvalQuery{}, err
	}
	return rego.New(rego.Compiler(compiler), rego.Store(inmem.NewFromReader(bytes.NewReader(data))), rego.Query(query)).PrepareForEval(context.Background())
}

// stock makes a contender of a prepared query. Numbers are json.Number, which OPA takes without formatting them anew.
func stock(name string, query rego.PreparedEvalQuery, documents []inputs.Document, read func(any) (bool, string)) (Contender, error) {
	maps := make([]map[string]any, len(documents))
	for i, document := range documents {
		var err error
		if maps[i], err = Map(document); err != nil {
			return Contender{}, err
		}
	}
	ctx := context.Background()
	judge := func(i int) (bool, string, error) {
		results, err := query.Eval(ctx, rego.EvalInput(maps[i]))
		if err != nil || len(results) != 1 {
			return false, "", fmt.Errorf("%d results: %w", len(results), err)
		}
		admit, reason := read(results[0].Expressions[0].Value)
		return admit, reason, nil
	}
	return Contender{Name: name, Judge: judge, Pass: passes(len(documents), judge)}, nil
}

// passes is a Pass of a Judge: for contenders of which a call more is nothing.
func passes(n int, judge func(int) (bool, string, error)) func() int {
	return func() int {
		admits := 0
		for i := range n {
			if admit, _, _ := judge(i); admit {
				admits++
			}
		}
		return admits
	}
}

// Map is a document as OPA takes it from code.
func Map(document inputs.Document) (map[string]any, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var fields map[string]any
	return fields, decoder.Decode(&fields)
}
