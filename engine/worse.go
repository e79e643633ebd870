package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// Direction is the way in which a number gets worse.
type Direction string

// The directions. The zero Direction is none: nobody says whether more or less of it is worse.
const (
	Higher Direction = "higher" // older, deeper, dearer
	Lower  Direction = "lower"  // less time, less budget
)

// meanings is what an input schema says of its fields beyond what documents are held to.
type meanings struct {
	worse    map[string]Direction
	tightens []string // in the order of the properties
	nominal  []byte   // as JSON; nil where there is no example
}

// meaning reads what a field says of itself: the way in which its number gets worse, and whether it is a limit of the
// caller's own.
func (r *documentReader) meaning(steps []string, schema map[string]any, p inputs.Property) {
	worse, directed := schema["worse"]
	tightens, limits := schema["tightens"]
	switch direction, _ := worse.(string); {
	case !directed:
	case p.Kind != inputs.KindNumber:
		r.add(append(slices.Clone(steps), "worse"), "worse of what is no number", "leave it out: only a number has a direction")
	case direction != string(Higher) && direction != string(Lower):
		r.add(append(slices.Clone(steps), "worse"), fmt.Sprintf("worse: %v, which is no direction", worse), "write higher or lower")
	case limits:
		r.add(append(slices.Clone(steps), "worse"), "worse of a limit of the caller's own, which says tightens", "leave one of them out")
	default:
		r.said.worse[p.Name] = Direction(direction)
	}
	switch own, _ := tightens.(bool); {
	case !limits:
	case p.Kind != inputs.KindNumber && p.Kind != inputs.KindFlag:
		r.add(append(slices.Clone(steps), "tightens"), "tightens of what is no limit", "write it on a number or a switch, or leave it out")
	case !own:
		r.add(append(slices.Clone(steps), "tightens"), fmt.Sprintf("tightens: %v", tightens), "write true, or leave it out")
	default:
		r.said.tightens = append(r.said.tightens, p.Name)
	}
}

// examples holds every example against the schema that it is an example of. The first is the nominal document.
func (r *documentReader) examples(schema *inputs.Schema) {
	examples, given := r.schema.definition["examples"].([]any)
	if given && len(examples) == 0 {
		r.add([]string{"examples"}, "no example", "write one document, or leave examples out")
	}
	for _, example := range examples {
		if fields, _ := example.(map[string]any); fields["gate"] != nil && fields["gate"] != r.gate {
			r.add([]string{"examples"}, fmt.Sprintf("an example of gate %q", fields["gate"]), "write gate: "+r.gate)
			continue
		}
		text, err := json.Marshal(example)
		if err == nil {
			_, err = nominal(text, r.gate, schema)
		}
		var wrong *inputs.Error
		switch {
		case errors.As(err, &wrong):
			r.add([]string{"examples"}, "an example that is no document: "+wrong.Path+": "+wrong.Problem, wrong.Mend)
		case err != nil:
			r.add([]string{"examples"}, "an example that is no document: "+err.Error(), "")
		case r.said.nominal == nil:
			r.said.nominal = text
		}
	}
}

// nominal decodes an example. schema is nil where the gate is the core's.
func nominal(text []byte, gate string, schema *inputs.Schema) (inputs.Document, error) {
	source := inputs.Source{Gate: gate}
	if schema != nil {
		source.Schemas = []*inputs.Schema{schema}
	}
	return inputs.Decode(text, source)
}

// ordered puts the limits in the order of the gate's properties.
func (m meanings) ordered(properties []inputs.Property) meanings {
	var tightens []string
	for _, property := range properties {
		if slices.Contains(m.tightens, property.Name) {
			tightens = append(tightens, property.Name)
		}
	}
	m.tightens = tightens
	return m
}

// mean gives a gate what its schema means, as its own copy: who has it can change it.
func (g *Gate) mean(schema *inputs.Schema) {
	g.Worse, g.Tightens = maps.Clone(g.said.worse), slices.Clone(g.said.tightens)
	if g.said.nominal != nil {
		g.Nominal, _ = nominal(g.said.nominal, g.Name, schema) // it was decoded at load
	}
}
