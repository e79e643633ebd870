package table

import (
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// mend makes a document valid again: what is required is there, what is of an object that is not there is not there, and
// what contradicts is undone.
func (s *search) mend(flat *inputs.Flat) {
	for i, place := range s.places {
		if place.Required && flat.Given>>i&1 == 0 {
			s.give(flat, i)
		}
	}
	for _, tie := range s.ties {
		a, b := s.property(tie.A), s.property(tie.B)
		switch tie.Kind {
		case inputs.TieOneOf:
			if flat.Given>>a&1 == flat.Given>>b&1 {
				s.give(flat, a)
				s.remove(flat, b)
			}
		case inputs.TieImplies:
			if flat.True>>a&1 == 1 && flat.Given>>b&1 == 0 {
				s.give(flat, b)
			}
		}
	}
	for i, place := range s.places {
		object, _, nested := strings.Cut(place.Name, ".")
		if !nested {
			continue
		}
		switch there := flat.Given>>s.property(object)&1 == 1; {
		case !there:
			s.remove(flat, i)
		case place.Required && flat.Given>>i&1 == 0:
			s.give(flat, i)
		}
	}
	for _, tie := range s.ties {
		a, b := s.places[s.property(tie.A)].Slot, s.places[s.property(tie.B)].Slot
		if tie.Kind == inputs.TieDiffer && flat.Texts[a] == flat.Texts[b] {
			flat.Texts[b] += "2"
		}
	}
}

// give puts the first value that a field can have where there is none.
func (s *search) give(flat *inputs.Flat, i int) {
	place := s.places[i]
	flat.Given |= 1 << i
	switch place.Kind {
	case inputs.KindNull:
		return
	case inputs.KindNumber:
		flat.Numbers[place.Slot] = s.numbers[i][0]
	case inputs.KindText:
		flat.Texts[place.Slot] = s.texts[i][0]
	}
	flat.Known |= 1 << i
}

func (s *search) property(name string) int {
	for i, place := range s.places {
		if place.Name == name {
			return i
		}
	}
	return -1
}
