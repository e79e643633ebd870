package contender

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/admitctl/admitctl/inputs"
)

// celBare is cel-go with bare checks: one expression that gives the reason, compiled once, typed, with constants folded
// and limits in it; a variable a field, whose activation is built beforehand with values of CEL's own.
func celBare(gate string, documents []inputs.Document) (Contender, error) {
	program, err := celProgram(gate)
	if err != nil {
		return Contender{}, err
	}
	activations := make([]cel.Activation, len(documents))
	for i, document := range documents {
		fields := map[string]any{}
		for name, value := range document.Fields() {
			switch name = strings.ReplaceAll(name, ".", "_"); value.Kind {
			case inputs.KindNumber:
				fields[name] = types.Int(value.Number)
			case inputs.KindFlag:
				fields[name] = types.Bool(value.Flag)
			case inputs.KindText:
				fields[name] = types.String(value.Text)
			}
		}
		if activations[i], err = cel.NewActivation(fields); err != nil {
			return Contender{}, err
		}
	}
	judge := func(i int) (bool, string, error) {
		value, _, err := program.Eval(activations[i])
		if err != nil {
			return false, "", err
		}
		reason, _ := value.(types.String)
		return reason == "admit", string(reason), nil
	}
	return Contender{Name: CEL, Judge: judge, Pass: passes(len(documents), judge)}, nil
}

func celProgram(gate string) (cel.Program, error) {
	var variables []cel.EnvOption
	for _, property := range inputs.Properties(gate) {
		kind := cel.IntType
		switch property.Kind {
		case inputs.KindFlag:
			kind = cel.BoolType
		case inputs.KindText:
			kind = cel.StringType
		}
		if !property.Object {
			variables = append(variables, cel.Variable(strings.ReplaceAll(property.Name, ".", "_"), kind))
		}
	}
	env, err := cel.NewEnv(variables...)
	if err != nil {
		return nil, err
	}
	text, err := bare.ReadFile("bare/" + gate + ".cel")
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(string(text))
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return env.Program(checked, cel.EvalOptions(cel.OptOptimize))
}
