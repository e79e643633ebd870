package table

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// The same gate and effort give the same documents, another seed gives others, and all are valid.
func TestDirectedDocumentsRepeatAndAreValid(t *testing.T) {
	schema := handSchema(t)
	for _, node := range []Node{{Op: AtMostFieldConstant, A: 0, B: 0}, {Op: AtMost, A: 4, B: 3}, {Op: TextIs, A: 1, B: 1}} {
		g := hand(t, node)
		for _, effort := range []Effort{{Draws: 300}, {Draws: 300, Every: true, Seed: 7}, {Draws: 50, Most: 20, Seed: 3}, {}} {
			found := g.Directed(effort)
			require.Equal(t, found, g.Directed(effort))
			for _, flat := range found {
				document, err := flat.Document("hand", schema)
				require.NoError(t, err)
				require.Equal(t, flat, *flatOf(t, document), "a document that is made of what lies flat lies so again")
			}
			seen := map[inputs.Flat]bool{}
			for _, flat := range found {
				require.False(t, seen[flat])
				seen[flat] = true
			}
		}
		require.NotEqual(t, g.Directed(Effort{Draws: 300, Seed: 1}), g.Directed(Effort{Draws: 300, Seed: 2}))
	}
}

// No more documents come than were asked for, and of fewer the most telling come first.
func TestDirectedKeepsToMost(t *testing.T) {
	g := hand(t, Node{Op: AtMost, A: 4, B: 3})
	all := g.Directed(Effort{Draws: 500, Every: true})
	for _, most := range []int{1, 2, 5, 17, 64, len(all), len(all) + 1} {
		some := g.Directed(Effort{Draws: 500, Every: true, Most: most})
		require.LessOrEqual(t, len(some), most)
		require.NotEmpty(t, some)
	}
	outcomes := map[uint16]bool{}
	for _, flat := range g.Directed(Effort{Draws: 500, Most: 16}) {
		outcomes[g.Examine(&flat).Result] = true
	}
	require.Contains(t, outcomes, uint16(0))
	require.Contains(t, outcomes, uint16(1))
}

// Both sides of every value at which something changes are there: of thresholds, literals, rows and sums.
func TestDirectedKnowsBothSides(t *testing.T) {
	for _, c := range []struct {
		name   string
		node   Node
		last   func(flat *inputs.Flat) int64 // of the yes side
		at     int64
		beyond int64
	}{
		{"a threshold", Node{Op: AtMostFieldConstant, A: 0, B: 0}, func(f *inputs.Flat) int64 { return f.Numbers[0] }, 10, 11},
		{"a literal", Node{Op: AtMostFieldConstant, A: 0, B: 1}, func(f *inputs.Flat) int64 { return f.Numbers[0] }, -3, -2},
		{"the least", Node{Op: AtMostConstantField, A: 0, B: 0}, func(f *inputs.Flat) int64 { return f.Numbers[0] }, 10, 9},
		{"a row's number", Node{Op: AtMostFieldColumn, A: 0, B: 0}, func(f *inputs.Flat) int64 {
			if f.Texts[0] != "a" {
				return -1 << 60
			}
			return f.Numbers[0]
		}, 4, 5},
		{"a sum", Node{Op: AtMost, A: 4, B: 2}, func(f *inputs.Flat) int64 { return f.Numbers[0] + f.Numbers[1] }, 10, 11},
		{"one number", Node{Op: EqualFieldConstant, A: 0, B: 0}, func(f *inputs.Flat) int64 { return f.Numbers[0] }, 10, 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := hand(t, c.node)
			yes, no := false, false
			for _, flat := range g.Directed(Effort{Draws: 400, Most: 64}) {
				result := g.Examine(&flat).Result
				yes = yes || result == 1 && c.last(&flat) == c.at
				no = no || result == 0 && c.last(&flat) == c.beyond
			}
			require.True(t, yes, "no document at %d", c.at)
			require.True(t, no, "no document at %d", c.beyond)
		})
	}
}
