package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemas is what the packages declare in METADATA: the schema of each gate's documents, and one closed schema of all
// thresholds, put together from those that each gate declares for its own.
type schemas struct {
	inputs     map[string]inputSchema // by package, such as "admission.fence.retry"
	thresholds map[string]any
	owned      map[string][][]string // the thresholds that each package declares, by package
	torn       []string              // packages that may declare more
}

// declaration is a schema in the METADATA of a package.
type declaration struct {
	of         string // its package
	path       ast.Ref
	definition map[string]any
	at         *ast.Location
}

// readSchemas collects the schemas of all packages.
func readSchemas(s *source, found *problems) *schemas {
	all := &schemas{
		inputs:     map[string]inputSchema{},
		owned:      map[string][][]string{},
		thresholds: map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}, "required": []any{}},
	}
	var nested []declaration // shallow paths first, so that data.fence is there before data.fence.retry
	for _, name := range moduleNames(s) {
		for _, annotations := range s.modules[name].Annotations {
			for _, schema := range annotations.Schemas {
				d := declaration{of: packageName(s.modules[name]), path: schema.Path, at: annotations.Location}
				if schema.Definition != nil {
					d.definition = plain(*schema.Definition)
				}
				switch {
				case annotations.Scope != "package":
					d.add(s, found, nil, "a schema for one rule, which could loosen that of its package", "declare schemas in the METADATA of the package")
				case d.definition == nil:
					d.add(s, found, nil, "a schema that is named and not written out", "write it in the METADATA, so that stock OPA sees it too")
				case d.path.HasPrefix(ast.InputRootRef) && len(d.path) > 1:
					d.add(s, found, nil, fmt.Sprintf("a schema of %s alone", d.path), "declare one of input, which holds the whole document")
					s.torn = append(s.torn, d.of)
				case !d.path.HasPrefix(ast.InputRootRef) && (len(d.path) < 2 || len(steps(d.path)) != len(d.path)-1):
					d.add(s, found, nil, fmt.Sprintf("a schema of %s, which is no threshold", d.path), "name one by plain words: data.NAME")
					s.torn = append(s.torn, d.of)
				case !d.isSchema(s, found):
					s.torn = append(s.torn, d.of) // what it declares is not known
				case d.path.HasPrefix(ast.InputRootRef) && all.inputs[d.of].at != nil:
					d.add(s, found, nil, "a second input schema of package "+d.of, "declare it once")
				case d.path.HasPrefix(ast.InputRootRef):
					all.inputs[d.of] = inputSchema{d.definition, d.at}
				default:
					nested = append(nested, d)
					all.owned[d.of] = append(all.owned[d.of], steps(d.path))
				}
			}
		}
	}
	slices.SortStableFunc(nested, func(a, b declaration) int { return len(a.path) - len(b.path) })
	for _, d := range nested {
		if err := insert(all.thresholds, steps(d.path), d.definition); err != nil {
			d.add(s, found, nil, fmt.Sprintf("the schema of %s: %v", d.path, err), "declare each threshold in one gate")
		}
	}
	return all
}

// add tells a problem of a part of the schema, at its line of the METADATA.
func (d declaration) add(s *source, found *problems, below []string, problem, mend string) {
	line, column := lineOfKey(s.texts[d.at.File], d.at.Row, append([]string{d.path.String()}, below...))
	found.add(Problem{File: d.at.File, Line: line, Column: column, Problem: problem, Mend: mend, Kind: ErrSchema})
}

// isSchema reports whether the definition is a JSON Schema, and tells once what is not.
func (d declaration) isSchema(s *source, found *problems) bool {
	if reference := d.strayReference(d.definition); reference != "" {
		d.add(s, found, nil, fmt.Sprintf("the schema of %s refers to %q", d.path, reference), "write the schema out; only input has definitions of its own, as #/definitions/NAME")
		return false
	}
	const name = "schema.json"
	compiler := jsonschema.NewCompiler()
	err := compiler.AddResource(name, d.definition)
	if err == nil {
		_, err = compiler.Compile(name)
	}
	var refused *jsonschema.SchemaValidationError
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return true
	case errors.As(err, &refused) && errors.As(refused.Err, &invalid):
		where, what := deepest(invalid)
		d.add(s, found, namesIn(where), fmt.Sprintf("the schema of %s is none: %s: %s", d.path, strings.Join(where, "."), what), "see what a schema may say in docs/add-a-gate.md")
	default:
		return true // of input, with a reference that leads nowhere, which readDocuments tells in better words
	}
	return false
}

// strayReference is the first reference that leads out of the schema: to a file, which no snapshot holds, or out of a
// schema of thresholds, which becomes a part of another.
func (d declaration) strayReference(value any) string {
	switch value := value.(type) {
	case map[string]any:
		if to, ok := value["$ref"].(string); ok && (!d.path.HasPrefix(ast.InputRootRef) || !strings.HasPrefix(to, "#/definitions/")) {
			return to
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if to := d.strayReference(value[key]); to != "" {
				return to
			}
		}
	case []any:
		for _, inner := range value {
			if to := d.strayReference(inner); to != "" {
				return to
			}
		}
	}
	return ""
}

// deepest is the first of the causes that lie deepest in a schema, and what is wrong there.
func deepest(invalid *jsonschema.ValidationError) (where []string, what string) {
	where, what = invalid.InstanceLocation, invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	for i, cause := range invalid.Causes {
		if below, why := deepest(cause); i == 0 || len(below) > len(where) {
			where, what = below, why
		}
	}
	return where, what
}

// namesIn are the names that a way into a JSON Schema passes, which METADATA writes as keys.
func namesIn(where []string) []string {
	var names []string
	for i, step := range where {
		if i > 0 && (where[i-1] == "properties" || where[i-1] == "definitions") || i == len(where)-1 && step == "required" {
			names = append(names, step)
		}
	}
	return names
}

// packageName is the package of a module, without "data.".
func packageName(module *ast.Module) string {
	return strings.TrimPrefix(module.Package.Path.String(), "data.")
}

func steps(path ast.Ref) []string {
	var names []string
	for _, term := range path[1:] {
		if name, ok := term.Value.(ast.String); ok {
			names = append(names, string(name))
		}
	}
	return names
}

// plain is a schema as JSON has it, whatever YAML made of its numbers.
func plain(definition any) map[string]any {
	text, err := json.Marshal(definition)
	if err != nil {
		return nil
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	object, _ := schema.(map[string]any)
	return object
}

// insert puts the schema of a subtree into that of the whole, as a required property.
func insert(whole map[string]any, path []string, schema map[string]any) error {
	properties, ok := whole["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
		whole["properties"] = properties
	}
	if len(path) > 1 {
		inner, ok := properties[path[0]].(map[string]any)
		if !ok {
			return fmt.Errorf("nothing declares %s", path[0])
		}
		return insert(inner, path[1:], schema)
	}
	if properties[path[0]] != nil {
		return fmt.Errorf("declared twice")
	}
	properties[path[0]] = schema
	required, _ := whole["required"].([]any)
	whole["required"] = append(required, path[0])
	return nil
}
