package table

import (
	"math/bits"

	"github.com/admitctl/admitctl/inputs"
)

// machine is one walk over one document. It lives on the stack of whoever decides.
type machine struct {
	flat    inputs.Flat
	words   [WordRows + MaxLookups]uint64
	columns [MaxColumns]int64
	marked  uint64
	outside bool // an expression overflowed
}

// load reads the document.
func (m *machine) load(document inputs.Document) bool {
	if !inputs.Flatten(document, &m.flat) {
		return false
	}
	m.words[WordGiven], m.words[WordKnown], m.words[WordTrue] = m.flat.Given, m.flat.Known, m.flat.True
	return true
}

// walk goes from node to node until one stops, and gives its result. Programs have no loops: Validate proved it.
func (m *machine) walk(g *Gate, at uint16) uint16 {
	nodes := g.nodes
	for {
		n := &nodes[at]
		holds := false
		switch n.Op {
		case TestBit:
			holds = m.words[n.A]>>(n.B&63)&1 != 0
		case AtMostFieldConstant:
			holds = m.flat.Numbers[n.A] <= g.constants[n.B]
		case AtMostConstantField:
			holds = g.constants[n.A] <= m.flat.Numbers[n.B]
		case AtMostFieldField:
			holds = m.flat.Numbers[n.A] <= m.flat.Numbers[n.B]
		case AtMostFieldColumn:
			holds = m.flat.Numbers[n.A] <= m.columns[n.B]
		case AtMostColumnField:
			holds = m.columns[n.A] <= m.flat.Numbers[n.B]
		case AtMost:
			holds = m.value(g, n.A) <= m.value(g, n.B)
		case EqualFieldConstant:
			holds = m.flat.Numbers[n.A] == g.constants[n.B]
		case Equal:
			holds = m.value(g, n.A) == m.value(g, n.B)
		case SameText:
			holds = m.flat.Texts[n.A] == m.flat.Texts[n.B]
		case TextIs:
			holds = m.flat.Texts[n.A] == g.program.Words[n.B]
		case Find:
			m.find(g, n.A)
			holds = true
		case Mark:
			m.marked |= 1 << (n.A & 63)
			holds = true
		default: // Stop
			return n.A
		}
		at = n.No
		if holds {
			at = n.Yes
		}
	}
}

// find takes the row that a string of the document names, and of none nothing.
func (m *machine) find(g *Gate, lookup uint16) {
	own := &g.rows[lookup]
	row, ok := own.index[m.flat.Texts[own.text]]
	if !ok {
		m.words[WordRows+lookup] = 0
		return
	}
	m.words[WordRows+lookup] = own.bits[row]
	copy(m.columns[own.first:], own.numbers[int(row)*own.width:][:own.width])
}

// value computes an expression. Once one has overflowed, what the walk comes to means nothing.
func (m *machine) value(g *Gate, at uint16) int64 {
	e := &g.program.Expressions[at]
	switch e.Term {
	case Field:
		return m.flat.Numbers[e.A]
	case Number:
		return g.constants[e.A]
	case Cell:
		return m.columns[e.A]
	case CeilingOf:
		return ceiling(m.value(g, e.A), g.constants[e.B])
	case FloorOf:
		return floor(m.value(g, e.A), g.constants[e.B])
	}
	a, b := m.value(g, e.A), m.value(g, e.B)
	result, ok := combine(e.Term, a, b)
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

// scalar is a value as a decision shows it.
func (m *machine) scalar(g *Gate, s *Scalar) inputs.Value {
	switch s.Is {
	case ShowExpression:
		return inputs.Value{Kind: inputs.KindNumber, Number: m.value(g, s.A)}
	case ShowText:
		return inputs.Value{Kind: inputs.KindText, Text: m.flat.Texts[s.A]}
	}
	return s.Word
}
