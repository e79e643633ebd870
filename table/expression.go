package table

import "math/bits"

// computation is an expression with its operands at hand.
type computation struct {
	term Term
	a, b operand
}

// operand is a number of the document, a constant, a number of a row, or another expression.
type operand struct {
	constant int64
	at       uint16
	is       Term // Field, Number or Cell; else an expression
}

// computed puts constants into expressions.
func computed(p *Program, constants []int64) []computation {
	made := make([]computation, len(p.Expressions))
	of := func(at uint16) operand {
		switch e := p.Expressions[at]; e.Term {
		case Number:
			return operand{constant: constants[e.A], is: Number}
		case Field, Cell:
			return operand{at: e.A, is: e.Term}
		}
		return operand{at: at, is: Sum}
	}
	for i, e := range p.Expressions {
		switch made[i].term = e.Term; e.Term {
		case Field, Number, Cell:
			made[i].a = of(uint16(i))
		case CeilingOf, FloorOf:
			made[i].a, made[i].b = of(e.A), operand{constant: constants[e.B], is: Number}
		default:
			made[i].a, made[i].b = of(e.A), of(e.B)
		}
	}
	return made
}

// read is what an operand is.
func (m *machine) read(g *Gate, o *operand) int64 {
	switch o.is {
	case Field:
		return m.flat.Numbers[o.at]
	case Number:
		return o.constant
	case Cell:
		return m.columns[o.at]
	}
	return m.value(g, o.at)
}

// small is below which two numbers, neither of them negative, are added or multiplied without care.
const small = 1 << 31

// value computes an expression. Once one has overflowed, what the walk comes to means nothing.
func (m *machine) value(g *Gate, at uint16) int64 {
	e := &g.computations[at]
	a := m.read(g, &e.a)
	switch e.term {
	case Field, Number, Cell:
		return a
	case CeilingOf:
		return ceiling(a, e.b.constant)
	case FloorOf:
		return floor(a, e.b.constant)
	}
	b := m.read(g, &e.b)
	if uint64(a|b) < small {
		switch e.term {
		case Sum:
			return a + b
		case Product:
			return a * b
		}
	}
	result, ok := combine(e.term, a, b)
	if !ok {
		m.outside = true
	}
	return result
}

// combine adds, subtracts or multiplies; false where 64 bits do not hold the result.
func combine(term Term, a, b int64) (int64, bool) {
	switch term {
	case Sum:
		sum := a + b
		return sum, (a^sum)&(b^sum) >= 0
	case Minus:
		difference := a - b
		return difference, (a^b)&(a^difference) >= 0
	}
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	product := a * b
	negative := (a < 0) != (b < 0)
	switch {
	case a == 0 || b == 0:
		return 0, true
	case negative:
		return product, high == 0 && low <= 1<<63
	}
	return product, high == 0 && low < 1<<63
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// ceiling is a / b, rounded up; b is positive.
func ceiling(a, b int64) int64 {
	quotient := a / b
	if a%b > 0 {
		quotient++
	}
	return quotient
}

// floor is a / b, rounded down; b is positive.
func floor(a, b int64) int64 {
	quotient := a / b
	if a%b < 0 {
		quotient--
	}
	return quotient
}
