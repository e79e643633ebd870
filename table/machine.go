package table

import (
	"github.com/admitctl/admitctl/inputs"
)

// machine is one walk over one document. It lives on the stack of whoever decides.
type machine struct {
	flat    inputs.Flat
	words   [words]uint64
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
	branches := g.branches
	for {
		b := &branches[at]
		holds := false
		switch b.op {
		case TestBit:
			holds = m.words[b.a%words]&uint64(b.constant) != 0
		case AtMostFieldConstant:
			holds = m.flat.Numbers[b.a] <= b.constant
		case AtMostConstantField:
			holds = b.constant <= m.flat.Numbers[b.b]
		case AtMostFieldField:
			holds = m.flat.Numbers[b.a] <= m.flat.Numbers[b.b]
		case AtMostFieldColumn:
			holds = m.flat.Numbers[b.a] <= m.columns[b.b]
		case AtMostColumnField:
			holds = m.columns[b.a] <= m.flat.Numbers[b.b]
		case AtMost:
			holds = m.value(g, uint16(b.constant)) <= m.value(g, uint16(b.constant>>16))
		case EqualFieldConstant:
			holds = m.flat.Numbers[b.a] == b.constant
		case Equal:
			holds = m.value(g, uint16(b.constant)) == m.value(g, uint16(b.constant>>16))
		case SameText:
			holds = m.flat.Texts[b.a] == m.flat.Texts[b.b]
		case TextIs:
			holds = m.flat.Texts[b.a] == g.program.Words[b.constant]
		case Find:
			m.find(g, b.a)
			holds = true
		case Match:
			s := &g.program.Shapes[b.constant]
			holds = m.words[WordKnown]&s.Known == s.Known && m.words[WordGiven]&s.Absent == 0
		case Fork:
			at = g.program.Jumps[b.constant+int64(m.find(g, b.a))]
			continue
		case Mark:
			m.marked |= uint64(b.constant)
			holds = true
		default: // Stop
			return b.yes
		}
		at = b.no
		if holds {
			at = b.yes
		}
	}
}

// branch is a node with its constant, small enough that a walk stays in the cache.
type branch struct {
	constant int64 // of a bit its mask; of expressions the places of both
	yes, no  uint16
	op       Op
	a, b     uint8
}

// words is how many words a machine has: a power of two, so that no place is out of it.
const words = 8

// branched puts constants into nodes.
func branched(p *Program, constants []int64) []branch {
	made := make([]branch, len(p.Nodes))
	for i, n := range p.Nodes {
		b := branch{yes: n.Yes, no: n.No, op: n.Op, a: uint8(n.A), b: uint8(n.B)}
		switch n.Op {
		case Stop:
			b.yes = n.A
		case TestBit:
			b.constant = 1 << (n.B & 63)
		case Mark:
			b.constant = 1 << (n.A & 63)
		case AtMostFieldConstant, EqualFieldConstant:
			b.constant = constants[n.B]
		case AtMostConstantField:
			b.constant = constants[n.A]
		case AtMost, Equal:
			b.constant = int64(n.A) | int64(n.B)<<16
		case Match:
			b.constant = int64(n.A)
		case TextIs, Fork:
			b.constant = int64(n.B)
		}
		made[i] = b
	}
	return made
}

// find takes the row that a string of the document names, and of none nothing. It gives the place of what the row
// answers among all answers.
func (m *machine) find(g *Gate, lookup uint8) uint8 {
	own := &g.rows[lookup]
	row, ok := own.index[m.flat.Texts[own.text]]
	if !ok {
		m.words[(WordRows+lookup)%words] = 0
		return own.none
	}
	m.words[(WordRows+lookup)%words] = own.bits[row]
	copy(m.columns[own.first:], own.numbers[int(row)*own.width:][:own.width])
	return own.answers[row]
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
