package table

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// Effort says how hard [Gate.Directed] looks.
type Effort struct {
	Draws int // documents drawn at random, in the search for every outcome
	Most  int // documents given; 0 is all that were found
	Every bool
	Seed  uint64
}

// Directed finds documents that tell a table from one that is a little wrong: for every outcome that it can find, one
// that gets it, and from there, for every field, both sides of each value at which something changes, the ends of its
// range, null and absent. With Every, values at which nothing should change are there too. The same table and effort
// give the same documents, the most telling first.
func (g *Gate) Directed(effort Effort) []inputs.Flat {
	s := &search{g: g, random: rand.New(rand.NewPCG(effort.Seed, 1)), every: effort.Every, outcomes: map[Examination]bool{}, seen: map[inputs.Flat]bool{}}
	s.places, _ = inputs.Places(g.program.Properties)
	s.ties = inputs.Ties(g.program.Gate)
	s.candidates()
	s.draw(effort.Draws)
	for _, base := range slices.Clone(s.bases) {
		if most := effort.Most; most > 0 && len(s.seen) > 4*most {
			break
		}
		s.sweep(base)
	}
	return s.told(effort.Most)
}

// search is a search for documents.
type search struct {
	g       *Gate
	random  *rand.Rand
	every   bool
	places  []inputs.Place
	ties    []inputs.Tie
	numbers [][]int64 // that each place is tried with, in order
	texts   [][]string

	bases    []inputs.Flat // one an outcome
	outcomes map[Examination]bool
	seen     map[inputs.Flat]bool
	novel    []inputs.Flat // with an examination that none before had
	edges    []inputs.Flat // at a value at which something changes
	rest     []inputs.Flat
}

// candidates are the values worth trying: the ends of ranges, and what the program and the rows compare with.
func (s *search) candidates() {
	edges := []int64{0, 1}
	edges = append(edges, s.g.constants...)
	names := slices.Clone(s.g.program.Words)
	for i := range s.g.rows {
		own := &s.g.rows[i]
		edges = append(edges, own.numbers[:min(len(own.numbers), 32)]...)
		names = append(names, own.some(8)...)
	}
	names = append(names, "a", "b")
	s.numbers, s.texts = make([][]int64, len(s.places)), make([][]string, len(s.places))
	for i, place := range s.places {
		switch {
		case place.Kind == inputs.KindText && place.Words != nil:
			s.texts[i] = place.Words
		case place.Kind == inputs.KindText:
			s.texts[i] = names
		case place.Kind == inputs.KindNumber:
			tried := []int64{place.Low, place.High, place.Low/2 + place.High/2}
			for _, edge := range edges {
				for _, value := range []int64{edge - 1, edge, edge + 1} {
					if value >= place.Low && value <= place.High {
						tried = append(tried, value)
					}
				}
			}
			slices.Sort(tried)
			s.numbers[i] = slices.Compact(tried)
		}
	}
}

// some are a few of the names of the rows, in order.
func (r *rows) some(most int) []string {
	names := r.names()
	if len(names) > most {
		names = append(names[:most-1:most-1], names[len(names)-1])
	}
	return names
}

// restart is after how many draws a search begins anew: enough to get past a dozen checks.
const restart = 600

// draw draws documents, each a change of the one that got farthest through the checks, and keeps the first of each
// outcome.
func (s *search) draw(draws int) {
	results := map[uint16]bool{}
	best, farthest := s.fresh(), -1
	for i := range draws {
		next := best
		if i%restart == restart-1 { // from somewhere else
			next, farthest = s.fresh(), -1
		} else {
			for range 1 + s.random.IntN(3) {
				s.change(&next, s.random.IntN(len(s.places)))
			}
		}
		s.mend(&next)
		result := s.g.Examine(&next).Result
		if !results[result] {
			results[result] = true
			s.bases = append(s.bases, next)
			s.keep(next, false)
		}
		if got := s.score(result); got >= farthest {
			best, farthest = next, got
		}
	}
	// Those that admit first: next to them every check can be broken alone.
	slices.SortStableFunc(s.bases, func(a, b inputs.Flat) int {
		return s.score(s.g.Examine(&b).Result) - s.score(s.g.Examine(&a).Result)
	})
}

func (s *search) score(result uint16) int {
	if result == Outside {
		return -1
	}
	return int(result)
}

// fresh is any document.
func (s *search) fresh() inputs.Flat {
	var flat inputs.Flat
	for i := range s.places {
		s.change(&flat, i)
	}
	s.mend(&flat)
	return flat
}

// change draws a field anew.
func (s *search) change(flat *inputs.Flat, i int) {
	place, bit := s.places[i], uint64(1)<<i
	flat.Given |= bit
	flat.Known |= bit
	switch place.Kind {
	case inputs.KindNumber:
		flat.Numbers[place.Slot] = s.numbers[i][s.random.IntN(len(s.numbers[i]))]
	case inputs.KindText:
		flat.Texts[place.Slot] = s.texts[i][s.random.IntN(len(s.texts[i]))]
	case inputs.KindFlag:
		flat.True ^= uint64(s.random.IntN(2)) << i
	}
	switch draw := s.random.IntN(8); {
	case draw < 3 && !place.Required:
		s.remove(flat, i)
	case draw == 3 && place.Signal:
		s.null(flat, i)
	}
}

func (s *search) remove(flat *inputs.Flat, i int) {
	s.null(flat, i)
	flat.Given &^= 1 << i
}

func (s *search) null(flat *inputs.Flat, i int) {
	flat.Known &^= 1 << i
	flat.True &^= 1 << i
	switch s.places[i].Kind {
	case inputs.KindNumber:
		flat.Numbers[s.places[i].Slot] = 0
	case inputs.KindText:
		flat.Texts[s.places[i].Slot] = ""
	}
}

// sweep varies every field of a document alone.
func (s *search) sweep(base inputs.Flat) {
	for i, place := range s.places {
		var variants []inputs.Flat
		vary := func(change func(flat *inputs.Flat)) {
			next := base
			next.Given |= 1 << i
			next.Known |= 1 << i
			change(&next)
			s.mend(&next)
			variants = append(variants, next)
		}
		if !place.Required {
			vary(func(flat *inputs.Flat) { s.remove(flat, i) })
		}
		if place.Signal {
			vary(func(flat *inputs.Flat) { s.null(flat, i) })
		}
		switch place.Kind {
		case inputs.KindFlag:
			vary(func(flat *inputs.Flat) { flat.True |= 1 << i })
			vary(func(flat *inputs.Flat) { flat.True &^= 1 << i })
		case inputs.KindText:
			for _, text := range s.texts[i] {
				vary(func(flat *inputs.Flat) { flat.Texts[place.Slot] = text })
			}
		case inputs.KindNumber:
			s.edgesOf(base, i)
		default:
			vary(func(*inputs.Flat) {})
		}
		for _, variant := range variants {
			s.keep(variant, true)
		}
	}
}

// edgesOf keeps both sides of every value of a number at which something changes.
func (s *search) edgesOf(base inputs.Flat, i int) {
	at := func(value int64) (inputs.Flat, Examination) {
		next := base
		next.Given |= 1 << i
		next.Known |= 1 << i
		next.Numbers[s.places[i].Slot] = value
		s.mend(&next)
		return next, s.g.Examine(&next)
	}
	values := s.numbers[i]
	for k := range values {
		low := values[k]
		flat, here := at(low)
		if s.every || k == 0 || k == len(values)-1 {
			s.keep(flat, k == 0 || k == len(values)-1)
		}
		if k+1 == len(values) {
			break
		}
		high := values[k+1]
		_, there := at(high)
		if here == there {
			continue
		}
		for high-low > 1 { // between two values that differ there is an edge
			middle := low + (high-low)/2
			if _, got := at(middle); got == here {
				low = middle
			} else {
				high = middle
			}
		}
		below, _ := at(low)
		above, _ := at(high)
		s.keep(below, true)
		s.keep(above, true)
	}
}

// keep takes a document that was not there yet.
func (s *search) keep(flat inputs.Flat, edge bool) {
	if s.seen[flat] {
		return
	}
	s.seen[flat] = true
	examination := s.g.Examine(&flat)
	switch {
	case !s.outcomes[examination]:
		s.outcomes[examination] = true
		s.novel = append(s.novel, flat)
	case edge:
		s.edges = append(s.edges, flat)
	default:
		s.rest = append(s.rest, flat)
	}
}

// told gives the documents, of too many the first of each kind and of the rest some from everywhere.
func (s *search) told(most int) []inputs.Flat {
	all := slices.Concat(s.novel, s.edges, s.rest)
	if most <= 0 || len(all) <= most {
		return all
	}
	novel := min(len(s.novel), most/2)
	told := slices.Clone(all[:novel])
	others := all[novel:]
	step := float64(len(others)) / float64(most-novel)
	for at := 0.0; len(told) < most; at += step {
		told = append(told, others[min(int(math.Floor(at)), len(others)-1)])
	}
	return told
}
