package review

import (
	"math/bits"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// attempts bounds how often the numbers of a document are moved until all bounds of its cell hold.
const attempts = 16

// member looks for a document of a cell that is wanted, near the nominal one where the cell allows it.
func (w *wander) member(c cell, wanted func(*inputs.Flat) bool) (inputs.Flat, bool) {
	for _, prefer := range []int{0, 1, 2} {
		for turn := range 6 {
			if flat, ok := w.pick(c, prefer, turn); ok && wanted(&flat) {
				return flat, true
			}
		}
	}
	return inputs.Flat{}, false
}

// pick takes for each field a value that the cell allows: the nominal one or the nearest to it, or of numbers the lowest,
// or the highest. turn says which number of a form is moved first.
func (w *wander) pick(c cell, prefer, turn int) (inputs.Flat, bool) {
	for i := range w.pair.space.places { // what is open is as in the nominal document
		for word, mask := range []uint64{w.nominal.Given, w.nominal.Known, w.nominal.True} {
			if _, ok := c.is(word, i); ok {
				continue
			}
			next := c
			if next.set(word, i, mask>>i&1 == 1) && w.settle(&next) {
				c = next
				continue
			}
			if !c.set(word, i, mask>>i&1 == 0) || !w.settle(&c) {
				return inputs.Flat{}, false
			}
		}
	}
	flat := inputs.Flat{Given: c.are[given], Known: c.are[known], True: c.are[flagged]}
	for slot, i := range w.numbers {
		if c.are[known]>>i&1 == 0 {
			c.low[slot], c.high[slot] = 0, 0
		}
		low, high := c.low[slot], c.high[slot]
		if low > high {
			return flat, false
		}
		values := []int64{min(max(w.nominal.Numbers[slot], low), high), low, high}
		flat.Numbers[slot] = values[prefer]
		if domain := w.pair.space.domain[w.pair.space.places[i].Name].Numbers; domain != nil && c.are[known]>>i&1 == 1 {
			at := slices.IndexFunc(domain, func(value int64) bool { return value >= low && value <= high })
			if at < 0 {
				return flat, false
			}
			if !slices.Contains(domain, flat.Numbers[slot]) {
				flat.Numbers[slot] = domain[at]
			}
		}
	}
	w.move(&c, &flat, turn)
	return flat, w.name(&c, &flat)
}

// move moves numbers, one at a time and no farther than the cell allows, until the bounds of all forms hold.
func (w *wander) move(c *cell, flat *inputs.Flat, turn int) {
	for attempt := range attempts {
		broken := false
		for _, b := range c.bounds {
			if value := b.form.at(flat); value >= b.low && value <= b.high {
				continue
			}
			broken = true
			variables := b.form.variables()
			slot, _ := variableOf(variables[(turn+attempt/4)%len(variables)])
			w.shift(c, flat, b, slot, turn >= 3)
		}
		if !broken {
			return
		}
	}
}

// shift moves one number as little as is needed for a form to be within its bounds, or, deep, well into them; where they
// are out of reach, as far as the cell allows.
func (w *wander) shift(c *cell, flat *inputs.Flat, b bound, slot int, deep bool) {
	miss := func(value int64) int64 { // how far the form is from its bounds, and on which side
		next := *flat
		next.Numbers[slot] = value
		switch got := b.form.at(&next); {
		case got < b.low:
			return got - b.low
		case got > b.high:
			return got - b.high
		}
		return 0
	}
	low, high := c.low[slot], c.high[slot]
	out := flat.Numbers[slot]
	if deep || miss(low) != 0 && miss(high) != 0 { // a form goes one way in each of its numbers
		for atLow := miss(low); high-low > 1 && (atLow < 0) != (miss(high) < 0); {
			middle := low + (high-low)/2
			if got := miss(middle); got == 0 {
				flat.Numbers[slot] = middle
				return
			} else if (got < 0) == (atLow < 0) {
				low = middle
			} else {
				high = middle
			}
		}
	}
	in := low
	if abs(miss(high)) < abs(miss(low)) {
		in = high
	}
	if miss(in) == 0 {
		for gap(in, out) > 1 {
			if middle := in + (out-in)/2; miss(middle) == 0 {
				in = middle
			} else {
				out = middle
			}
		}
	}
	flat.Numbers[slot] = in
}

// name gives the strings of a document names of their kinds, that are one or not as the cell says.
func (w *wander) name(c *cell, flat *inputs.Flat) bool {
	taken := make([]string, len(w.texts))
	var assign func(slot int) bool
	assign = func(slot int) bool {
		if slot == len(w.texts) {
			return true
		}
		options := w.namesFor(c, slot)
		for _, name := range options {
			taken[slot] = name
			if w.agrees(c, taken[:slot+1]) && assign(slot+1) {
				return true
			}
		}
		return false
	}
	if !assign(0) {
		return false
	}
	copy(flat.Texts[:], taken)
	return true
}

// namesFor are the names that a string can have, the nominal one first.
func (w *wander) namesFor(c *cell, slot int) []string {
	i := w.texts[slot]
	if c.are[known]>>i&1 == 0 {
		return []string{""}
	}
	var names []string
	place := w.pair.space.places[i]
	for rest := c.kinds[slot] &^ (1 << noText); rest != 0; rest &= rest - 1 {
		for _, name := range w.kinds[bits.TrailingZeros64(rest)] {
			if place.Words == nil || slices.Contains(place.Words, name) {
				names = append(names, name)
			}
		}
	}
	if at := slices.Index(names, w.nominal.Texts[slot]); at > 0 {
		names[0], names[at] = names[at], names[0]
	}
	return names
}

// agrees reports whether the last of some strings is one with the others, or not, as the cell says.
func (w *wander) agrees(c *cell, names []string) bool {
	last := len(names) - 1
	for slot := range last {
		if is, settled := w.sameText(c, uint16(slot), uint16(last)); settled && is != (names[slot] == names[last]) {
			return false
		}
	}
	return true
}
