package review

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// cell is a set of documents: what is known of their fields. It is copied at each question that it does not answer, and
// each copy is told one answer. It may hold documents that there are not, never leave one out.
type cell struct {
	asked  [3]uint64 // the bits given, known and true that are settled
	are    [3]uint64 // what they are
	low    [inputs.MaxFlatNumbers]int64
	high   [inputs.MaxFlatNumbers]int64
	kinds  [inputs.MaxFlatTexts]uint64 // which kinds of string each can be
	same   []sameness
	bounds []bound
}

// The bits of a property, as a table's words are.
const (
	given = iota
	known
	flagged
)

// sameness is whether two strings are one.
type sameness struct {
	a, b uint16
	is   bool
}

// bound is between what a form lies.
type bound struct {
	name      string
	form      form
	low, high int64
}

// noText is the kind of a string that is not there.
const noText = 0

// whole is the cell of all documents.
func (e *explorer) whole() (cell, bool) {
	var c cell
	for i, place := range e.space.places {
		switch place.Kind {
		case inputs.KindNumber:
			c.low[place.Slot], c.high[place.Slot] = min(0, place.Low), max(0, place.High)
		case inputs.KindText:
			c.kinds[place.Slot] = e.possible(i)
		}
		if place.Kind != inputs.KindFlag {
			c.asked[flagged] |= 1 << i
		}
		if place.Object {
			c.asked[known] |= 1 << i
		}
		if place.Required && !strings.Contains(place.Name, ".") {
			c.asked[given] |= 1 << i
			c.are[given] |= 1 << i
		}
		if values, narrowed := e.space.domain[place.Name]; narrowed && !place.Object {
			if !values.Absent && (!strings.Contains(place.Name, ".")) {
				c.asked[given] |= 1 << i
				c.are[given] |= 1 << i
			}
		}
	}
	return c, e.settle(&c)
}

// possible are the kinds of string that a property can be, that of none included.
func (e *explorer) possible(i int) uint64 {
	all := uint64(1) << noText
	place := e.space.places[i]
	values, narrowed := e.space.domain[place.Name]
	for kind, names := range e.kinds {
		for _, name := range names {
			fits := place.Words == nil || slices.Contains(place.Words, name)
			if fits && (!narrowed || slices.Contains(values.Texts, name)) {
				all |= 1 << kind
			}
		}
	}
	return all
}

// is answers a bit; it is false as the second where the cell does not.
func (c *cell) is(word, bit int) (answer, settled bool) {
	return c.are[word]>>bit&1 == 1, c.asked[word]>>bit&1 == 1
}

// set settles a bit; false where it is settled otherwise.
func (c *cell) set(word, bit int, answer bool) bool {
	if was, settled := c.is(word, bit); settled {
		return was == answer
	}
	c.asked[word] |= 1 << bit
	if answer {
		c.are[word] |= 1 << bit
	}
	return true
}

// settle draws what follows, until nothing more does; false where the cell is empty.
func (e *explorer) settle(c *cell) bool {
	for {
		before := [6]uint64{c.asked[0], c.asked[1], c.asked[2], c.are[0], c.are[1], c.are[2]}
		for i := range e.space.places {
			if !e.settleProperty(c, i) {
				return false
			}
		}
		for _, tie := range e.space.ties {
			if !e.settleTie(c, tie) {
				return false
			}
		}
		if before == [6]uint64{c.asked[0], c.asked[1], c.asked[2], c.are[0], c.are[1], c.are[2]} {
			return true
		}
	}
}

// implies makes that a property's bit follows from another bit.
func (c *cell) implies(word, bit int, answer bool, then, of int, is bool) bool {
	if was, settled := c.is(word, bit); settled && was == answer {
		return c.set(then, of, is)
	}
	if was, settled := c.is(then, of); settled && was != is {
		return c.set(word, bit, !answer)
	}
	return true
}

func (e *explorer) settleProperty(c *cell, i int) bool {
	place := e.space.places[i]
	ok := c.implies(known, i, true, given, i, true)
	if !place.Object && !place.Signal {
		ok = ok && c.implies(given, i, true, known, i, true)
	}
	if place.Kind == inputs.KindFlag {
		ok = ok && c.implies(flagged, i, true, known, i, true)
	}
	if object, _, nested := strings.Cut(place.Name, "."); nested {
		parent := e.space.property(object)
		ok = ok && c.implies(given, i, true, given, parent, true)
		if place.Required {
			ok = ok && c.implies(given, parent, true, given, i, true)
		}
	}
	is, settled := c.is(known, i)
	if !ok || !settled {
		return ok
	}
	switch place.Kind {
	case inputs.KindNumber:
		if is {
			return c.between(place.Slot, place.Low, place.High)
		}
		return c.between(place.Slot, 0, 0)
	case inputs.KindText:
		if is {
			c.kinds[place.Slot] &^= 1 << noText
		} else {
			c.kinds[place.Slot] &= 1 << noText
		}
		return c.kinds[place.Slot] != 0
	}
	return true
}

func (e *explorer) settleTie(c *cell, tie inputs.Tie) bool {
	a, b := e.space.property(tie.A), e.space.property(tie.B)
	switch tie.Kind {
	case inputs.TieOneOf:
		return c.implies(given, a, true, given, b, false) && c.implies(given, a, false, given, b, true)
	case inputs.TieImplies:
		return c.implies(flagged, a, true, given, b, true)
	}
	return true // that two strings differ is asked for at each question about them
}

// between narrows a number; false where nothing is left of it.
func (c *cell) between(slot int, low, high int64) bool {
	c.low[slot], c.high[slot] = max(c.low[slot], low), min(c.high[slot], high)
	return c.low[slot] <= c.high[slot]
}

// only is the one kind that a string can be; false where there are several.
func (c *cell) only(slot uint16) (kind int, ok bool) {
	return bits.TrailingZeros64(c.kinds[slot]), bits.OnesCount64(c.kinds[slot]) == 1
}

// bind narrows a form; false where nothing is left of it.
func (c *cell) bind(name string, low, high int64) bool {
	made := make([]bound, 0, len(c.bounds)+1)
	for _, known := range c.bounds {
		if known.name == name {
			low, high = max(low, known.low), min(high, known.high)
			continue
		}
		made = append(made, known)
	}
	made = append(made, bound{name, parsed(name), low, high})
	c.bounds = made
	return low <= high
}
