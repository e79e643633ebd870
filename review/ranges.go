package review

import (
	"fmt"
	"math/big"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// fits wants every number that the table computes to fit into 64 bits, as the solver's always do.
func (c *coder) fits() error {
	type ends struct{ low, high *big.Int }
	ranges := make([]ends, len(c.p.Expressions))
	single := func(n int64) ends { return ends{big.NewInt(n), big.NewInt(n)} }
	most := new(big.Int).Lsh(big.NewInt(1), 63)
	for i, e := range c.p.Expressions {
		var own ends
		switch e.Term {
		case table.Field:
			own = single(0)
			for _, place := range c.space.places {
				if place.Kind == inputs.KindNumber && place.Slot == int(e.A) {
					own = ends{big.NewInt(min(0, place.Low)), big.NewInt(max(0, place.High))}
				}
			}
		case table.Number:
			own = single(c.numbers[e.A].Value)
		case table.Cell:
			own = single(0)
			for lookup, l := range c.p.Lookups {
				if at := int(e.A) - int(l.First); at >= 0 && at < len(l.Columns) {
					for row := range c.g.Rows(lookup) {
						own = ends{smaller(own.low, big.NewInt(row.Numbers[at])), larger(own.high, big.NewInt(row.Numbers[at]))}
					}
				}
			}
		case table.CeilingOf, table.FloorOf: // no farther from zero than what is divided, but for rounding
			own = ends{new(big.Int).Sub(ranges[e.A].low, big.NewInt(1)), new(big.Int).Add(ranges[e.A].high, big.NewInt(1))}
		default:
			a, b := ranges[e.A], ranges[e.B]
			for _, x := range []*big.Int{a.low, a.high} {
				for _, y := range []*big.Int{b.low, b.high} {
					z := new(big.Int)
					switch e.Term {
					case table.Sum:
						z.Add(x, y)
					case table.Minus:
						z.Sub(x, y)
					default:
						z.Mul(x, y)
					}
					if own.low == nil {
						own = ends{z, z}
					}
					own = ends{smaller(own.low, z), larger(own.high, z)}
				}
			}
		}
		if ranges[i] = own; own.high.Cmp(most) >= 0 || own.low.Cmp(new(big.Int).Neg(most)) < 0 {
			return fmt.Errorf("a number that its rules compute can pass 64 bits")
		}
	}
	return nil
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
