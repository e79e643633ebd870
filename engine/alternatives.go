package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/admitctl/admitctl/thresholds"
)

// With is the program of the same rules with thresholds laid over those that p has, in the shape of thresholds.yaml. p
// goes on as it is. Its error is that of [Compile].
func (p *Program) With(ctx context.Context, overlay []byte) (*Program, error) {
	whole := p.loaded()
	if whole == nil || whole.rules == nil {
		return nil, ErrLoad
	}
	l := &loading{
		options: &options{root: whole.rules.source.root, timeout: whole.timeout},
		found:   &problems{texts: map[string][]byte{}},
		source:  whole.rules.source, known: whole.rules, digest: whole.rules.digest,
	}
	l.tree = thresholds.New(whole.tree.At)
	l.tree.Overlay(whole.tree)
	l.tree.Overlay(l.found.parse("with", overlay))
	return l.finish(ctx)
}

// Alternatives are other values that a threshold could have by its schema: of a switch the other one, of a word the
// others, of a number the ends of its range. There are none of what is no threshold, and of lists.
func (p *Program) Alternatives(path []string) []any {
	p = p.loaded()
	if p == nil || p.tree == nil || len(path) == 0 {
		return nil
	}
	schema := p.declared.thresholds
	for _, step := range path {
		properties, _ := schema["properties"].(map[string]any)
		inner, ok := properties[step].(map[string]any)
		if !ok {
			inner, _ = schema["additionalProperties"].(map[string]any)
		}
		schema = inner
	}
	var all []any
	switch schema["type"] {
	case "boolean":
		all = []any{true, false}
	case "integer":
		for _, end := range []string{"maximum", "minimum"} {
			if number, ok := schema[end].(json.Number); ok {
				if value, err := number.Int64(); err == nil {
					all = append(all, value)
				}
			}
		}
	case "string":
		all, _ = schema["enum"].([]any)
	}
	at := p.tree
	for _, step := range path {
		if at = at.Fields[step]; at == nil {
			return slices.Clone(all)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(value any) bool { return value == at.Scalar })
}
