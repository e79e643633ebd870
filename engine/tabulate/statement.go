package tabulate

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ir"
)

// statement executes one statement without blocks, and gives the condition under which it is defined.
func (t *tabulation) statement(own *frame, statement ir.Stmt, condition formula) formula {
	f := t.formulas
	assign := func(local ir.Local, to choices) formula {
		t.set(own, local, condition, to)
		return f.and(condition, t.defined(to))
	}
	switch s := statement.(type) {
	case *ir.CallStmt:
		arguments := make([]choices, len(s.Args))
		for i, argument := range s.Args {
			arguments[i] = t.operand(own, argument)
		}
		if t.functions[s.Func] != nil {
			return assign(s.Result, t.call(s.Func, arguments))
		}
		return assign(s.Result, t.builtin(s.Func, arguments, condition))
	case *ir.DotStmt:
		return assign(s.Target, t.pairs(t.operand(own, s.Source), t.operand(own, s.Key), condition, t.dot))
	case *ir.AssignVarStmt:
		return assign(s.Target, t.operand(own, s.Source))
	case *ir.AssignVarOnceStmt:
		return t.once(own, s, condition)
	case *ir.ResetLocalStmt:
		t.set(own, s.Target, condition, nil)
		return condition
	case *ir.IsDefinedStmt:
		return f.and(condition, t.defined(own.locals[s.Source]))
	case *ir.IsUndefinedStmt:
		return f.butNot(condition, t.defined(own.locals[s.Source]))
	case *ir.EqualStmt:
		return f.and(condition, t.same(t.operand(own, s.A), t.operand(own, s.B), condition))
	case *ir.NotEqualStmt:
		a, b := t.operand(own, s.A), t.operand(own, s.B)
		both := f.and(t.defined(a), t.defined(b))
		return f.and(condition, f.butNot(both, t.same(a, b, condition)))
	case *ir.IsArrayStmt:
		return f.and(condition, t.ofKind(t.operand(own, s.Source), list{}))
	case *ir.IsObjectStmt:
		return f.and(condition, t.ofKind(t.operand(own, s.Source), object{}))
	case *ir.IsSetStmt:
		return f.and(condition, t.ofKind(t.operand(own, s.Source), set{}))
	case *ir.NopStmt:
		return condition
	}
	return t.construct(own, statement, condition, assign)
}

// construct executes the statements that make values.
func (t *tabulation) construct(own *frame, statement ir.Stmt, condition formula, assign func(ir.Local, choices) formula) formula {
	switch s := statement.(type) {
	case *ir.MakeNullStmt:
		return assign(s.Target, only(null{}))
	case *ir.MakeNumberIntStmt:
		return assign(s.Target, only(t.literal(s.Value)))
	case *ir.MakeNumberRefStmt:
		whole, err := strconv.ParseInt(t.strings[s.Index], 10, 64)
		if err != nil {
			panic(t.unsupported("the number "+t.strings[s.Index], "write whole numbers of at most 64 bits"))
		}
		return assign(s.Target, only(t.literal(whole)))
	case *ir.MakeArrayStmt:
		return assign(s.Target, only(list{}))
	case *ir.MakeSetStmt:
		return assign(s.Target, only(set{}))
	case *ir.MakeObjectStmt:
		return assign(s.Target, only(object{}))
	case *ir.ArrayAppendStmt:
		return t.added(own, s.Array, t.operand(own, s.Value), condition)
	case *ir.SetAddStmt:
		return t.added(own, s.Set, t.operand(own, s.Value), condition)
	case *ir.ObjectInsertStmt:
		return t.inserted(own, s.Object, t.operand(own, s.Key), t.operand(own, s.Value), condition, false)
	case *ir.ObjectInsertOnceStmt:
		return t.inserted(own, s.Object, t.operand(own, s.Key), t.operand(own, s.Value), condition, true)
	}
	what := fmt.Sprintf("%T", statement)
	switch statement.(type) {
	case *ir.WithStmt:
		panic(t.unsupported("with", "write the rule without replacing input or data"))
	case *ir.LenStmt:
		panic(t.unsupported("a list that is compared with one that is written out", "compare its members"))
	case *ir.CallDynamicStmt:
		panic(t.unsupported("a call of a rule that is chosen while it runs", "name the rule"))
	}
	panic(t.unsupported("a statement of the kind "+what, ""))
}

// once sets a local that must not be set to anything else.
func (t *tabulation) once(own *frame, s *ir.AssignVarOnceStmt, condition formula) formula {
	f := t.formulas
	old, to := own.locals[s.Target], t.operand(own, s.Source)
	t.clash(old, to, condition)
	t.set(own, s.Target, f.butNot(condition, t.defined(old)), to)
	return f.and(condition, t.defined(to))
}

// clash notes when two values of one rule contradict: OPA says what becomes of that.
func (t *tabulation) clash(old, to choices, condition formula) {
	f := t.formulas
	for _, a := range old {
		for _, b := range to {
			both := f.and(condition, f.and(a.when, b.when))
			if both != never {
				t.outside = f.or(t.outside, f.butNot(both, t.equalTo(a.is, b.is)))
			}
		}
	}
}

// maxMembers is how many members a list or a set may have.
const maxMembers = 256

// added puts a value into a list or a set, which holds it under the condition.
func (t *tabulation) added(own *frame, local ir.Local, what choices, condition formula) formula {
	f := t.formulas
	var made choices
	for _, into := range own.locals[local] {
		when := f.and(condition, into.when)
		switch v := into.is.(type) {
		case list:
			if t.unordered > 0 {
				panic(t.unsupported("a list out of a list of the thresholds' rows", "build a set"))
			}
			t.fits(len(v.members))
			grown := list{members: append(v.members[:len(v.members):len(v.members)], t.under(what, when)...)}
			made = append(made, choice{into.when, grown})
		case set:
			t.fits(len(v.members))
			grown := v
			for _, one := range t.under(what, when) {
				grown = set{t.joinedSet(grown.members, one)}
			}
			made = append(made, choice{into.when, grown})
		}
	}
	own.locals[local] = made
	return f.and(condition, t.defined(what))
}

func (t *tabulation) fits(members int) {
	if members > maxMembers {
		panic(t.unsupported("a list or a set of more than 256 members", "iterate over short lists"))
	}
}

// under is what choices are under a condition.
func (t *tabulation) under(of choices, condition formula) choices {
	made := make(choices, 0, len(of))
	for _, one := range of {
		if when := t.formulas.and(one.when, condition); when != never {
			made = append(made, choice{when, one.is})
		}
	}
	return made
}

// joinedSet is a set with one more member.
func (t *tabulation) joinedSet(members choices, one choice) choices {
	key := one.is.key()
	for i, member := range members {
		if kind(member.is) == kind(one.is) && member.is.key() == key {
			members = append(choices{}, members...)
			members[i].when = t.formulas.or(member.when, one.when)
			return members
		}
	}
	return append(members[:len(members):len(members)], one)
}

// inserted sets a field of an object under the condition.
func (t *tabulation) inserted(own *frame, local ir.Local, key, to choices, condition formula, once bool) formula {
	f := t.formulas
	if len(key) != 1 {
		panic(t.unsupported("an object whose keys depend on the document", "write the keys out"))
	}
	name, ok := key[0].is.(text)
	if !ok {
		panic(t.unsupported("an object whose keys are no literal words", "write the keys out"))
	}
	var made choices
	for _, into := range own.locals[local] {
		v, ok := into.is.(object)
		if !ok {
			continue
		}
		grown := newObject(maps.Clone(v.fields))
		if grown.fields == nil {
			grown.fields = map[string]choices{}
		}
		when := f.and(condition, into.when)
		if old := grown.fields[string(name)]; once {
			t.clash(old, to, when)
			grown.fields[string(name)] = t.joined(old, f.butNot(when, t.defined(old)), to)
		} else {
			grown.fields[string(name)] = t.joined(old, when, to)
		}
		made = append(made, choice{into.when, grown})
	}
	own.locals[local] = made
	return f.and(condition, t.defined(to))
}

// ofKind is when a value is of the kind of another.
func (t *tabulation) ofKind(of choices, like value) formula {
	when := never
	for _, one := range of {
		if kind(one.is) == kind(like) {
			when = t.formulas.or(when, one.when)
		}
	}
	return when
}
