package table

import (
	"iter"
	"strings"
)

// Row is what a string of a document finds in the thresholds.
type Row struct {
	Name    string
	Bits    uint64  // what it answers to the bits of the lookup
	Numbers []int64 // of the columns of the lookup; it must not be changed
}

// Rows lists the rows of a lookup by name, as they are bound.
func (g *Gate) Rows(lookup int) iter.Seq[Row] {
	own := &g.rows[lookup]
	return func(yield func(Row) bool) {
		for _, name := range own.names() {
			if !yield(own.row(name)) {
				return
			}
		}
	}
}

// Row is the row of a lookup that a name finds; false, and a row without bits and numbers, where there is none.
func (g *Gate) Row(lookup int, name string) (Row, bool) {
	if _, ok := g.rows[lookup].index[name]; !ok {
		return Row{Name: strings.Clone(name)}, false
	}
	return g.rows[lookup].row(name), true
}

func (r *rows) row(name string) Row {
	at := r.index[name]
	return Row{Name: name, Bits: r.bits[at], Numbers: r.numbers[int(at)*r.width:][:r.width:r.width]}
}
