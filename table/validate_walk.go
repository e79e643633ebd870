package table

import "fmt"

// nodes wants what each node reads to be there.
func (v *validation) nodes() error {
	for i, n := range v.p.Nodes {
		if !v.reads(n) {
			return fmt.Errorf("node %d reads what is not there", i)
		}
	}
	return nil
}

func (v *validation) reads(n Node) bool {
	number := func(slot uint16) bool { return int(slot) < v.numbers }
	text := func(slot uint16) bool { return int(slot) < v.texts }
	constant := func(at uint16) bool { return int(at) < len(v.p.Constants) }
	expression := func(at uint16) bool { return int(at) < len(v.p.Expressions) }
	switch n.Op {
	case Stop, Mark: // what they say depends on the walk
		return true
	case Find:
		return int(n.A) < len(v.p.Lookups)
	case Fork:
		return int(n.A) < len(v.p.Lookups) && len(v.p.Lookups[n.A].Answers) > 0 && int(n.B)+len(v.p.Lookups[n.A].Answers) <= len(v.p.Jumps)
	case TestBit:
		if n.A < WordRows {
			return int(n.B) < len(v.p.Properties)
		}
		lookup := int(n.A) - WordRows
		return lookup < len(v.p.Lookups) && int(n.B) < len(v.p.Lookups[lookup].Bits)
	case AtMostFieldConstant, EqualFieldConstant:
		return number(n.A) && constant(n.B)
	case AtMostConstantField:
		return constant(n.A) && number(n.B)
	case AtMostFieldField:
		return number(n.A) && number(n.B)
	case AtMostFieldColumn:
		return number(n.A) && v.cell(n.B)
	case AtMostColumnField:
		return v.cell(n.A) && number(n.B)
	case AtMost, Equal:
		return expression(n.A) && expression(n.B)
	case SameText:
		return text(n.A) && text(n.B)
	case TextIs:
		return text(n.A) && int(n.B) < len(v.p.Words)
	}
	return false
}

// walks wants each walk to end, and to come to what it is for.
func (v *validation) walks() error {
	p := v.p
	results := len(p.Checks) + len(p.Admits)
	first := func(n Node) bool { return n.Op == Stop && (int(n.A) < results || n.A == Outside) }
	marks := func(most int) func(Node) bool {
		return func(n Node) bool { return n.Op == Stop || int(n.A) < most }
	}
	shows := func(n Node) bool { return n.Op == Stop && int(n.A) < len(p.Values) }
	shown := make([]uint16, 0, 2*len(p.Checks))
	for _, check := range p.Checks {
		shown = append(shown, check.Observed, check.Limit)
	}
	for _, walk := range []struct {
		what    string
		entries []uint16
		ends    func(Node) bool // whether a Stop or a Mark has its place in the walk
	}{
		{"to the first violation", []uint16{p.Entry.First}, first},
		{"over all violations", []uint16{p.Entry.All}, marks(len(p.Checks))},
		{"over what is unknown", []uint16{p.Entry.Unknown}, marks(len(p.Unknown))},
		{"to what is shown", shown, shows},
	} {
		if err := v.walk(walk.entries, walk.ends); err != nil {
			return fmt.Errorf("the walk %s: %w", walk.what, err)
		}
	}
	return nil
}

// walk goes every way from some nodes, without recursion: a program may be as deep as it is long.
func (v *validation) walk(entries []uint16, ends func(Node) bool) error {
	const (
		untouched = iota
		under     // on the way to where the walk is
		done
	)
	state := make([]uint8, len(v.p.Nodes))
	for _, entry := range entries {
		stack := []uint16{entry}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			if int(at) >= len(v.p.Nodes) {
				return fmt.Errorf("there is no node %d", at)
			}
			n := v.p.Nodes[at]
			switch {
			case state[at] != untouched: // all below it is done, or it was left here twice
				state[at] = done
				stack = stack[:len(stack)-1]
				continue
			case (n.Op == Stop || n.Op == Mark) && !ends(n):
				return fmt.Errorf("node %d comes to what is not there", at)
			}
			state[at] = under
			for _, next := range v.next(n) {
				if int(next) < len(state) && state[next] == under {
					return fmt.Errorf("it comes back to node %d", next)
				}
				if int(next) >= len(state) || state[next] == untouched {
					stack = append(stack, next)
				}
			}
		}
	}
	return nil
}

// next are the nodes that a walk can go to.
func (v *validation) next(n Node) []uint16 {
	switch n.Op {
	case Stop:
		return nil
	case Mark, Find:
		return []uint16{n.Yes}
	case Fork:
		return v.p.Jumps[n.B:][:len(v.p.Lookups[n.A].Answers)]
	}
	return []uint16{n.No, n.Yes}
}
