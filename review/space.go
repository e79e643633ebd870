package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// space is the documents of a gate: what they hold, and which strings some table tells apart.
//
// A string matters only by which row it finds, which word it is and which other string it equals. So a handful of names
// stand for all: for each kind of row as many as a document has strings, and as many that no table knows.
type space struct {
	gate   string
	places []inputs.Place
	ties   []inputs.Tie
	names  []string // the strings that stand for all, those of one kind beside each other
	known  int      // of names, those that some table knows; the others are any
	crowds []*crowd // by name: the names that it stands for one of, nil where it stands for its own kind
	codes  map[string]int
	first  *table.Gate // whose rows the crowds are of; nil without tables
	cells  []cellOfCrowd
	domain Domain
	schema []*inputs.Schema
}

// maxNames bounds how many strings a question distinguishes.
const maxNames = 4096

// newSpace lays out the documents that some tables of one gate decide. Its error says why they cannot be.
func newSpace(gate string, properties []inputs.Property, tables []*table.Gate, nominal *inputs.Flat, domain Domain, schema []*inputs.Schema) (*space, error) {
	s := &space{gate: gate, ties: inputs.Ties(gate), domain: domain, schema: schema, codes: map[string]int{}}
	s.places, _ = inputs.Places(properties)
	single := map[string]bool{} // strings that are compared with by themselves
	texts := 0
	for _, place := range s.places {
		if place.Kind != inputs.KindText {
			continue
		}
		for _, word := range place.Words {
			single[word] = true
		}
		if place.Words == nil {
			texts++
		}
		if nominal != nil && nominal.Texts[place.Slot] != "" {
			single[nominal.Texts[place.Slot]] = true
		}
		for _, text := range domain[place.Name].Texts {
			single[text] = true
		}
	}
	for _, g := range tables {
		for _, word := range g.Program().Words {
			single[word] = true
		}
		for _, value := range g.Program().Values {
			if value.Word.Kind == inputs.KindText {
				single[value.Word.Text] = true
			}
		}
	}
	delete(single, "")
	rows := map[string]bool{}
	for _, g := range tables {
		for lookup := range g.Program().Lookups {
			for row := range g.Rows(lookup) {
				rows[row.Name] = true
			}
		}
	}
	for name := range single {
		rows[name] = true
	}
	crowds := crowdsOf(tables, rows, single)
	if len(tables) > 0 {
		s.first = tables[0]
	}
	s.cells = s.numbersOf(crowds)
	kinds := map[string][]string{}
	for name := range rows {
		kind := kindOf(tables, name)
		if single[name] {
			kind += name
		}
		kinds[kind] = append(kinds[kind], name)
	}
	for _, kind := range sortedKeys(kinds) {
		names := kinds[kind]
		slices.Sort(names)
		for _, name := range names[:min(len(names), max(texts, 1))] {
			s.add(name, nil)
		}
	}
	for _, c := range crowds {
		for range max(texts, 1) {
			s.add(c.names[0], c)
		}
	}
	s.known = len(s.names)
	for i := range texts {
		s.add(s.unused(i), nil)
	}
	if len(s.names) > maxNames {
		return nil, fmt.Errorf("its thresholds tell %d kinds of names apart, more than the %d that are compared", len(kinds), maxNames)
	}
	return s, nil
}

// add gives a name a code.
func (s *space) add(name string, of *crowd) {
	if of == nil {
		s.codes[name] = len(s.names)
	}
	s.names, s.crowds = append(s.names, name), append(s.crowds, of)
}

// kindOf is what some tables find under a name.
func kindOf(tables []*table.Gate, name string) string {
	var kind strings.Builder
	for _, g := range tables {
		for lookup := range g.Program().Lookups {
			row, ok := g.Row(lookup, name)
			fmt.Fprint(&kind, ok, row.Bits, row.Numbers, ";")
		}
	}
	return kind.String()
}

// unused is a name that no table knows.
func (s *space) unused(i int) string {
	name := fmt.Sprintf("other-%d", i+1)
	for slices.Contains(s.names[:s.known], name) {
		name += "x"
	}
	return name
}

// property is the place of a property, -1 where there is none.
func (s *space) property(name string) int {
	return slices.IndexFunc(s.places, func(place inputs.Place) bool { return place.Name == name })
}

// within reports whether a document is in the domain.
func (s *space) within(flat *inputs.Flat) bool {
	if len(s.domain) == 0 {
		return true
	}
	for i, place := range s.places {
		values, narrowed := s.domain[place.Name]
		if narrowed && !values.hold(flat, i, place) {
			return false
		}
	}
	return true
}

func (v Values) hold(flat *inputs.Flat, i int, place inputs.Place) bool {
	bit := uint64(1) << i
	switch {
	case flat.Given&bit == 0:
		return v.Absent
	case place.Object: // which is never called known
		return true
	case flat.Known&bit == 0:
		return v.Null
	}
	switch place.Kind {
	case inputs.KindNumber:
		return slices.Contains(v.Numbers, flat.Numbers[place.Slot])
	case inputs.KindText:
		return slices.Contains(v.Texts, flat.Texts[place.Slot])
	case inputs.KindFlag:
		return slices.Contains(v.Flags, flat.True&bit != 0)
	}
	return true // an object that is there
}

// document is the document that lies flat, nil where it is none of the gate's, or not of the domain.
func (s *space) document(flat *inputs.Flat) inputs.Document {
	if !s.within(flat) {
		return nil
	}
	document, err := flat.Document(s.gate, s.schema...)
	if err != nil {
		return nil
	}
	return document
}
