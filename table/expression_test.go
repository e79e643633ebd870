package table

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyNumber draws numbers of every size, and often one at which something changes.
func anyNumber() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.Int64(),
		rapid.SampledFrom([]int64{0, 1, -1, 2, -2, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1, 1 << 31, 1<<31 - 1, -1 << 31, 1 << 32, 1 << 53, 3037000499, 3037000500, -3037000500, 1 << 62, -1 << 62}),
		rapid.Custom(func(t *rapid.T) int64 {
			return rapid.Int64().Draw(t, "number") >> rapid.IntRange(0, 63).Draw(t, "by")
		}),
	)
}

// requireExact holds one computation against numbers without a limit.
func requireExact(t require.TestingT, term Term, a, b int64) {
	want, x, y := new(big.Int), big.NewInt(a), big.NewInt(b)
	switch term {
	case Sum:
		want.Add(x, y)
	case Minus:
		want.Sub(x, y)
	default:
		want.Mul(x, y)
	}
	got, ok := combine(term, a, b)
	require.Equal(t, want.IsInt64(), ok, "%d and %d by term %d", a, b, term)
	if ok {
		require.Equal(t, want.Int64(), got, "%d and %d by term %d", a, b, term)
	}
}

// Sums, differences and products are exact, or known not to be.
func TestArithmeticIsExact(t *testing.T) {
	edges := []int64{0, 1, -1, 2, -2, 3, -3, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1, math.MaxInt64 / 2, math.MinInt64 / 2, 1 << 31, 1<<31 - 1, -1 << 31, 1 << 32, -1 << 32, 3037000499, 3037000500, -3037000499, -3037000500}
	for _, term := range []Term{Sum, Minus, Product} {
		for _, a := range edges {
			for _, b := range edges {
				requireExact(t, term, a, b)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		requireExact(t, rapid.SampledFrom([]Term{Sum, Minus, Product}).Draw(t, "term"), anyNumber().Draw(t, "a"), anyNumber().Draw(t, "b"))
	})
}

// Divisions round to the next whole number above or below.
func TestDivisionsRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyNumber().Draw(t, "a"), rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "b")
		// big.Int.DivMod is Euclidean: for a positive divisor its quotient is the floor.
		below, rest := new(big.Int).DivMod(big.NewInt(a), big.NewInt(b), new(big.Int))
		require.Equal(t, below.Int64(), floor(a, b))
		if rest.Sign() > 0 {
			below.Add(below, big.NewInt(1))
		}
		require.Equal(t, below.Int64(), ceiling(a, b))
	})
}

// Expressions of expressions are exact too, whatever their operands are; what overflows somewhere is outside.
func TestExpressionsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Program{Constants: []Constant{{Value: anyNumber().Draw(t, "constant")}, {Value: rapid.Int64Range(1, 1<<20).Draw(t, "divisor")}}}
		m := &machine{}
		m.flat.Numbers[0], m.flat.Numbers[1], m.columns[0] = anyNumber().Draw(t, "field"), anyNumber().Draw(t, "other field"), anyNumber().Draw(t, "cell")
		p.Expressions = []Expression{{Term: Field}, {Term: Field, A: 1}, {Term: Number}, {Term: Cell}}
		want := []*big.Int{big.NewInt(m.flat.Numbers[0]), big.NewInt(m.flat.Numbers[1]), big.NewInt(p.Constants[0].Value), big.NewInt(m.columns[0])}
		fits := []bool{true, true, true, true}
		for range rapid.IntRange(1, 8).Draw(t, "expressions") {
			a, b := rapid.IntRange(0, len(want)-1).Draw(t, "a"), rapid.IntRange(0, len(want)-1).Draw(t, "b")
			e := Expression{Term: rapid.SampledFrom([]Term{Sum, Minus, Product, CeilingOf, FloorOf}).Draw(t, "term"), A: uint16(a), B: uint16(b)}
			result, inside := new(big.Int), fits[a] && fits[b]
			switch e.Term {
			case Sum:
				result.Add(want[a], want[b])
			case Minus:
				result.Sub(want[a], want[b])
			case Product:
				result.Mul(want[a], want[b])
			default:
				e.B, inside = 1, fits[a]
				rest := new(big.Int)
				result.DivMod(want[a], big.NewInt(p.Constants[1].Value), rest)
				if e.Term == CeilingOf && rest.Sign() > 0 {
					result.Add(result, big.NewInt(1))
				}
			}
			p.Expressions = append(p.Expressions, e)
			want, fits = append(want, result), append(fits, inside && result.IsInt64())
		}
		g, err := p.Bind(nil, nil, "")
		require.NoError(t, err)
		last := len(want) - 1
		got := m.value(g, uint16(last))
		require.Equal(t, fits[last], !m.outside)
		if fits[last] {
			require.Equal(t, want[last].Int64(), got)
		}
	})
}
