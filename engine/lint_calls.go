package engine

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// checkCalls refuses built-ins that gates do not have, and ordering and arithmetic outside the guards.
func (l *linter) checkCalls(rule *ast.Rule) {
	allowed, guarded := pure(), slices.Concat(ordering(), defaulting())
	call := func(operator ast.Ref, operands []*ast.Term, at *ast.Location) {
		name := operator.String()
		builtin, ok := ast.BuiltinMap[name]
		switch {
		case !ok:
		case !l.guard && strings.HasPrefix(name, "internal.member") && mixes(operands[len(operands)-1]):
			l.add(at, ErrForm, "a list of values that are not written out, in which a null could find a null", "list literals, or compare through guard.same or guard.alike")
		case !l.guard && (name == "equal" || name == "eq") && asksForNothing(operands):
			l.add(at, ErrForm, "a comparison with nothing, which holds where nothing is known", "name what must hold as a rule of its own, and ask for that")
		case !l.guard && equating(name, operands):
			l.add(at, ErrForm, "a bare "+builtin.Infix+" of two values, which holds for nulls too", "compare with a literal, or go through guard.same, guard.differ, guard.alike or guard.unlike")
		case !slices.Contains(allowed, name):
			l.add(at, ErrBuiltin, name+" is not available to gates", "pass it in as input")
		case !l.guard && slices.Contains(guarded, name):
			shown := name
			if builtin.Infix != "" {
				shown = builtin.Infix
			}
			if slices.Contains(defaulting(), name) {
				l.add(at, ErrForm, name+" can put a value where a field is missing", "read the field itself: what is missing proves nothing")
				return
			}
			l.add(at, ErrForm, "a bare "+shown+", which holds for nulls and strings too", "go through a guard that proves both sides are whole numbers, such as guard.less or guard.total")
		}
	}
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Expr:
			if x.IsCall() {
				call(x.Operator(), x.Operands(), x.Location)
			}
		case *ast.Term:
			if inner, ok := x.Value.(ast.Call); ok {
				if operator, ok := inner[0].Value.(ast.Ref); ok {
					call(operator, inner[1:], x.Location)
				}
			}
		case *ast.Rule:
			return x != rule // an else branch is its own turn
		}
		return false
	}).Walk(rule)
}

// equating reports a comparison for equality that two unknowns could satisfy: one side must be a literal, and of !=
// that literal is null.
func equating(name string, operands []*ast.Term) bool {
	literal := func(term *ast.Term) bool {
		wildcard, ok := term.Value.(ast.Var)
		return ast.IsConstant(term.Value) || ok && name == "eq" && wildcard.IsWildcard()
	}
	switch name {
	case "equal", "eq":
		return len(operands) != 2 || !literal(operands[0]) && !literal(operands[1])
	case "neq":
		isNull := func(term *ast.Term) bool { return term.Value.Compare(ast.NullValue) == 0 }
		return len(operands) != 2 || !isNull(operands[0]) && !isNull(operands[1])
	}
	return false
}

// asksForNothing recognises a comparison with an empty collection, or of a count with 0.
func asksForNothing(operands []*ast.Term) bool {
	return slices.ContainsFunc(operands, func(term *ast.Term) bool {
		switch value := term.Value.(type) {
		case ast.Set:
			return value.Len() == 0
		case *ast.Array:
			return value.Len() == 0
		case ast.Object:
			return value.Len() == 0
		case ast.Call:
			return value[0].String() == "count" && slices.ContainsFunc(operands, func(other *ast.Term) bool { return other.Value.Compare(ast.Number("0")) == 0 })
		}
		return false
	})
}

// mixes reports a list or set that is written out with anything but literals in it.
func mixes(collection *ast.Term) bool {
	loose := func(term *ast.Term) bool { return !ast.IsConstant(term.Value) }
	switch value := collection.Value.(type) {
	case ast.Set:
		return slices.ContainsFunc(value.Slice(), loose)
	case *ast.Array:
		found := false
		value.Foreach(func(term *ast.Term) { found = found || loose(term) })
		return found
	}
	return false
}
