// Package mutated is source for the program that mutates the tabulator, with each kind of place that it mutates.
package mutated

// Level is an enumeration.
type Level uint8

// The levels.
const (
	Low Level = iota
	High
)

// Quick is of a boolean type of its own.
type Quick bool

var names = [...]string{Low: "low", High: "high"}

// Sum adds what is positive, up to the first 9, and counts each 1 as 1.
func Sum(numbers []int) (sum int) {
	for _, n := range numbers {
		if n <= 0 {
			continue
		}
		if n == 9 {
			break
		}
		sum += n * 1
	}
	return sum
}

// Search is the first place of what a loop without an end looks for.
func Search(numbers []int, wanted int) int {
	i := 0
	for {
		if numbers[i] == wanted {
			break
		}
		i++
	}
	return i
}

// Endless has no break, so that one may not be put into it.
func Endless(numbers []int) int {
	for i := 0; ; i++ {
		if numbers[i] < 0 {
			continue
		}
		return i
	}
}

// Bits packs a mask, a shift and a complement.
func Bits(a uint64, n uint) uint64 {
	a |= 1 << n
	a &^= 1
	return ^a&0xff | uint64(1)<<n>>1
}

// Both is lazy on its right side.
func Both(p *int, ready bool) bool {
	return p != nil && *p > 0 || !ready
}

// Name is that of a level.
func Name(level Level, quick Quick) string {
	switch {
	case quick == Quick(true):
		return "quick"
	case level > High:
		return ""
	}
	return names[level]
}

// LevelOf is the level of a name.
func LevelOf(name string) (Level, bool) {
	switch name {
	case "low":
		return Low, true
	case "high":
		return High, true
	}
	return 0, false
}

// Untold has a guard that nothing passes, and a comparison that is told in no test.
func Untold(n int) int {
	if n > 100 {
		n = 100
	}
	return max(n, 0)
}
