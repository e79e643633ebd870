package review

import (
	"github.com/admitctl/admitctl/table"
)

// segment is where a walk of marks asks about one bit, and where it goes on.
type segment struct{ from, to uint16 }

// segmentsOf takes a walk of marks apart.
func segmentsOf(p *table.Program, entry uint16, count int) []segment {
	for p.Nodes[entry].Op == table.Find {
		entry = p.Nodes[entry].Yes
	}
	segments := make([]segment, count)
	for bit := range segments {
		to := entry
		for _, n := range p.Nodes {
			if n.Op == table.Mark && int(n.A) == bit && reaches(p, entry, n) {
				to = n.Yes
			}
		}
		segments[bit] = segment{entry, to}
		entry = to
	}
	return segments
}

// reaches reports whether a walk from a node can come to another.
func reaches(p *table.Program, from uint16, to table.Node) bool {
	seen := map[uint16]bool{}
	queue := []uint16{from}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		n := p.Nodes[at]
		if n == to {
			return true
		}
		switch n.Op {
		case table.Stop:
		case table.Find, table.Mark:
			queue = append(queue, n.Yes)
		case table.Fork:
			for i := range p.Lookups[n.A].Answers {
				queue = append(queue, p.Jumps[int(n.B)+i])
			}
		default:
			queue = append(queue, n.Yes, n.No)
		}
	}
	return false
}
