package mix

import (
	"fmt"
	"math/rand/v2"

	"github.com/admitctl/admitctl/inputs"
)

// Overlay gives three planes rows of their own and leaves everything else as shipped. Documents are made for it.
const Overlay = `fence:
  planes:
    gpu-a: {depth_limit: 8}
    gpu-b: {health_max_age_ms: 3000}
    free-eval: {depth_limit: 2, health_max_age_ms: 1500}
`

// Source makes documents, one after the other.
type Source struct {
	random   *rand.Rand
	primary  []string // planes
	borrowed []string
	deck     []bool // what the next documents are to be
}

// New is a source for a seed. Its fences name five planes, three of which have rows.
func New(seed uint64) *Source {
	return &Source{
		random:   rand.New(rand.NewPCG(seed, 0)),
		primary:  []string{"gpu-a", "gpu-b", "gpu-c"},
		borrowed: []string{"free-eval", "free-batch"},
	}
}

// Over is a source whose fences name these planes, of which there must be two or more: the first half as primary, the
// others as borrowed.
func Over(seed uint64, planes []string) *Source {
	source := New(seed)
	source.primary, source.borrowed = planes[:len(planes)/2], planes[len(planes)/2:]
	return source
}

// Take makes n documents.
func Take[D any](n int, next func() D) []D {
	documents := make([]D, n)
	for i := range documents {
		documents[i] = next()
	}
	return documents
}

// admits says whether the next document should be admitted: two of five, in no order.
func (s *Source) admits() bool {
	if len(s.deck) == 0 {
		s.deck = []bool{true, true, true, true, false, false, false, false, false, false}
		s.random.Shuffle(len(s.deck), func(i, j int) { s.deck[i], s.deck[j] = s.deck[j], s.deck[i] })
	}
	last := len(s.deck) - 1
	admits := s.deck[last]
	s.deck = s.deck[:last]
	return admits
}

// chance is true in so many of a hundred cases.
func (s *Source) chance(percent int) bool { return s.random.IntN(100) < percent }

// from is a number from low to high, both included.
func (s *Source) from(low, high int64) int64 { return low + s.random.Int64N(high-low+1) }

func (s *Source) number(low, high int64) inputs.Number { return inputs.Known(s.from(low, high)) }

// bad is a number from low to high, or, in one of four cases, unknown.
func (s *Source) bad(low, high int64) inputs.Number {
	if s.chance(25) {
		return inputs.Unknown()
	}
	return s.number(low, high)
}

// pick is one of some words.
func (s *Source) pick(words []string) string { return words[s.random.IntN(len(words))] }

// name is an identifier of the usual length.
func (s *Source) name(kind string) string { return fmt.Sprintf("%s-%06d", kind, s.random.IntN(1e6)) }

// spoil applies one of the faults that a gate can find, and in a third of the cases another one.
func spoil[D any](s *Source, document D, faults []func(D)) {
	faults[s.random.IntN(len(faults))](document)
	if s.chance(33) {
		faults[s.random.IntN(len(faults))](document)
	}
}
