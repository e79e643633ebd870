// Package mutantswitch is what mutated Go source calls in the place of its operations: one build holds every mutant, and
// the environment names the one that is on.
package mutantswitch

import (
	"cmp"
	"os"
	"strconv"
	"sync/atomic"
)

// What the environment says.
const (
	ActiveVariable  = "TABULATOR_MUTANT"         // the number of the mutant, none where it is not set
	ReachedVariable = "TABULATOR_MUTANT_REACHED" // a file that gets the number of each mutant that is reached, a line each
	SecondsVariable = "TABULATOR_MUTANT_SECONDS" // processor time, after which the kernel ends the process
)

const mostMutants = 1 << 16

var (
	active    = numberIn(ActiveVariable, -1)
	recording = record(os.Getenv(ReachedVariable))
	_         = limit(numberIn(SecondsVariable, 0))
	reached   [mostMutants]atomic.Bool
)

func numberIn(variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func record(name string) *os.File {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return file
}

// On reports whether a mutant is on.
func On(id int) bool {
	if recording != nil {
		reach(id)
	}
	return id == active
}

// reach writes at once: tests end in more ways than one.
func reach(id int) {
	if !reached[id].Swap(true) {
		if _, err := recording.WriteString(strconv.Itoa(id) + "\n"); err != nil {
			panic(err)
		}
	}
}

// Less is a < b, or its first mutant a <= b, or its second a > b.
func Less[T cmp.Ordered](id int, a, b T) bool {
	switch {
	case On(id):
		return a <= b
	case On(id + 1):
		return a > b
	}
	return a < b
}

// AtMost is a <= b, or a < b, or a >= b.
func AtMost[T cmp.Ordered](id int, a, b T) bool {
	switch {
	case On(id):
		return a < b
	case On(id + 1):
		return a >= b
	}
	return a <= b
}

// More is a > b, or a >= b, or a < b.
func More[T cmp.Ordered](id int, a, b T) bool {
	switch {
	case On(id):
		return a >= b
	case On(id + 1):
		return a < b
	}
	return a > b
}

// AtLeast is a >= b, or a > b, or a <= b.
func AtLeast[T cmp.Ordered](id int, a, b T) bool {
	switch {
	case On(id):
		return a > b
	case On(id + 1):
		return a <= b
	}
	return a >= b
}
