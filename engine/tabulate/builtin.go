package tabulate

import (
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// builtin applies a built-in function to whatever its arguments can be together.
func (t *tabulation) builtin(name string, arguments []choices, condition formula) choices {
	apply, ok := t.builtins[name]
	if !ok {
		panic(t.unsupported("the built-in "+name, "of the built-ins, tables have comparisons, + - *, ceil and floor of a division by a literal, count, in, sort, is_number and the like"))
	}
	var made choices
	var each func(i int, when formula, values []value)
	each = func(i int, when formula, values []value) {
		if t.formulas.and(when, condition) == never {
			return
		}
		if i == len(arguments) {
			t.work()
			made = t.joined(made, when, apply(values, t.formulas.and(when, condition)))
			return
		}
		for _, one := range arguments[i] {
			each(i+1, t.formulas.and(when, one.when), append(values[:i:i], one.is))
		}
	}
	each(0, always, nil)
	return made
}

// function is a built-in: what it comes to under the condition that it is called with.
type function func(arguments []value, when formula) choices

// functionsOf are the built-ins that tabulate.
func functionsOf(t *tabulation) map[string]function {
	compare := func(of func(a, b value) formula) function {
		return func(arguments []value, _ formula) choices { return t.flag(of(arguments[0], arguments[1])) }
	}
	is := func(kinds ...int) function {
		return func(arguments []value, _ formula) choices {
			return only(boolean(slices.Contains(kinds, kind(arguments[0]))))
		}
	}
	return map[string]function{
		"lt":                compare(func(a, b value) formula { return t.less(a, b, false) }),
		"lte":               compare(func(a, b value) formula { return t.less(a, b, true) }),
		"gt":                compare(func(a, b value) formula { return t.less(b, a, false) }),
		"gte":               compare(func(a, b value) formula { return t.less(b, a, true) }),
		"equal":             compare(t.equalTo),
		"neq":               compare(func(a, b value) formula { return t.formulas.not(t.equalTo(a, b)) }),
		"is_null":           is(kind(null{})),
		"is_boolean":        is(kind(boolean(true))),
		"is_number":         is(kind(number{})),
		"is_string":         is(kind(text(""))),
		"is_array":          is(kind(list{})),
		"is_object":         is(kind(object{})),
		"is_set":            is(kind(set{})),
		"plus":              t.arithmetic(table.Sum),
		"minus":             t.minus,
		"mul":               t.arithmetic(table.Product),
		"div":               t.divide,
		"ceil":              t.whole(table.CeilingOf),
		"floor":             t.whole(table.FloorOf),
		"count":             t.count,
		"sort":              t.sort,
		"array.concat":      t.concat,
		"internal.member_2": func(arguments []value, _ formula) choices { return t.flag(t.contains(arguments[1], arguments[0])) },
		"object.get":        t.get,
		"regex.match":       t.match,
	}
}

// flag is true when a condition holds, and false when not.
func (t *tabulation) flag(holds formula) choices {
	return compact(choice{holds, boolean(true)}, choice{t.formulas.not(holds), boolean(false)})
}

// fails notes that a built-in fails for these arguments: OPA says what becomes of that.
func (t *tabulation) fails(when formula) choices {
	t.outside = t.formulas.or(t.outside, when)
	return nil
}

func (t *tabulation) arithmetic(term table.Term) function {
	return func(arguments []value, when formula) choices {
		a, left := arguments[0].(number)
		b, right := arguments[1].(number)
		switch {
		case left && right:
			return only(t.combined(term, a.expression, b.expression))
		case kind(arguments[0]) != kind(number{}) || kind(arguments[1]) != kind(number{}):
			return t.fails(when)
		}
		panic(t.unsupported("arithmetic on "+kindNames[kind(number{})], "compute with whole numbers, and round a division at once"))
	}
}

// minus is of numbers, or of sets.
func (t *tabulation) minus(arguments []value, when formula) choices {
	all, left := arguments[0].(set)
	others, right := arguments[1].(set)
	if !left || !right {
		return t.arithmetic(table.Minus)(arguments, when)
	}
	var rest choices
	for _, member := range all.members {
		if stays := t.formulas.butNot(member.when, t.contains(others, member.is)); stays != never {
			rest = append(rest, choice{stays, member.is})
		}
	}
	return only(set{rest})
}

func (t *tabulation) divide(arguments []value, when formula) choices {
	a, left := arguments[0].(number)
	b, right := arguments[1].(number)
	if !left || !right {
		return t.fails(when)
	}
	// OPA divides in binary floating point: beyond 2^53 it may round to another whole number than exact division does.
	e := t.expressions[a.expression]
	if by := t.expressions[b.expression].value; t.isLiteral(b) && by > 0 && by <= 1<<20 && e.low >= -1<<53 && e.high <= 1<<53 {
		return only(part{a.expression, by})
	}
	panic(t.unsupported("a division by more than a small literal, or of more than 2^53", "multiply the other side instead"))
}

// whole rounds a division; whole numbers it leaves as they are.
func (t *tabulation) whole(term table.Term) function {
	return func(arguments []value, when formula) choices {
		switch v := arguments[0].(type) {
		case number:
			return only(v)
		case part:
			e := t.expressions[v.expression]
			if e.low < 0 { // OPA rounds what is between -1 and 0 up to 1, and down to 0
				panic(t.unsupported("rounding of a division of what may be negative", "divide counts, amounts and versions"))
			}
			by := t.literal(v.divisor)
			return only(number{t.expression(expression{term: term, a: v.expression, b: by.expression, low: 0, high: e.high/v.divisor + 1})})
		}
		if kind(arguments[0]) != kind(number{}) {
			return t.fails(when)
		}
		panic(t.unsupported("rounding of "+kindNames[kind(number{})], "round divisions by literals"))
	}
}

func (t *tabulation) count(arguments []value, when formula) choices {
	switch v := arguments[0].(type) {
	case field:
		return only(length(v))
	case text:
		return only(t.literal(int64(len([]rune(string(v))))))
	case list:
		if !v.unordered {
			return only(counted{conditions(v.members)})
		}
	case set:
		for _, member := range v.members {
			if !t.fixed(member.is) && len(v.members) > 1 {
				panic(t.unsupported("the count of a set that holds fields of the document", "count conditions, not values"))
			}
		}
		return only(counted{conditions(v.members)})
	case null, boolean, number:
		return t.fails(when)
	}
	panic(t.unsupported("the count of a map or of a row's list", "ask for its members by name"))
}

func conditions(of choices) []formula {
	made := make([]formula, len(of))
	for i, one := range of {
		made[i] = one.when
	}
	return made
}

func (t *tabulation) sort(arguments []value, when formula) choices {
	members, _ := t.members(arguments[0])
	if kind(arguments[0]) != kind(list{}) && kind(arguments[0]) != kind(set{}) {
		return t.fails(when)
	}
	for _, member := range members {
		if _, ok := member.is.(text); !ok {
			panic(t.unsupported("sorting of more than literal words", "sort words"))
		}
	}
	return only(list{members: sortedTexts(members)})
}

func (t *tabulation) concat(arguments []value, when formula) choices {
	a, left := arguments[0].(list)
	b, right := arguments[1].(list)
	if !left || !right {
		return t.fails(when)
	}
	return only(list{members: slices.Concat(a.members, b.members), unordered: a.unordered || b.unordered})
}

// contains is when a collection holds a value.
func (t *tabulation) contains(collection, member value) formula {
	members, _ := t.members(collection)
	held := never
	for _, own := range members {
		held = t.formulas.or(held, t.formulas.and(own.when, t.equalTo(own.is, member)))
	}
	return held
}

// get is a field of an object, or else the default.
func (t *tabulation) get(arguments []value, when formula) choices {
	from, ok := arguments[0].(object)
	if !ok {
		if kind(arguments[0]) != kind(object{}) {
			return t.fails(when)
		}
		panic(t.unsupported("object.get on the document or on thresholds", "read the field by its name, and give the rule a default"))
	}
	if kind(arguments[1]) == kind(list{}) {
		panic(t.unsupported("object.get by a path", "read the fields one after the other"))
	}
	found := t.dot(from, arguments[1])
	return t.joined(found, t.formulas.not(t.defined(found)), only(arguments[2]))
}

// match knows the one pattern that every identifier matches.
func (t *tabulation) match(arguments []value, when formula) choices {
	pattern, literal := arguments[0].(text)
	of, ok := arguments[1].(field)
	if ok && literal && string(pattern) == inputs.IdentifierPattern && t.places[of.property].Words == nil {
		return only(boolean(true))
	}
	if kind(arguments[1]) != kind(text("")) {
		return t.fails(when)
	}
	panic(t.unsupported("a regular expression", "compare with words, or give the field an enum"))
}
