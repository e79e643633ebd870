package review

import (
	"math"
	"math/bits"
	"slices"

	"github.com/admitctl/admitctl/table"
)

// compared is what a node compares, as a form that it wants to be at most 0, or, where equal is told, 0. It is false as
// the last where the cell does not know a row yet, or where it is none that is understood.
func (e *explorer) compared(c *cell, side int, n table.Node) (f form, equal, ok bool) {
	field := func(slot uint16) form { return form{terms: map[string]int64{variableName(slot): 1}} }
	constant := func(at uint16) form { return form{constant: e.constants[side][at].Value} }
	var a, b form
	ok = true
	switch n.Op {
	case table.AtMostFieldConstant, table.EqualFieldConstant:
		a, b, equal = field(n.A), constant(n.B), n.Op == table.EqualFieldConstant
	case table.AtMostConstantField:
		a, b = constant(n.A), field(n.B)
	case table.AtMostFieldField:
		a, b = field(n.A), field(n.B)
	case table.AtMostFieldColumn, table.AtMostColumnField:
		column, slot := n.B, n.A
		if n.Op == table.AtMostColumnField {
			column, slot = n.A, n.B
		}
		var value int64
		value, ok = e.cellOf(c, side, column)
		a, b = field(slot), form{constant: value}
		if n.Op == table.AtMostColumnField {
			a, b = b, a
		}
	case table.AtMost, table.Equal:
		equal = n.Op == table.Equal
		if a, ok = e.formOf(c, side, n.A); ok {
			b, ok = e.formOf(c, side, n.B)
		}
	default:
		return form{}, false, false
	}
	if !ok {
		return form{}, equal, false
	}
	f, ok = a.plus(b, -1)
	return f, equal, ok
}

// cellOf is the number of a column; false where the rows that a cell can find have different ones.
func (e *explorer) cellOf(c *cell, side int, column uint16) (int64, bool) {
	lookup, at := e.column(side, column)
	first, found := int64(0), false
	for rest := c.kinds[e.programs[side].Lookups[lookup].Text]; rest != 0; rest &= rest - 1 {
		value := e.inColumn(side, lookup, at, e.name(bits.TrailingZeros64(rest)))
		if found && value != first {
			return 0, false
		}
		first, found = value, true
	}
	return first, found
}

func (e *explorer) column(side int, column uint16) (lookup, at int) {
	for i, l := range e.programs[side].Lookups {
		if at := int(column) - int(l.First); at >= 0 && at < len(l.Columns) {
			return i, at
		}
	}
	panic("review: a column of no lookup")
}

func (e *explorer) inColumn(side, lookup, at int, name string) int64 {
	row, _ := e.tables[side].Row(lookup, name)
	if at < len(row.Numbers) {
		return row.Numbers[at]
	}
	return 0
}

// sides are the parts of a cell on either side of a comparison, or those in which the comparison is of known rows and
// numbers.
func (e *explorer) sides(c cell, side int, n table.Node) []cell {
	for _, column := range e.columns(side, n) {
		if _, ok := e.cellOf(&c, side, column); !ok {
			lookup, at := e.column(side, column)
			return e.byName(c, e.programs[side].Lookups[lookup].Text, func(name string) int64 { return e.inColumn(side, lookup, at, name) })
		}
	}
	f, equal, ok := e.compared(&c, side, n)
	if !ok {
		e.lost = "its rules compute what cells do not understand"
		return nil
	}
	return e.around(c, f, equal)
}

// around are the parts of a cell below, at and above 0 of a form, or, first, those in which its numbers are known or not.
func (e *explorer) around(c cell, f form, equal bool) []cell {
	for _, variable := range f.variables() {
		slot, _ := variableOf(variable)
		if _, ok := c.is(known, e.numbers[slot]); !ok {
			return e.bit(c, known, e.numbers[slot])
		}
	}
	bounds := []ends{{math.MinInt64, 0}, {1, math.MaxInt64}}
	if equal {
		bounds = []ends{{math.MinInt64, -1}, {0, 0}, {1, math.MaxInt64}}
	}
	var parts []cell
	for _, b := range bounds {
		next := c
		if next.limit(f, b.low, b.high) {
			parts = append(parts, next)
		}
	}
	return parts
}

// columns are the columns that a node reads.
func (e *explorer) columns(side int, n table.Node) []uint16 {
	switch n.Op {
	case table.AtMostFieldColumn:
		return []uint16{n.B}
	case table.AtMostColumnField:
		return []uint16{n.A}
	case table.AtMost, table.Equal:
		return append(e.columnsIn(side, n.A), e.columnsIn(side, n.B)...)
	}
	return nil
}

func (e *explorer) columnsIn(side int, at uint16) []uint16 {
	switch x := e.programs[side].Expressions[at]; x.Term {
	case table.Cell:
		return []uint16{x.A}
	case table.Field, table.Number:
		return nil
	case table.CeilingOf, table.FloorOf:
		return e.columnsIn(side, x.A)
	default:
		return append(e.columnsIn(side, x.A), e.columnsIn(side, x.B)...)
	}
}

// within is between what a form lies in a cell: by its numbers, by what is known of it, and by what is known of forms
// that it is the sum of one of and a rest.
func (c *cell) within(f form) ends {
	if len(f.terms) == 0 {
		return ends{f.constant, f.constant}
	}
	r := c.rangeOf(f)
	for i := range c.bounds {
		b := &c.bounds[i]
		for _, factor := range f.multiples(b.form) {
			rest, ok := f.plus(b.form, -factor)
			if !ok {
				continue
			}
			low, high := scaled(b.low, factor), scaled(b.high, factor)
			of := ends{0, 0}
			if len(rest.terms) > 0 {
				of = c.direct(rest)
			}
			r = ends{max(r.low, summed(min(low, high), of.low)), min(r.high, summed(max(low, high), of.high))}
		}
	}
	return ends{added(r.low, f.constant), added(r.high, f.constant)}
}

// direct is between what the terms of a form lie by its numbers, and by what is known of this very form.
func (c *cell) direct(f form) ends {
	r := c.rangeOf(f)
	if len(f.terms) < 2 {
		return r
	}
	name, scale := f.canonical()
	for i := range c.bounds {
		if b := &c.bounds[i]; b.name == name {
			low, high := scaled(b.low, scale), scaled(b.high, scale)
			r = ends{max(r.low, min(low, high)), min(r.high, max(low, high))}
		}
	}
	return r
}

// multiples are by what another form can be multiplied so that it has a term of this one.
func (f form) multiples(of form) []int64 {
	var factors []int64
	for _, name := range sortedKeys(of.terms) {
		if own := f.terms[name]; own != 0 && own%of.terms[name] == 0 && !slices.Contains(factors, own/of.terms[name]) {
			factors = append(factors, own/of.terms[name])
		}
	}
	return factors
}

// summed is the sum of two ends of one kind, of which either may stand for no end.
func summed(a, b int64) int64 {
	for _, end := range []int64{math.MinInt64, math.MaxInt64} {
		if a == end || b == end {
			return end
		}
	}
	return added(a, b)
}

// limit narrows a cell to the documents in which a form is between two ends; false where there are none.
func (c *cell) limit(f form, low, high int64) bool {
	if len(f.terms) == 0 {
		return low <= f.constant && f.constant <= high
	}
	name, scale := f.canonical()
	low, high = added(low, -f.constant), added(high, -f.constant)
	if scale < 0 {
		low, high, scale = negated(high), negated(low), -scale
	}
	if low != math.MinInt64 {
		low = ceiling(low, scale)
	}
	if high != math.MaxInt64 {
		high = -ceiling(-high, scale)
	}
	if variables := f.variables(); len(variables) == 1 && len(f.terms) == 1 {
		if slot, divisor := variableOf(variables[0]); variables[0][0] == 'n' && f.terms[variables[0]] != 0 {
			return c.between(slot, low, high) && c.consistent()
		} else if variables[0][0] == 'c' && f.terms[variables[0]] != 0 { // ceil(n/d) <= h is n <= h*d, and l <= it is (l-1)*d < n
			return c.between(slot, added(scaled(added(low, -1), divisor), 1), scaled(high, divisor)) && c.consistent()
		}
	}
	return c.bind(name, low, high) && c.consistent()
}

// consistent reports whether all bounds can hold, as far as that is seen from each alone.
func (c *cell) consistent() bool {
	for i := range c.bounds {
		if r := c.within(c.bounds[i].form); r.low > r.high {
			return false
		}
	}
	return true
}

// added and scaled stay at the ends of int64, which stand for no end.
func added(n, by int64) int64 {
	if n == math.MinInt64 || n == math.MaxInt64 {
		return n
	}
	sum := n + by
	switch {
	case by > 0 && sum < n:
		return math.MaxInt64
	case by < 0 && sum > n:
		return math.MinInt64
	}
	return sum
}

func scaled(n, by int64) int64 {
	if n == math.MinInt64 || n == math.MaxInt64 {
		if by < 0 {
			return negated(n)
		}
		return n
	}
	product := n * by
	if by != 0 && product/by != n {
		if (n < 0) == (by < 0) {
			return math.MaxInt64
		}
		return math.MinInt64
	}
	return product
}

func negated(n int64) int64 {
	switch n {
	case math.MinInt64:
		return math.MaxInt64
	case math.MaxInt64:
		return math.MinInt64
	}
	return -n
}
