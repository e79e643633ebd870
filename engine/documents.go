package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

// inputSchema is the schema of a gate's documents, as the METADATA of its package declares it.
type inputSchema struct {
	definition map[string]any
	at         *ast.Location // of the METADATA
}

// documents is what the gates say of their documents.
type documents struct {
	properties map[string][]inputs.Property // by gate
	schemas    map[string]*inputs.Schema    // of the gates that are not the core's
	said       map[string]meanings          // by gate
}

// readDocuments makes the input schemas of all gates into what their documents are decoded by. Documents are decoded by
// types, ranges, words and required fields alone: a schema that says more, such as a pattern, is refused, since
// decoding would let pass what the schema seems to forbid.
func readDocuments(s *source, declared *schemas, found *problems) documents {
	all := documents{properties: map[string][]inputs.Property{}, schemas: map[string]*inputs.Schema{}, said: map[string]meanings{}}
	for _, gate := range gateNames(s) {
		declaredInput, ok := declared.inputs["admission."+gate]
		if !ok {
			continue
		}
		reader := &documentReader{gate: gate, schema: declaredInput, text: s.texts[declaredInput.at.File], found: found, said: meanings{worse: map[string]Direction{}}}
		properties, ok := reader.read()
		if !ok {
			continue
		}
		if core := inputs.Properties(gate); core != nil {
			all.properties[gate] = reader.likeCore(core, properties)
			if reader.examples(nil); !reader.failed {
				all.said[gate] = reader.said.ordered(core)
			}
			continue
		}
		schema, err := inputs.NewSchema(gate, properties)
		if err != nil {
			name, _, _ := strings.Cut(err.Error(), ":")
			reader.add(strings.Split(name, "."), err.Error(), "")
			continue
		}
		reader.examples(schema)
		all.properties[gate], all.schemas[gate], all.said[gate] = properties, schema, reader.said.ordered(properties)
	}
	return all
}

// documentReader reads one input schema.
type documentReader struct {
	gate   string
	schema inputSchema
	text   []byte
	found  *problems
	said   meanings
	failed bool
}

// add tells a problem of the property that steps lead to, at its line of the METADATA.
func (r *documentReader) add(steps []string, problem, mend string) {
	r.failed = true
	at := r.schema.at
	line, column := lineOfKey(r.text, at.Row, append([]string{"input"}, steps...))
	r.found.add(Problem{File: at.File, Line: line, Column: column, Problem: "the input schema of gate " + r.gate + ": " + problem, Mend: mend, Kind: ErrSchema})
}

// lineOfKey finds the line of METADATA, which begins at row, on which the last of some keys is written.
func lineOfKey(text []byte, row int, steps []string) (line, column int) {
	lines := bytes.Split(text, []byte("\n"))
	line, column = row, 1
	for _, step := range steps {
		examples := 0 // the column of the key below which examples stand, where the line is one of them
		for next := line; next <= len(lines) && bytes.HasPrefix(lines[next-1], []byte("#")); next++ {
			before, rest, ok := bytes.Cut(lines[next-1], []byte(step+":"))
			if at := firstColumn(lines[next-1]); examples > 0 && at > examples {
				continue // a document has the names of properties too
			}
			examples = 0
			if ok && len(bytes.Trim(before, "# -")) == 0 && (len(rest) == 0 || rest[0] == ' ') {
				line, column = next, len(before)+1
				break
			}
			if key := bytes.TrimLeft(lines[next-1], "# "); bytes.HasPrefix(key, []byte("examples:")) {
				examples = firstColumn(lines[next-1])
			}
		}
	}
	return line, column
}

// firstColumn is where the text of a line of METADATA begins, from 1.
func firstColumn(line []byte) int { return len(line) - len(bytes.TrimLeft(line, "# ")) + 1 }

func (r *documentReader) read() ([]inputs.Property, bool) {
	root := r.schema.definition
	properties := r.object(nil, root)
	gate, _ := root["properties"].(map[string]any)
	own, _ := gate["gate"].(map[string]any)
	words, _ := own["enum"].([]any)
	r.keywords([]string{"gate"}, own, "type", "enum")
	if len(words) != 1 || words[0] != r.gate {
		r.add([]string{"properties", "gate"}, "it does not say which gate it is of", fmt.Sprintf("write a property gate: {type: string, enum: [%s]}", r.gate))
	}
	return properties, !r.failed
}

// object reads the properties of an object, and of the objects in it: those that are required first, in the order in
// which required names them, then the others by name.
func (r *documentReader) object(steps []string, schema map[string]any) []inputs.Property {
	known := []string{"type", "additionalProperties", "required", "properties"}
	if len(steps) == 0 {
		known = append(known, "definitions", "examples")
	}
	r.keywords(steps, schema, known...)
	if schema["type"] != "object" || schema["additionalProperties"] != false {
		r.add(steps, "an object that takes fields which it does not name", "write type: object and additionalProperties: false")
	}
	properties, _ := schema["properties"].(map[string]any)
	var required []string
	list, _ := schema["required"].([]any)
	for _, item := range list {
		name, _ := item.(string)
		if _, ok := properties[name]; !ok {
			r.add(append(steps, "required"), fmt.Sprintf("it requires %q, which is no property", name), "")
		}
		required = append(required, name)
	}
	optional := slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool { return slices.Contains(required, name) })
	var all []inputs.Property
	for _, name := range slices.Concat(required, optional) {
		at := append(slices.Clone(steps), name)
		inner, ok := properties[name].(map[string]any)
		switch {
		case name == "gate" && len(steps) == 0:
			continue
		case !ok:
			r.add(at, "a property that is no schema", "say its type")
			continue
		case strings.Contains(name, "."):
			r.add(at, "a name with a dot, which is how fields of objects are called", "declare an object, or write an underscore")
			continue
		}
		described, _ := inner["description"].(string)
		inner = r.resolve(at, inner)
		property := inputs.Property{Name: strings.Join(at, "."), Required: slices.Contains(required, name), Description: described}
		if inner["type"] == "object" {
			fields := r.object(at, inner)
			if property.Required && !slices.ContainsFunc(fields, func(p inputs.Property) bool { return p.Required }) {
				r.add(at, "an object that must be there and may be empty", "require one of its fields, or not the object")
			}
			property.Object = true
			all = append(append(all, property), fields...)
			continue
		}
		all = append(all, r.leaf(at, inner, property))
	}
	return all
}

// resolve follows a reference to the schema's own definitions.
func (r *documentReader) resolve(steps []string, schema map[string]any) map[string]any {
	reference, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	r.keywords(steps, schema, "$ref")
	definitions, _ := r.schema.definition["definitions"].(map[string]any)
	inner, ok := definitions[strings.TrimPrefix(reference, "#/definitions/")].(map[string]any)
	if !ok || inner["$ref"] != nil {
		r.add(steps, fmt.Sprintf("there is no definition %q", reference), "write #/definitions/NAME, and NAME below definitions")
		return map[string]any{}
	}
	return inner
}

func (r *documentReader) leaf(steps []string, schema map[string]any, p inputs.Property) inputs.Property {
	kind, _ := schema["type"].(string)
	if kinds, ok := schema["type"].([]any); ok && len(kinds) == 2 && kinds[1] == "null" {
		kind, _ = kinds[0].(string)
		p.Signal = true
	}
	switch kind {
	case "integer":
		p.Kind = inputs.KindNumber
		r.keywords(steps, schema, "type", "minimum", "maximum", "worse", "tightens")
		p.Low, p.High = r.bound(steps, schema, "minimum"), r.bound(steps, schema, "maximum")
	case "boolean":
		p.Kind = inputs.KindFlag
		r.keywords(steps, schema, "type", "worse", "tightens")
	case "string":
		p.Kind = inputs.KindText
		r.words(steps, schema, &p)
	default:
		r.add(steps, fmt.Sprintf("the type %v", schema["type"]), `documents hold integer, boolean and string, or [integer, "null"] for a signal, and objects of those`)
	}
	r.meaning(steps, schema, p)
	return p
}

// words reads a string, which is an identifier or one of some words.
func (r *documentReader) words(steps []string, schema map[string]any, p *inputs.Property) {
	words, listed := schema["enum"].([]any)
	if !listed {
		r.keywords(steps, schema, "type", "minLength", "maxLength", "worse", "tightens")
		if !isNumber(schema["minLength"], "1") || !isNumber(schema["maxLength"], "128") {
			r.add(steps, "a string that is neither an identifier nor one of some words", "write minLength: 1 and maxLength: 128, or enum: […]")
		}
		return
	}
	r.keywords(steps, schema, "type", "enum", "worse", "tightens")
	unknown := false
	for _, word := range words {
		switch text, ok := word.(string); {
		case ok:
			p.Words = append(p.Words, text)
		case word == nil && p.Signal:
			unknown = true
		default:
			r.add(steps, "a word that is no string", "quote it")
		}
	}
	switch {
	case p.Words == nil:
		r.add(steps, "no word that the field could hold", "list its words below enum")
	case p.Signal && !unknown:
		r.add(steps, "a signal whose words leave out null, which then it cannot be", "list null too, or drop it from the type")
	}
}

func isNumber(value any, text string) bool {
	number, ok := value.(json.Number)
	return ok && number.String() == text
}

// bound reads an end of a range, which every number must have.
func (r *documentReader) bound(steps []string, schema map[string]any, key string) int64 {
	number, _ := schema[key].(json.Number)
	value, err := number.Int64()
	if err != nil {
		r.add(steps, "an integer without a "+key+" that is a whole number", "write "+key+", such as 0 for a count and 1048576 at most")
	}
	return value
}

// keywords refuses what decoding would not hold documents to.
func (r *documentReader) keywords(steps []string, schema map[string]any, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		if !slices.Contains(known, key) && key != "description" && key != "title" && !strings.HasPrefix(key, "x-") {
			r.add(append(slices.Clone(steps), key), fmt.Sprintf("the keyword %s, which documents are not held to", key), "make it a check of the gate")
		}
	}
}

// likeCore wants a core gate's schema to say what its struct does, whose documents nobody can extend without Go; it
// gives the fields in the struct's order with the schema's descriptions.
func (r *documentReader) likeCore(core, declared []inputs.Property) []inputs.Property {
	const mend = "the documents of the core gates are fixed: declare it as it was, and put what is new into a gate of your own"
	byName := map[string]inputs.Property{}
	for _, property := range declared {
		byName[property.Name] = property
	}
	for i, want := range core {
		got, ok := byName[want.Name]
		delete(byName, want.Name)
		core[i].Description = got.Description
		got.Description = ""
		switch {
		case !ok:
			r.add([]string{"properties"}, "it lacks "+want.Name, mend)
		case !reflect.DeepEqual(got, want):
			r.add(strings.Split(want.Name, "."), "it changes "+want.Name, mend)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		r.add(strings.Split(name, "."), "it adds "+name+", which no document can bring", mend)
	}
	return core
}
