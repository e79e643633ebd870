package engine

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/thresholds"
)

// decisionSchema is written by hand: it is the shape of [Decision].
//
//go:embed decision.schema.json
var decisionSchema []byte

const draft = "http://json-schema.org/draft-07/schema#"

// Published are JSON Schemas for editors and other programs, by the name of their file: "thresholds.schema.json" of a
// whole file of thresholds, "overlay.schema.json" of one that is laid over it, GATE + ".schema.json" of the documents of
// each gate, "document.schema.json" of any of them, and "decision.schema.json". They are what a load and decoding hold files to, as far as JSON
// Schema can say it; the comments of the thresholds are their descriptions.
func (p *Program) Published() map[string]json.RawMessage {
	if p = p.loaded(); p == nil || p.tree == nil {
		return nil
	}
	whole := describe(p.declared.thresholds, p.tree)
	whole["title"] = "Thresholds of admitctl"
	overlay := optional(copyOf(whole)).(map[string]any)
	overlay["title"] = "Thresholds that are laid over those of admitctl's policies"
	all := map[string]json.RawMessage{"thresholds.schema.json": written(whole), "overlay.schema.json": written(overlay), "decision.schema.json": slices.Clone(decisionSchema)}
	var gates []any
	choices := []any{}
	for _, name := range p.Gates() {
		schema := copyOf(p.declared.inputs["admission."+name].definition).(map[string]any)
		schema["title"], schema["description"] = p.described[name].Title, p.described[name].Description
		all[name+".schema.json"] = written(schema)
		gates = append(gates, name)
		choices = append(choices, map[string]any{
			"if":   map[string]any{"properties": map[string]any{"gate": map[string]any{"const": name}}},
			"then": map[string]any{"$ref": name + ".schema.json"},
		})
	}
	all["document.schema.json"] = written(map[string]any{
		"title": "A document that a gate decides", "type": "object", "required": []any{"gate"},
		"properties": map[string]any{"gate": map[string]any{"enum": gates}}, "allOf": choices,
	})
	return all
}

func written(schema map[string]any) json.RawMessage {
	schema["$schema"] = draft
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil // a schema is made of what JSON can say
	}
	return append(text, '\n')
}

func copyOf(value any) any {
	switch value := value.(type) {
	case map[string]any:
		same := make(map[string]any, len(value))
		for key, inner := range value {
			same[key] = copyOf(inner)
		}
		return same
	case []any:
		same := make([]any, len(value))
		for i, inner := range value {
			same[i] = copyOf(inner)
		}
		return same
	}
	return value
}

// optional drops every demand that something be there.
func optional(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range []string{"if", "then", "else"} {
			delete(value, key)
		}
		if _, demands := value["required"].([]any); demands {
			delete(value, "required")
		}
		for key, inner := range value {
			if names, ok := inner.(map[string]any); ok && key == "properties" {
				for _, property := range names { // names may be called as keywords are
					optional(property)
				}
				continue
			}
			optional(inner)
		}
	case []any:
		for _, inner := range value {
			optional(inner)
		}
	}
	return value
}

// describe copies a schema of thresholds, and gives each property that has no description the comment of its value, or
// that of a value of the same name beside it.
func describe(schema map[string]any, tree *thresholds.Tree) map[string]any {
	same := copyOf(schema).(map[string]any)
	properties, _ := same["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		section, _ := properties[name].(map[string]any)
		own := &describer{notes: map[string]string{}}
		if tree.Fields[name] != nil {
			own.collect(tree.Fields[name])
			own.visit(section, []*thresholds.Tree{tree.Fields[name]})
			if section["description"] == nil && tree.Fields[name].Notes != "" {
				section["description"] = tree.Fields[name].Notes
			}
		}
	}
	return same
}

// describer describes one section of the thresholds.
type describer struct {
	notes map[string]string // by the last name of a path
}

func (d *describer) collect(tree *thresholds.Tree) {
	for _, key := range tree.Keys {
		if child := tree.Fields[key]; child.Notes != "" && d.notes[key] == "" {
			d.notes[key] = child.Notes
		}
	}
	for _, key := range tree.Keys {
		d.collect(tree.Fields[key])
	}
}

// visit describes the properties of a schema by the values that stand at its place; below a computed name, these are
// several.
func (d *describer) visit(schema map[string]any, values []*thresholds.Tree) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, ok := properties[name].(map[string]any)
		if !ok {
			continue
		}
		var inner []*thresholds.Tree
		note := ""
		for _, value := range values {
			if child := value.Fields[name]; child != nil {
				inner = append(inner, child)
				if note == "" {
					note = child.Notes
				}
			}
		}
		if note == "" {
			note = d.notes[name]
		}
		if property["description"] == nil && note != "" {
			property["description"] = note
		}
		d.visit(property, inner)
	}
	if row, ok := schema["additionalProperties"].(map[string]any); ok {
		var inner []*thresholds.Tree
		for _, value := range values {
			for _, key := range value.Keys {
				inner = append(inner, value.Fields[key])
			}
		}
		d.visit(row, inner)
	}
}

// Threshold is what a gate declares of one of its thresholds.
type Threshold struct {
	Path        string               // "classes.*.max_depth"
	Holds       string               // "a whole number from 0 to 1048576"
	Description string               // that of the schema, or else the comment of the value
	Settings    []thresholds.Setting // what it is set to, sorted by path; none where no file sets it

	steps []string
}

// thresholdsOf lists the thresholds that a package declares, in the order in which the files set them, those that no
// file sets last.
func thresholdsOf(declared *schemas, tree *thresholds.Tree, name string) []Threshold {
	whole := describe(declared.thresholds, tree)
	var all []Threshold
	for _, path := range declared.owned[name] {
		schema := whole
		for _, step := range path {
			properties, _ := schema["properties"].(map[string]any)
			schema, _ = properties[step].(map[string]any)
		}
		skip := func(below []string) bool { // what another package declares inside
			for owner, paths := range declared.owned {
				if owner != name && slices.ContainsFunc(paths, func(p []string) bool { return slices.Equal(p, below) }) {
					return true
				}
			}
			return false
		}
		all = append(all, leavesOf(schema, path, skip)...)
	}
	for i := range all {
		all[i].Settings = settingsAt(tree, all[i].steps)
	}
	slices.SortStableFunc(all, func(a, b Threshold) int {
		if len(a.Settings) == 0 || len(b.Settings) == 0 {
			return cmp.Compare(len(b.Settings), len(a.Settings))
		}
		return cmp.Or(cmp.Compare(a.Settings[0].File, b.Settings[0].File), cmp.Compare(a.Settings[0].Line, b.Settings[0].Line))
	})
	return all
}

func leavesOf(schema map[string]any, path []string, skip func([]string) bool) []Threshold {
	var all []Threshold
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if property, ok := properties[name].(map[string]any); ok {
			if below := append(slices.Clone(path), name); !skip(below) {
				all = append(all, leavesOf(property, below, skip)...)
			}
		}
	}
	if row, ok := schema["additionalProperties"].(map[string]any); ok {
		all = append(all, leavesOf(row, append(slices.Clone(path), anyName), skip)...)
	}
	if schema["type"] == "object" {
		return all
	}
	description, _ := schema["description"].(string)
	return append(all, Threshold{Path: pathName(path), Holds: holds(schema), Description: description, steps: path})
}

// holds says in words what a schema allows.
func holds(schema map[string]any) string {
	words := func(list any) string {
		items, _ := list.([]any)
		all := make([]string, len(items))
		for i, item := range items {
			all[i] = fmt.Sprint(item)
		}
		return strings.Join(all, ", ")
	}
	switch schema["type"] {
	case "integer":
		return fmt.Sprintf("a whole number from %v to %v", schema["minimum"], schema["maximum"])
	case "boolean":
		return "true or false"
	case "array":
		if items, ok := schema["items"].(map[string]any); ok && items["enum"] != nil {
			return "a list of " + words(items["enum"])
		}
		return "a list of words"
	}
	if schema["enum"] != nil {
		return "one of " + words(schema["enum"])
	}
	return "a word"
}
