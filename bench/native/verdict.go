package native

import (
	"iter"
	"math/bits"
)

// Verdict is what a gate answers. The zero Verdict rejects.
type Verdict struct {
	Reason string // that of the first violation, or what is admitted
	Action string // what the caller does now
	Admit  bool
}

// Change is a verdict and what the caller changes if it goes on: at most one counter of each of two planes.
type Change struct {
	Verdict
	Effects [2]Effect // an Effect without a plane is none
}

// Effect is a change of one counter of one plane.
type Effect struct {
	Plane   string
	Counter Counter
	Delta   int8 // 1 or -1
}

// Counter is a counter of a plane.
type Counter uint8

// The counters of a plane.
const (
	Depth Counter = iota
	RetryBudget
)

// String is the counter's name in a decision.
func (c Counter) String() string {
	if c == RetryBudget {
		return "retry_budget"
	}
	return "depth"
}

// invalid is the verdict of a document that says less or more than its gate can read.
var invalid = Verdict{Reason: "invalid_input", Action: "reject"}

// Violations are the checks of one gate that a document violates: bit i is row i of the gate's decision table.
type Violations uint16

// add sets a row's bit where the row is violated.
func (v *Violations) add(row int, violated bool) {
	if violated {
		*v |= 1 << row
	}
}

// Rows yields the violated rows, in the order of the decision table.
func (v Violations) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := uint16(v); rest != 0; rest &= rest - 1 {
			if !yield(bits.TrailingZeros16(rest)) {
				return
			}
		}
	}
}
