package tabulate

import (
	"slices"
	"strings"

	"github.com/admitctl/admitctl/table"
)

// pairs applies an operation to every pair of values that two operands can be together.
func (t *tabulation) pairs(a, b choices, condition formula, operation func(a, b value) choices) choices {
	f := t.formulas
	var made choices
	for _, left := range a {
		for _, right := range b {
			when := f.and(left.when, right.when)
			if f.and(when, condition) == never {
				continue
			}
			t.work()
			made = t.joined(made, when, operation(left.is, right.is))
		}
	}
	return made
}

// same is when two operands are equal.
func (t *tabulation) same(a, b choices, condition formula) formula {
	f := t.formulas
	equal := never
	for _, left := range a {
		for _, right := range b {
			if when := f.and(left.when, right.when); f.and(when, condition) != never {
				equal = f.or(equal, f.and(when, t.equalTo(left.is, right.is)))
			}
		}
	}
	return equal
}

// equalTo is when two values are equal.
func (t *tabulation) equalTo(a, b value) formula {
	if kind(a) != 0 && kind(b) != 0 && kind(a) != kind(b) {
		return never
	}
	switch left := a.(type) {
	case null:
		return always
	case boolean:
		return truth(left == b.(boolean))
	case text:
		if right, ok := b.(text); ok {
			return truth(left == right)
		}
		return t.textIs(b.(field).property, string(left))
	case field:
		if right, ok := b.(text); ok {
			return t.textIs(left.property, string(right))
		}
		return t.sameText(left.property, b.(field).property)
	case number:
		if right, ok := b.(number); ok {
			return t.equal(left.expression, right.expression)
		}
	case counted:
		return t.sameCount(left, b)
	case set:
		return t.sameSet(left, b.(set))
	case object:
		if right, ok := b.(object); ok {
			return t.sameObject(left, right)
		}
	case list:
		if right := b.(list); len(left.members) == 0 && len(right.members) == 0 {
			return always
		}
	}
	if right, ok := b.(counted); ok {
		return t.sameCount(right, a)
	}
	if kind(a) != 0 && a.key() == b.key() {
		return always
	}
	panic(t.unsupported("an equality of "+kindNames[kind(a)], "compare numbers, words and sets of words"))
}

var kindNames = [...]string{"unlike values", "nulls", "flags", "numbers that are no plain ones", "strings", "lists", "objects", "sets"}

func truth(holds bool) formula {
	if holds {
		return always
	}
	return never
}

// sameSet is when two sets have the same members. Members that depend on the document may be one and the same.
func (t *tabulation) sameSet(a, b set) formula {
	f := t.formulas
	in := map[string][2]formula{}
	for side, members := range []choices{a.members, b.members} {
		for _, member := range members {
			if !t.fixed(member.is) {
				panic(t.unsupported("an equality of sets that hold fields of the document", "use in"))
			}
			both := in[member.is.key()]
			both[side] = f.or(both[side], member.when)
			in[member.is.key()] = both
		}
	}
	equal := always
	for _, key := range sortedKeys(in) {
		both := in[key]
		equal = f.and(equal, f.choose(both[0], both[1], f.not(both[1])))
	}
	return equal
}

// fixed reports whether a value is the same for every document and under all thresholds.
func (t *tabulation) fixed(v value) bool {
	switch v := v.(type) {
	case number:
		return t.isLiteral(v)
	case object:
		for _, of := range v.fields {
			if len(of) != 1 || of[0].when != always || !t.fixed(of[0].is) {
				return false
			}
		}
		return true
	}
	return constant(v)
}

func (t *tabulation) sameObject(a, b object) formula {
	f := t.formulas
	equal := always
	names := slices.Concat(a.names(), b.names())
	for _, name := range names {
		left, right := a.fields[name], b.fields[name]
		neither := f.and(f.not(t.defined(left)), f.not(t.defined(right)))
		equal = f.and(equal, f.or(neither, t.same(left, right, always)))
	}
	return equal
}

// less is when the first value comes before the second in OPA's order; orEqual, or is equal to it.
func (t *tabulation) less(a, b value, orEqual bool) formula {
	if left, right := kind(a), kind(b); left != 0 && right != 0 && left != right {
		return truth(left < right)
	}
	switch left := a.(type) {
	case number:
		if right, ok := b.(number); ok {
			if orEqual {
				return t.atMost(left.expression, right.expression)
			}
			return t.formulas.not(t.atMost(right.expression, left.expression))
		}
		if right, ok := b.(counted); ok {
			return t.formulas.not(t.countLess(right, left, !orEqual))
		}
		if right, ok := b.(length); ok {
			return t.lengthCompared(right, left, func(low, high, limit int64) (bool, bool) {
				if orEqual {
					return limit <= low, limit > high
				}
				return limit < low, limit >= high
			})
		}
	case counted:
		if right, ok := b.(number); ok {
			return t.countLess(left, right, orEqual)
		}
	case length:
		if right, ok := b.(number); ok {
			return t.lengthCompared(left, right, func(low, high, limit int64) (bool, bool) {
				if orEqual {
					return high <= limit, low > limit
				}
				return high < limit, low >= limit
			})
		}
	case text:
		if right, ok := b.(text); ok {
			return truth(left < right || orEqual && left == right)
		}
	case null:
		return truth(orEqual)
	case boolean:
		right := b.(boolean)
		return truth(!bool(left) && bool(right) || orEqual && left == right)
	}
	panic(t.unsupported("an order of "+kindNames[kind(a)], "compare whole numbers"))
}

// lengthCompared decides what the length of every identifier decides.
func (t *tabulation) lengthCompared(of length, with number, decide func(low, high, limit int64) (yes, no bool)) formula {
	place := t.places[of.property]
	low, high := int64(1), int64(128)
	for i, word := range place.Words {
		size := int64(len([]rune(word)))
		if i == 0 {
			low, high = size, size
		}
		low, high = min(low, size), max(high, size)
	}
	if t.isLiteral(with) {
		yes, no := decide(low, high, t.expressions[with.expression].value)
		if yes || no {
			return truth(yes)
		}
	}
	panic(t.unsupported("the length of "+place.Name, "identifiers have 1 to 128 code points; give its words an enum"))
}

func (t *tabulation) isLiteral(of number) bool {
	e := t.expressions[of.expression]
	return e.term == table.Number && e.path == nil
}

// tally is, for each number up to most, when exactly so many are there.
func (t *tabulation) tally(of []formula, most int) []formula {
	f := t.formulas
	exactly := []formula{always}
	for _, when := range of {
		grown := make([]formula, min(len(exactly)+1, most+2))
		for i := range grown {
			grown[i] = never
			if i < len(exactly) {
				grown[i] = f.butNot(exactly[i], when)
			}
			if i > 0 {
				grown[i] = f.or(grown[i], f.and(exactly[i-1], when))
			}
		}
		exactly = grown
	}
	return exactly
}

func (t *tabulation) sameCount(a counted, with value) formula {
	f := t.formulas
	switch b := with.(type) {
	case counted:
		left, right := slices.Clone(a.of), slices.Clone(b.of)
		slices.Sort(left)
		slices.Sort(right)
		if slices.Equal(left, right) {
			return always
		}
		equal := never
		one, other := t.tally(a.of, len(a.of)), t.tally(b.of, len(b.of))
		for i := range min(len(one), len(other)) {
			equal = f.or(equal, f.and(one[i], other[i]))
		}
		return equal
	case number:
		if t.isLiteral(b) {
			want := t.expressions[b.expression].value
			if want < 0 || want > int64(len(a.of)) {
				return never
			}
			return t.tally(a.of, int(want))[want]
		}
	}
	panic(t.unsupported("a count that is compared with a threshold or a signal", "compare counts with literals"))
}

// countLess is when fewer than a number are there; orEqual, or as many.
func (t *tabulation) countLess(a counted, b number, orEqual bool) formula {
	if !t.isLiteral(b) {
		panic(t.unsupported("a count that is compared with a threshold or a signal", "compare counts with literals"))
	}
	limit := t.expressions[b.expression].value
	if !orEqual {
		limit--
	}
	if limit >= int64(len(a.of)) {
		return always
	}
	less := never
	for i := int64(0); i <= limit; i++ {
		less = t.formulas.or(less, t.tally(a.of, int(limit))[i])
	}
	return less
}

// sortedTexts puts words in order.
func sortedTexts(members choices) choices {
	sorted := slices.Clone(members)
	slices.SortStableFunc(sorted, func(a, b choice) int { return strings.Compare(string(a.is.(text)), string(b.is.(text))) })
	return sorted
}
