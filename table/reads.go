package table

import (
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// Reads lists the fields that the branches of the program read, or that a decision shows or has an effect on, sorted: of
// two documents that differ in others alone, the decision is the same. "invalid_input" is none of its branches, since no
// invalid document gets there.
func (p *Program) Reads() []string {
	places, fits := inputs.Places(p.Properties)
	if !fits {
		return nil
	}
	r := &reads{places: places, read: map[string]bool{}}
	for i := range p.Nodes {
		r.node(p, &p.Nodes[i])
	}
	for i := range p.Expressions {
		if p.Expressions[i].Term == Field {
			r.slot(inputs.KindNumber, p.Expressions[i].A)
		}
	}
	for i := range p.Lookups {
		r.slot(inputs.KindText, p.Lookups[i].Text)
	}
	for i := range p.Values {
		if p.Values[i].Is == ShowText {
			r.slot(inputs.KindText, p.Values[i].A)
		}
	}
	for i := range p.Admits {
		for _, effect := range p.Admits[i].Effects {
			r.slot(inputs.KindText, effect.Text)
		}
	}
	var names []string
	for name := range r.read {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// reads are the names of the fields that were seen.
type reads struct {
	places []inputs.Place
	read   map[string]bool
}

// slot is a number or a text of the document.
func (r *reads) slot(kind inputs.Kind, slot uint16) {
	for i := range r.places {
		if r.places[i].Kind == kind && r.places[i].Slot == int(slot) {
			r.read[r.places[i].Name] = true
		}
	}
}

func (r *reads) bits(mask uint64) {
	for i := range r.places {
		if mask>>i&1 != 0 {
			r.read[r.places[i].Name] = true
		}
	}
}

func (r *reads) node(p *Program, n *Node) {
	switch n.Op {
	case Match:
		r.bits(p.Shapes[n.A].Known | p.Shapes[n.A].Absent)
	case TestBit:
		if n.A < WordRows {
			r.bits(1 << n.B)
		}
	case AtMostFieldConstant, AtMostFieldColumn, EqualFieldConstant:
		r.slot(inputs.KindNumber, n.A)
	case AtMostConstantField, AtMostColumnField:
		r.slot(inputs.KindNumber, n.B)
	case AtMostFieldField:
		r.slot(inputs.KindNumber, n.A)
		r.slot(inputs.KindNumber, n.B)
	case SameText:
		r.slot(inputs.KindText, n.A)
		r.slot(inputs.KindText, n.B)
	case TextIs:
		r.slot(inputs.KindText, n.A)
	}
}
