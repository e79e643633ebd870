package review

import (
	"cmp"
	"maps"
	"slices"
)

// sortedKeys lists the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](of map[K]V) []K { return slices.Sorted(maps.Keys(of)) }
