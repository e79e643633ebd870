package table

import (
	"math/bits"

	"github.com/admitctl/admitctl/inputs"
)

// Examination is everything that a table says of a document, but for the numbers that it shows. Two documents with equal
// examinations are on the same side of every threshold that decides.
type Examination struct {
	Result   uint16 // a check, len(checks) and on a way to admit, or Outside
	Violated uint64 // checks
	Unknown  uint64 // signals
	Shown    uint64 // a digest of which values the violations show
}

// Examine says what becomes of a document that lies flat, for whoever looks for documents. It must be valid.
func (g *Gate) Examine(flat *inputs.Flat) Examination {
	m := machine{flat: *flat}
	m.words[WordGiven], m.words[WordKnown], m.words[WordTrue] = flat.Given, flat.Known, flat.True
	e := Examination{Result: m.walk(g, g.program.Entry.First)}
	if int(e.Result) < len(g.program.Checks) {
		m.walk(g, g.program.Entry.All)
		e.Violated, m.marked = m.marked, 0
		for marked := e.Violated; marked != 0; marked &= marked - 1 {
			check := &g.program.Checks[bits.TrailingZeros64(marked)]
			e.Shown = e.Shown*31 + uint64(m.walk(g, check.Observed))
			e.Shown = e.Shown*31 + uint64(m.walk(g, check.Limit))
		}
	}
	m.walk(g, g.program.Entry.Unknown)
	e.Unknown = m.marked
	if m.outside {
		e.Result = Outside
	}
	return e
}
