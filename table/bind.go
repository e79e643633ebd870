package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// Bind puts thresholds into a program. data is the whole of them: maps, lists, strings, flags and whole numbers (int64).
// origin, which may be nil, says where a threshold was written. The error, an [ErrTable], says which threshold is not
// there, or not of the kind that the rules were compiled for.
func (p *Program) Bind(data map[string]any, origin func(path []string) Origin, revision string) (*Gate, error) {
	g := p.unbound(revision)
	for i, constant := range p.Constants {
		g.constants[i] = constant.Value
		if constant.Path == nil {
			continue
		}
		value, ok := At(data, constant.Path).(int64)
		if !ok {
			return nil, fmt.Errorf("%w: threshold %s is no whole number", ErrTable, strings.Join(constant.Path, "."))
		}
		g.constants[i] = value
		if origin != nil {
			g.origins[i] = origin(constant.Path)
		}
	}
	for i := range p.Lookups {
		if err := p.Lookups[i].bind(data, &g.rows[i]); err != nil {
			return nil, err
		}
	}
	if err := g.finish(); err != nil {
		return nil, err
	}
	return g, nil
}

// unbound is a gate without constants and rows.
func (p *Program) unbound(revision string) *Gate {
	constants := len(p.Constants)
	return &Gate{program: p, revision: revision, constants: make([]int64, constants), origins: make([]Origin, constants), rows: make([]rows, len(p.Lookups))}
}

// finish makes what a walk goes by, once constants and rows are there.
func (g *Gate) finish() error {
	for i := range g.rows {
		if err := g.rows[i].answer(&g.program.Lookups[i]); err != nil {
			return err
		}
	}
	g.branches, g.computations = branched(g.program, g.constants), computed(g.program, g.constants)
	places, _ := inputs.Places(g.program.Properties)
	g.usual = make([]usual, len(g.program.Admits))
	for i, way := range g.program.Admits {
		g.usual[i] = usually(g.program.Gate, places, way.Effects)
	}
	return nil
}

// At is the value at a path of thresholds, nil where there is none.
func At(data any, path []string) any {
	for _, key := range path {
		fields, ok := data.(map[string]any)
		if !ok {
			return nil
		}
		data = fields[key]
	}
	return data
}

func (l *Lookup) bind(data map[string]any, into *rows) error {
	*into = rows{text: l.Text, first: l.First, width: len(l.Columns)}
	table, ok := At(data, l.Path).(map[string]any)
	if !ok {
		return nil // no rows at all
	}
	into.index = make(map[string]uint32, len(table))
	into.bits = make([]uint64, 0, len(table))
	into.numbers = make([]int64, 0, len(table)*len(l.Columns))
	for name, row := range table {
		bits := l.Ask(row)
		into.index[name] = uint32(len(into.bits))
		into.bits = append(into.bits, bits)
		for i := range l.Columns {
			number, err := l.Columns[i].of(row)
			if err != nil {
				return fmt.Errorf("%w: %s.%s.%w", ErrTable, strings.Join(l.Path, "."), name, err)
			}
			into.numbers = append(into.numbers, number)
		}
	}
	return nil
}

// answer finds the place of what each row answers.
func (r *rows) answer(l *Lookup) error {
	r.answers = make([]uint8, len(r.bits))
	if len(l.Answers) == 0 {
		return nil
	}
	none := slices.Index(l.Answers, 0)
	if none < 0 {
		return fmt.Errorf("%w: %s: there is no answer for a row that is not there", ErrTable, strings.Join(l.Path, "."))
	}
	r.none = uint8(none)
	for row, bits := range r.bits {
		at := slices.Index(l.Answers, bits)
		if at < 0 {
			return fmt.Errorf("%w: %s: a row is of another shape than all for which the program was made", ErrTable, strings.Join(l.Path, "."))
		}
		r.answers[row] = uint8(at)
	}
	return nil
}

// Ask is what a row answers to the bits of a lookup.
func (l *Lookup) Ask(row any) uint64 {
	bits := uint64(0)
	for i := range l.Bits {
		if l.Bits[i].holds(row) {
			bits |= 1 << i
		}
	}
	return bits
}

func (b *Bit) holds(row any) bool {
	value := At(row, b.Path)
	switch b.Is {
	case IsThere:
		return value != nil
	case IsTrue:
		return value == true
	case IsWord:
		return value == b.Word
	case Holds:
		list, _ := value.([]any)
		return slices.Contains(list, any(b.Word))
	}
	return false
}

func (c *Column) of(row any) (int64, error) {
	switch value := At(row, c.Path).(type) {
	case nil:
		return 0, nil
	case int64:
		return value, nil
	}
	return 0, fmt.Errorf("%s is no whole number", strings.Join(c.Path, "."))
}
