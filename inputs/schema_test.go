package inputs_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// property is what a gate's METADATA and this package both say of a field.
type property struct {
	kind     string // integer, boolean, string or object
	nullable bool   // a signal
	required bool   // in the object that holds it
	low      int64
	high     int64
	words    []string
}

// schemaOf reads the input schema out of the METADATA of a gate, by dotted name.
func schemaOf(t *testing.T, gate string) map[string]property {
	t.Helper()
	name := strings.ReplaceAll(gate, ".", "/") + "/document.rego"
	text, err := fs.ReadFile(policies.Files, name)
	require.NoError(t, err)
	module, err := ast.ParseModuleWithOpts(name, string(text), ast.ParserOptions{ProcessAnnotation: true})
	require.NoError(t, err)
	for _, annotations := range module.Annotations {
		for _, schema := range annotations.Schemas {
			if schema.Path.Equal(ast.InputRootRef) {
				properties := map[string]property{}
				root := plain(t, *schema.Definition)
				flatten(t, root, root, "", properties)
				return properties
			}
		}
	}
	require.Fail(t, "no input schema", gate)
	return nil
}

func plain(t *testing.T, definition any) map[string]any {
	t.Helper()
	text, err := json.Marshal(definition)
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(text, &object))
	return object
}

func flatten(t *testing.T, root, schema map[string]any, prefix string, into map[string]property) {
	t.Helper()
	require.Equal(t, false, schema["additionalProperties"], "%q is closed", prefix)
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range properties {
		inner, _ := value.(map[string]any)
		if reference, ok := inner["$ref"].(string); ok {
			definitions, _ := root["definitions"].(map[string]any)
			inner, _ = definitions[strings.TrimPrefix(reference, "#/definitions/")].(map[string]any)
		}
		p := propertyOf(t, inner)
		p.required = slices.Contains(required, any(name))
		into[prefix+name] = p
		if p.kind == "object" {
			flatten(t, root, inner, prefix+name+".", into)
		}
	}
}

func propertyOf(t *testing.T, schema map[string]any) property {
	t.Helper()
	p := property{}
	switch kind := schema["type"].(type) {
	case string:
		p.kind = kind
	case []any:
		require.Len(t, kind, 2)
		require.Equal(t, "null", kind[1])
		p.kind, _ = kind[0].(string)
		p.nullable = true
	}
	if low, ok := schema["minimum"].(float64); ok {
		p.low, p.high = int64(low), int64(schema["maximum"].(float64))
	}
	words, _ := schema["enum"].([]any)
	for _, word := range words {
		if text, ok := word.(string); ok {
			p.words = append(p.words, text)
		}
	}
	if p.kind == "string" && p.words == nil {
		require.InEpsilon(t, 1, schema["minLength"], 0)
		require.InEpsilon(t, 128, schema["maxLength"], 0)
	}
	return p
}

// The fields of the structs and the schemas that policies are checked by say the same, to the last bound.
func TestFieldsAreThoseOfTheGatesSchemas(t *testing.T) {
	for _, gate := range inputs.Gates() {
		t.Run(gate, func(t *testing.T) {
			want := schemaOf(t, gate)
			require.Equal(t, []string{gate}, want["gate"].words)
			delete(want, "gate")
			got := map[string]property{}
			for _, field := range inputs.Describe(gate) {
				got[field.Name] = property{field.Kind, field.Signal, field.Required, field.Low, field.High, field.Words}
			}
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
			for name := range want {
				require.Equal(t, want[name], got[name], name)
			}
		})
	}
}
