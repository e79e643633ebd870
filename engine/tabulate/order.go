package tabulate

import (
	"cmp"
	"slices"
)

// ordered puts the members of a set into OPA's order. It is unknown where a member depends on the document or on a
// threshold, which may then be another one too.
func (t *tabulation) ordered(members choices) (sorted choices, unordered bool) {
	if len(members) < 2 {
		return members, false
	}
	for _, member := range members {
		if !t.fixed(member.is) {
			return members, true
		}
	}
	sorted = slices.Clone(members)
	slices.SortStableFunc(sorted, func(a, b choice) int { return t.compare(a.is, b.is) })
	return sorted, false
}

// compare is OPA's order of values that are the same for every document: by type, and objects by their first key or
// value that differs.
func (t *tabulation) compare(a, b value) int {
	if kind(a) != kind(b) {
		return cmp.Compare(kind(a), kind(b))
	}
	switch left := a.(type) {
	case boolean:
		return cmp.Compare(truth(bool(left)), truth(bool(b.(boolean))))
	case number:
		return cmp.Compare(t.expressions[left.expression].value, t.expressions[b.(number).expression].value)
	case text:
		return cmp.Compare(left, b.(text))
	case object:
		return t.compareObjects(left, b.(object))
	}
	return 0
}

func (t *tabulation) compareObjects(a, b object) int {
	left, right := a.names(), b.names()
	for i := range min(len(left), len(right)) {
		if by := cmp.Compare(left[i], right[i]); by != 0 {
			return by
		}
		if by := t.compare(a.fields[left[i]][0].is, b.fields[right[i]][0].is); by != 0 {
			return by
		}
	}
	return cmp.Compare(len(left), len(right))
}
