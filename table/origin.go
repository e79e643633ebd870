package table

import (
	"path"
	"slices"
	"strings"
)

// Below is the gate with the origins of its rules and thresholds told from a directory on, so that the same policies give
// the same gate wherever they lie. Origins elsewhere stay as they are.
func (g *Gate) Below(directory string) *Gate {
	if g == nil {
		return nil
	}
	prefix := path.Clean(directory) + "/"
	short := func(at *Origin) { at.File = strings.TrimPrefix(at.File, prefix) }
	program, own := *g.program, *g
	program.Checks = slices.Clone(program.Checks)
	program.Predicates = slices.Clone(program.Predicates)
	for i := range program.Checks {
		short(&program.Checks[i].At)
	}
	for i := range program.Predicates {
		short(&program.Predicates[i].At)
	}
	own.program, own.origins = &program, slices.Clone(g.origins)
	for i := range own.origins {
		short(&own.origins[i])
	}
	return &own
}
