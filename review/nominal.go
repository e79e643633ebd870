package review

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

var errNoDocument = errors.New("no valid document")

// distance is how far a document is from the nominal one: fields first, then the sum of how far they are.
type distance struct {
	fields int
	sum    int64
}

func (d distance) less(than distance) bool {
	return d.fields < than.fields || d.fields == than.fields && d.sum < than.sum
}

// off reports whether a property is not as in another document.
func (s *space) off(a, b *inputs.Flat, i int) bool {
	bit := uint64(1) << i
	if (a.Given^b.Given|a.Known^b.Known|a.True^b.True)&bit != 0 {
		return true
	}
	switch place := s.places[i]; place.Kind {
	case inputs.KindNumber:
		return a.Numbers[place.Slot] != b.Numbers[place.Slot]
	case inputs.KindText:
		return a.Texts[place.Slot] != b.Texts[place.Slot]
	}
	return false
}

// from measures how far a document is from another.
func (s *space) from(a, b *inputs.Flat) distance {
	var d distance
	for i, place := range s.places {
		if !s.off(a, b, i) {
			continue
		}
		d.fields++
		if place.Kind == inputs.KindNumber && a.Known&b.Known>>i&1 == 1 {
			d.sum += gap(a.Numbers[place.Slot], b.Numbers[place.Slot])
		} else {
			d.sum++
		}
	}
	return d
}

func gap(a, b int64) int64 {
	if a > b {
		return a - b
	}
	return b - a
}

// take makes a property of a document as it is in another.
func (s *space) take(into, from *inputs.Flat, i int) {
	mask := uint64(1) << i
	into.Given = into.Given&^mask | from.Given&mask
	into.Known = into.Known&^mask | from.Known&mask
	into.True = into.True&^mask | from.True&mask
	switch place := s.places[i]; place.Kind {
	case inputs.KindNumber:
		into.Numbers[place.Slot] = from.Numbers[place.Slot]
	case inputs.KindText:
		into.Texts[place.Slot] = from.Texts[place.Slot]
	}
}

// together are the properties that can only change with a property: an object with its fields, and what it is tied to.
func (s *space) together(i int) []int {
	group := []int{i}
	if s.places[i].Object {
		for j := i + 1; j < len(s.places) && within(s.places[j].Name, s.places[i].Name); j++ {
			group = append(group, j)
		}
	}
	for _, tie := range s.ties {
		a, b := s.property(tie.A), s.property(tie.B)
		switch {
		case tie.Kind == inputs.TieOneOf && a == i:
			group = append(group, b)
		case tie.Kind == inputs.TieOneOf && b == i:
			group = append(group, a)
		case tie.Kind == inputs.TieImplies && (a == i || b == i):
			for _, other := range []int{a, b} {
				if other != i {
					group = append(group, other)
				}
			}
		}
	}
	slices.Sort(group)
	return slices.Compact(group)
}

func within(name, object string) bool {
	return len(name) > len(object) && name[:len(object)+1] == object+"."
}

// anyNominal is an admitted document of a gate that names none: of those that a search finds, that with the fewest
// fields, and of them the first.
func anyNominal(g *table.Gate) (inputs.Flat, bool) {
	var best inputs.Flat
	found := false
	for _, flat := range g.Directed(table.Effort{Draws: 3000, Most: 400}) {
		if int(g.Examine(&flat).Result) < len(g.Program().Checks) || g.Examine(&flat).Result == table.Outside {
			continue
		}
		if !found || bits.OnesCount64(flat.Given) < bits.OnesCount64(best.Given) {
			best, found = flat, true
		}
	}
	return best, found
}
