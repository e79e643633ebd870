package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// crowd is a great many names whose rows differ in nothing but numbers, and are the same on both sides. To the solver they
// are one row whose numbers are any between the least and the greatest: what no such row does, none of them does. What one
// such row does need not be what any of them does, so each example is looked up among them.
type crowd struct {
	names []string
	at    int // among the crowds of a space
}

// crowded is how many rows of one kind of answer are told apart before they are a crowd.
const crowded = 12

// crowdsOf takes the crowds out of some names, but for a few of each that stand for themselves.
func crowdsOf(tables []*table.Gate, names, single map[string]bool) []*crowd {
	if len(tables) == 0 || !slices.EqualFunc(tables[0].Program().Lookups, tables[len(tables)-1].Program().Lookups, alike) {
		return nil
	}
	alikes := map[string][]string{}
	for name := range names {
		if answers, ok := unchanged(tables, name); ok && !single[name] {
			alikes[answers] = append(alikes[answers], name)
		}
	}
	var crowds []*crowd
	for _, answers := range sortedKeys(alikes) {
		own := alikes[answers]
		if len(own) <= crowded {
			continue
		}
		slices.Sort(own)
		for _, name := range own {
			delete(names, name)
		}
		for _, name := range extremes(tables[0], own) {
			names[name] = true
		}
		crowds = append(crowds, &crowd{own, len(crowds)})
	}
	return crowds
}

// alike reports whether two lookups find the same columns by the same string.
func alike(a, b table.Lookup) bool {
	return a.Text == b.Text && a.First == b.First && slices.Equal(a.Path, b.Path) &&
		slices.EqualFunc(a.Columns, b.Columns, func(x, y table.Column) bool { return slices.Equal(x.Path, y.Path) })
}

// unchanged is what the rows of a name answer; false where they are not the same in all tables.
func unchanged(tables []*table.Gate, name string) (answers string, ok bool) {
	var w strings.Builder
	for lookup := range tables[0].Program().Lookups {
		first, there := tables[0].Row(lookup, name)
		for _, g := range tables {
			row, too := g.Row(lookup, name)
			if there != too || !slices.Equal(row.Numbers, first.Numbers) {
				return "", false
			}
			fmt.Fprint(&w, too, row.Bits, ";")
		}
	}
	return w.String(), true
}

// extremes are, of some names, the first and those with the least and the greatest number of each column.
func extremes(g *table.Gate, names []string) []string {
	chosen := map[string]bool{names[0]: true}
	for lookup, l := range g.Program().Lookups {
		for column := range l.Columns {
			by := func(a, b string) int {
				x, _ := g.Row(lookup, a)
				y, _ := g.Row(lookup, b)
				switch {
				case len(x.Numbers) == 0 || len(y.Numbers) == 0 || x.Numbers[column] == y.Numbers[column]:
					return strings.Compare(a, b)
				case x.Numbers[column] < y.Numbers[column]:
					return -1
				}
				return 1
			}
			chosen[slices.MinFunc(names, by)], chosen[slices.MaxFunc(names, by)] = true, true
		}
	}
	return slices.Sorted(maps.Keys(chosen))
}

// cellOfCrowd is a number of a crowd, the same on both sides.
type cellOfCrowd struct {
	crowd          *crowd
	lookup, column int
	low, high      int64
}

// name is how the solver calls it, for one document.
func (c cellOfCrowd) name(document string) string {
	return fmt.Sprintf("%sc%d_%d_%d", document, c.crowd.at, c.lookup, c.column)
}

// numbersOf are all the numbers of some crowds.
func (s *space) numbersOf(crowds []*crowd) []cellOfCrowd {
	var all []cellOfCrowd
	for _, c := range crowds {
		for lookup, l := range s.first.Program().Lookups {
			for column := range l.Columns {
				if low, high, ok := c.ends(s.first, lookup, column); ok {
					all = append(all, cellOfCrowd{c, lookup, column, low, high})
				}
			}
		}
	}
	return all
}

func (c *crowd) ends(g *table.Gate, lookup, column int) (low, high int64, ok bool) {
	for i, name := range c.names {
		row, there := g.Row(lookup, name)
		if !there {
			return 0, 0, false
		}
		if value := row.Numbers[column]; i == 0 {
			low, high = value, value
		} else {
			low, high = min(low, value), max(high, value)
		}
	}
	return low, high, true
}

// isCrowd is that a text is of a crowd.
func (s *space) isCrowd(text string, of *crowd) string {
	var parts []string
	for code, c := range s.crowds {
		if c == of {
			parts = append(parts, fmt.Sprintf("(= %s %d)", text, code))
		}
	}
	return anyOf(parts)
}

// alone is that no string of a document is of a crowd.
func (s *space) alone(document string) string {
	var parts []string
	for _, place := range s.places {
		for code, c := range s.crowds {
			if c != nil && place.Kind == inputs.KindText && place.Words == nil {
				parts = append(parts, fmt.Sprintf("(= %st%d %d)", document, place.Slot, code))
			}
		}
	}
	return not(anyOf(parts))
}

// member is a name of a crowd whose rows have the numbers of a model and that no other string of the document is; where
// there is none, any other.
func (s *space) member(c *crowd, document string, slot int, taken []string, values map[string]int64) string {
	fallback := ""
	for _, name := range c.names {
		if slices.Contains(taken, name) {
			continue
		}
		if fallback == "" {
			fallback = name
		}
		if s.fits(c, document, name, slot, values) {
			return name
		}
	}
	return fallback
}

// fits reports whether the rows that a name finds, as one string of a document, have the numbers of a model.
func (s *space) fits(c *crowd, document, name string, slot int, values map[string]int64) bool {
	for _, cell := range s.cells {
		if cell.crowd != c || int(s.first.Program().Lookups[cell.lookup].Text) != slot {
			continue
		}
		if row, _ := s.first.Row(cell.lookup, name); row.Numbers[cell.column] != values[cell.name(document)] {
			return false
		}
	}
	return true
}
