package review

import (
	"context"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// closest looks for the documents of a kind that are nearest to the nominal one, by trying. What it finds is there; that
// there is nothing nearer, only the solver can say.
type closest struct {
	ctx     context.Context
	space   *space
	nominal inputs.Flat
	wanted  func(flat *inputs.Flat) bool // of a document that may be none
	values  [][]inputs.Flat              // of each property, documents that differ from the nominal one in it alone
	free    func(i int) bool             // whether a property may change
	edited  []int64                      // what one side compares with and the other does not
}

// candidates are the values that each property is tried with: the ends of its range, what anything is compared with and
// what is beside that, null and absent.
func (c *closest) candidates(edges []int64) {
	edges = append(slices.Clone(edges), c.edited...)
	s := c.space
	c.values = make([][]inputs.Flat, len(s.places))
	for i, place := range s.places {
		if !c.free(i) {
			continue
		}
		add := func(change func(flat *inputs.Flat)) {
			next := c.nominal
			next.Given |= 1 << i
			if !place.Object {
				next.Known |= 1 << i
			}
			change(&next)
			if s.off(&next, &c.nominal, i) && !slices.Contains(c.values[i], next) {
				c.values[i] = append(c.values[i], next)
			}
		}
		switch place.Kind {
		case inputs.KindNumber:
			tried := []int64{place.Low, place.High}
			tried = append(tried, s.domain[place.Name].Numbers...)
			if c.nominal.Known>>i&1 == 1 {
				tried = append(tried, c.nominal.Numbers[place.Slot]-1, c.nominal.Numbers[place.Slot]+1)
			}
			for _, edge := range edges {
				tried = append(tried, edge-1, edge, edge+1)
			}
			slices.Sort(tried)
			for _, value := range slices.Compact(tried) {
				if value >= place.Low && value <= place.High {
					add(func(flat *inputs.Flat) { flat.Numbers[place.Slot] = value })
				}
			}
		case inputs.KindText:
			words := place.Words
			if words == nil {
				words = s.some()
			}
			for _, word := range words {
				add(func(flat *inputs.Flat) { flat.Texts[place.Slot] = word })
			}
		case inputs.KindFlag:
			add(func(flat *inputs.Flat) { flat.True |= 1 << i })
			add(func(flat *inputs.Flat) { flat.True &^= 1 << i })
		default:
			add(func(*inputs.Flat) {})
		}
		clear := func(flat *inputs.Flat) {
			flat.Known &^= 1 << i
			flat.True &^= 1 << i
			switch place.Kind {
			case inputs.KindNumber:
				flat.Numbers[place.Slot] = 0
			case inputs.KindText:
				flat.Texts[place.Slot] = ""
			}
		}
		if place.Signal {
			add(clear)
		}
		if !place.Required {
			add(func(flat *inputs.Flat) {
				clear(flat)
				flat.Given &^= 1 << i
			})
		}
	}
}

// some are a few of the names that the tables tell apart, and one that they do not know.
func (s *space) some() []string {
	const most = 24
	names := s.names[:min(s.known, most)]
	if s.known < len(s.names) {
		return append(slices.Clip(names), s.names[s.known])
	}
	return names
}

// survey tries documents with no, one, two and three properties off, and gives for each kind of document the nearest.
// With two and more, of the values of a property only those are tried that alone make a difference, by what tell says of
// a document, and the ends of its range.
func (c *closest) survey(kind func(flat *inputs.Flat) (signature, bool), tell func(flat *inputs.Flat) any) map[signature]inputs.Flat {
	nearest := map[signature]inputs.Flat{}
	consider := func(next *inputs.Flat) {
		got, ok := kind(next)
		if !ok || got.kind == "" {
			return
		}
		best, seen := nearest[got.alike()]
		if !seen || c.space.from(next, &c.nominal).less(c.space.from(&best, &c.nominal)) {
			nearest[got.alike()] = *next
		}
	}
	consider(&c.nominal)
	few := make([][]inputs.Flat, len(c.values))
	for i := range c.values {
		for k := range c.values[i] {
			consider(&c.values[i][k])
		}
		few[i] = c.telling(i, tell)
	}
	var vary func(from inputs.Flat, first, more int)
	vary = func(from inputs.Flat, first, more int) {
		for i := first; i < len(few) && c.ctx.Err() == nil; i++ {
			for k := range few[i] {
				next := from
				c.space.take(&next, &few[i][k], i)
				consider(&next)
				if more > 1 {
					vary(next, i+1, more-1)
				}
			}
		}
	}
	vary(c.nominal, 0, 3)
	return nearest
}

// telling are the values of a property that make a difference, of each difference the nearest to the nominal one.
func (c *closest) telling(i int, tell func(flat *inputs.Flat) any) []inputs.Flat {
	values := slices.Clone(c.values[i])
	slices.SortStableFunc(values, func(a, b inputs.Flat) int {
		x, y := c.space.from(&a, &c.nominal), c.space.from(&b, &c.nominal)
		switch {
		case x.less(y):
			return -1
		case y.less(x):
			return 1
		}
		return 0
	})
	seen := map[any]bool{tell(&c.nominal): true}
	var few []inputs.Flat
	for k := range values {
		if c.space.document(&values[k]) == nil { // perhaps with another property
			if len(few) < 4 {
				few = append(few, values[k])
			}
			continue
		}
		said := tell(&values[k])
		if !seen[said] || c.space.places[i].Kind == inputs.KindText { // a name alone may tell nothing, and much with a number
			seen[said] = true
			few = append(few, values[k])
		}
	}
	if place := c.space.places[i]; place.Kind == inputs.KindNumber {
		for k := range values {
			value := values[k].Numbers[place.Slot]
			telling := value == place.Low || value == place.High || slices.Contains(c.edited, value)
			if telling && values[k].Known>>i&1 == 1 && !slices.Contains(few, values[k]) {
				few = append(few, values[k])
			}
		}
	}
	return few
}

// polish brings a wanted document as near to the nominal one as single steps do.
func (c *closest) polish(flat inputs.Flat) inputs.Flat {
	s := c.space
	const passes = 50 // two numbers that hang together move by small steps, which could take for ever
	improved := true
	for pass := 0; improved && pass < passes && c.ctx.Err() == nil; pass++ {
		improved = false
		for i := range s.places {
			if !s.off(&flat, &c.nominal, i) {
				continue
			}
			for _, group := range [][]int{{i}, s.together(i)} {
				next := flat
				for _, j := range group {
					s.take(&next, &c.nominal, j)
				}
				if s.from(&next, &c.nominal).less(s.from(&flat, &c.nominal)) && c.wanted(&next) {
					flat, improved = next, true
					break
				}
			}
		}
		for i, place := range s.places {
			if place.Kind != inputs.KindNumber || !s.off(&flat, &c.nominal, i) || flat.Known&c.nominal.Known>>i&1 == 0 {
				continue
			}
			if nearer := c.nearer(flat, place.Slot); nearer != flat.Numbers[place.Slot] {
				flat.Numbers[place.Slot], improved = nearer, true
			}
		}
	}
	return flat
}

// nearer is the value of a number, between what it is and what is nominal, at which a document is still wanted and the
// next one is not.
func (c *closest) nearer(flat inputs.Flat, slot int) int64 {
	return c.last(flat, slot, c.nominal.Numbers[slot]) // which itself was tried
}

// last is the value of a number, on the way to one at which a document is not wanted, at which it still is.
func (c *closest) last(flat inputs.Flat, slot int, out int64) int64 {
	in := flat.Numbers[slot]
	for gap(in, out) > 1 {
		middle := in + (out-in)/2
		next := flat
		next.Numbers[slot] = middle
		if c.wanted(&next) {
			in = middle
		} else {
			out = middle
		}
	}
	return in
}

// beside is a document one step from a wanted one, towards the nominal document where that goes, that is not wanted;
// best first those that are calm. It is false where every document one step away is wanted too.
func (c *closest) beside(flat inputs.Flat, calm func(*inputs.Flat) bool) (inputs.Flat, bool) {
	s := c.space
	var steps []inputs.Flat
	for i, place := range s.places {
		if !c.free(i) {
			continue
		}
		known := flat.Known&c.nominal.Known>>i&1 == 1
		if s.off(&flat, &c.nominal, i) {
			next := flat
			if place.Kind == inputs.KindNumber && known {
				if next.Numbers[place.Slot]++; flat.Numbers[place.Slot] > c.nominal.Numbers[place.Slot] {
					next.Numbers[place.Slot] -= 2
				}
			} else {
				for _, j := range s.together(i) {
					s.take(&next, &c.nominal, j)
				}
			}
			steps = append(steps, next)
		}
	}
	for i := range c.values { // where the nominal document is wanted itself
		for k := range c.values[i] {
			next := flat
			s.take(&next, &c.values[i][k], i)
			steps = append(steps, next)
		}
	}
	var other *inputs.Flat
	for k := range steps {
		if s.document(&steps[k]) == nil || c.wanted(&steps[k]) {
			continue
		}
		if calm(&steps[k]) {
			return steps[k], true
		}
		if other == nil {
			other = &steps[k]
		}
	}
	if other == nil {
		return inputs.Flat{}, false
	}
	return *other, true
}
