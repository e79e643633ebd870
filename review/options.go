package review

import "time"

// Options say how hard [Compare], [Prove] and [Nearest] try. The zero value asks no solver.
type Options struct {
	// Solver is the path of an SMT solver that reads SMT-LIB from its standard input (z3); empty is none.
	Solver string
	// Limit is the time that one question to the solver may take; 0 is [DefaultLimit]. What takes longer is unproved.
	Limit time.Duration
	// Cells is how many combinations of answers are gone through without a solver; 0 is [DefaultCells].
	Cells int
	// Most is how many changes of a gate are listed; 0 is [DefaultMost].
	Most int
	// Domains narrow the documents of gates, by the gate's name: only documents within are compared. A gate that is not
	// here has all of its documents.
	Domains map[string]Domain
	// Gates are those that [Prove] proves; none is all of them.
	Gates []string
}

// The defaults of [Options].
const (
	DefaultLimit = 20 * time.Second
	DefaultCells = 2_000_000
	DefaultMost  = 20
)

// Domain narrows the documents of a gate, by the names of properties. A property that is not here may be whatever its
// schema says.
type Domain map[string]Values

// Values are all that a property of a [Domain] may be. None of them is what the schema forbids.
type Values struct {
	Absent  bool // it may be left out
	Null    bool // it may be null
	Numbers []int64
	Texts   []string
	Flags   []bool
}

func (o Options) filled() Options {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	if o.Cells <= 0 {
		o.Cells = DefaultCells
	}
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	return o
}
