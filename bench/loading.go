package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/bench/scale"
	"github.com/admitctl/admitctl/bench/timing"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/thresholds"
)

// load measures compiling the shipped policies against OPA's own parsing, compiling and preparing.
func (b *bench) load() error {
	tasks := loadTasks()
	samples, err := timing.Rounds(tasks, b.rounds, b.least)
	if err != nil {
		return err
	}
	b.add(report.Row{
		Section: "load", Unit: report.Nanoseconds, Target: report.AtMost(3),
		What: tasks[0].Name, Figure: samples[0], Beside: tasks[1].Name, Against: samples[1],
	})
	return nil
}

// loadTasks are loading the shipped policies, and what OPA does of that.
func loadTasks() []timing.Task {
	ctx := context.Background()
	return []timing.Task{
		{Name: "engine.Compile of the shipped policies", Units: 1, Run: func() error {
			_, err := engine.Compile(ctx, policies.Files)
			return err
		}},
		{Name: "OPA parses, compiles and prepares the same", Units: 1, Run: func() error { return loadStock(ctx) }},
	}
}

// loadStock does what OPA needs to decide by the shipped policies: strictly, with types checked by their schemas.
func loadStock(ctx context.Context) error {
	modules := map[string]*ast.Module{}
	data := map[string]any{}
	err := fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		switch {
		case err != nil:
			return err
		case path.Ext(name) == ".yaml":
			return util.Unmarshal(text, &data)
		case strings.HasSuffix(name, ".rego"):
			modules[name], err = ast.ParseModuleWithOpts(name, string(text), ast.ParserOptions{ProcessAnnotation: true})
		}
		return err
	})
	if err != nil {
		return err
	}
	compiler := ast.NewCompiler().WithStrict(true).WithUseTypeCheckAnnotations(true)
	if compiler.Compile(modules); compiler.Failed() {
		return compiler.Errors
	}
	store := inmem.NewFromObject(data)
	for _, gate := range inputs.Gates() {
		if _, err := rego.New(rego.Compiler(compiler), rego.Store(store), rego.Query("data.admission."+gate+".decision")).PrepareForEval(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reload measures new thresholds of growing size against reading them alone.
func (b *bench) reload() error {
	for _, planes := range slices.Compact([]int{min(10, b.planes), min(1000, b.planes), b.planes}) {
		tasks, err := reloadTasks(b.program, planes)
		if err != nil {
			return err
		}
		for i := 0; i < len(tasks); i += 2 {
			samples, err := timing.Rounds(tasks[i:i+2], min(b.rounds, 3), b.least)
			if err != nil {
				return err
			}
			row := report.Row{
				Section: "reload", Unit: report.Nanoseconds,
				What: tasks[i].Name, Figure: samples[0], Beside: tasks[i+1].Name, Against: samples[1],
			}
			if i == 0 {
				row.Target = report.AtMost(1.6)
			}
			b.add(row)
		}
	}
	return nil
}

// reloadTasks are taking up thresholds of so many planes, and reading them alone: first what tables do with them once they
// are read, then all that a program does.
func reloadTasks(program *engine.Program, planes int) ([]timing.Task, error) {
	ctx := context.Background()
	text := scale.Overlay(planes)
	large, err := program.Reload(ctx, policies.Files, engine.Overlay("planes.yaml", text))
	if err != nil {
		return nil, err
	}
	encoded := large.Data()
	data, err := decoded(encoded)
	if err != nil {
		return nil, err
	}
	return []timing.Task{
		{Name: fmt.Sprintf("binding thresholds of %d planes to all tables", planes), Units: 1, Run: func() error {
			for _, gate := range large.Gates() {
				if _, err := large.Table(gate).Program().Bind(data, nil, ""); err != nil {
					return err
				}
			}
			return nil
		}},
		{Name: "decoding the same from JSON", Units: 1, Run: func() error {
			var into map[string]any
			return json.Unmarshal(encoded, &into)
		}},
		{Name: fmt.Sprintf("Program.Reload with thresholds of %d planes", planes), Units: 1, Run: func() error {
			_, err := program.Reload(ctx, policies.Files, engine.Overlay("planes.yaml", text))
			return err
		}},
		{Name: "parsing them as YAML", Units: 1, Run: func() error {
			if _, problems := thresholds.Parse("planes.yaml", text); len(problems) > 0 {
				return fmt.Errorf("%v", problems)
			}
			return nil
		}},
	}, nil
}

// decoded is a JSON object as tables take thresholds: with int64 for numbers.
func decoded(encoded []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var data map[string]any
	if err := decoder.Decode(&data); err != nil {
		return nil, err
	}
	whole, _ := wholes(data).(map[string]any)
	return whole, nil
}

func wholes(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = wholes(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = wholes(inner)
		}
	case json.Number:
		number, _ := value.Int64() // thresholds are whole numbers
		return number
	}
	return value
}
