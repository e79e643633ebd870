package engine

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

// guardPackage is the one package whose rules may compare and compute, since it proves first that they can; guardFile,
// below the policies, is all of it, so that no other file can add a clause that proves too much.
const (
	guardPackage = "admission.guard"
	guardFile    = "guard/guard.rego"
)

// lint refuses what OPA's own checks let through and what would fail open: comparisons of unchecked values, negations
// that are undefined when a field is missing, violations that vanish with a signal, built-ins that make a decision
// depend on more than the document.
func lint(s *source, found *problems) {
	rules := ruleNames(s)
	for _, name := range moduleNames(s) {
		l := &linter{module: s.modules[name], found: found, rules: rules[packageName(s.modules[name])], bodies: bodiesOf(s, packageName(s.modules[name]))}
		l.guard = packageName(l.module) == guardPackage
		l.torn = s.isTorn(packageName(l.module))
		if l.guard && name != path.Join(s.root, guardFile) {
			l.add(l.module.Package.Location, ErrForm, "a second file of package "+guardPackage+", which could loosen every gate", "write the rule in the package of its gate, in terms of the guards")
		}
		l.run()
	}
	lintNames(s, found)
}

// bodiesOf lists the rules of a package by their names.
func bodiesOf(s *source, name string) map[string][]*ast.Rule {
	bodies := map[string][]*ast.Rule{}
	for _, module := range s.modules {
		if packageName(module) == name {
			for _, rule := range module.Rules {
				bodies[ruleName(rule)] = append(bodies[ruleName(rule)], rule)
			}
		}
	}
	return bodies
}

// ruleNames lists the names of the plain rules of each package, over all its files: no functions, and no sets or
// objects, which are there even when they are empty, so that their negation never holds.
func ruleNames(s *source) map[string][]string {
	names := map[string][]string{}
	for _, module := range s.modules {
		for _, rule := range module.Rules {
			if rule.Head.Args == nil && rule.Head.RuleKind() == ast.SingleValue && len(rule.Head.Ref()) == 1 {
				names[packageName(module)] = append(names[packageName(module)], ruleName(rule))
			}
		}
	}
	return names
}

// ruleName is the first word of a rule's name: "violated" of violated contains …, "limit" of limit["r"].
func ruleName(rule *ast.Rule) string {
	return strings.Trim(rule.Head.Ref()[0].String(), `"`)
}

type linter struct {
	module *ast.Module
	guard  bool
	rules  []string // named rules of the package, that are no sets, objects or functions
	bodies map[string][]*ast.Rule
	found  *problems
	torn   bool // a file of the package could not be parsed, whose rules are not known
}

func (l *linter) add(at *ast.Location, kind error, problem, mend string) {
	p := Problem{Problem: problem, Mend: mend, Kind: kind}
	if at != nil {
		p.File, p.Line, p.Column = at.File, at.Row, at.Col
	}
	l.found.add(p)
}

func (l *linter) run() {
	for _, imported := range l.module.Imports {
		if path, ok := imported.Path.Value.(ast.Ref); ok && path.HasPrefix(ast.InputRootRef) {
			l.add(imported.Path.Location, ErrForm, readWhole, readByField)
		}
	}
	for _, rule := range l.module.Rules {
		for each := rule; each != nil; each = each.Else {
			l.checkCalls(each)
			l.checkExpressions(each)
			if !l.guard {
				l.checkInput(each)
			}
		}
		l.checkDefault(rule)
		l.checkRow(rule)
	}
}

// checkDefault refuses a default that guesses: unknown is null, or not proved. That of a decision is the entrypoint's.
func (l *linter) checkDefault(rule *ast.Rule) {
	if !rule.Default || ruleName(rule) == "decision" {
		return
	}
	if value := rule.Head.Value; value.Value.Compare(ast.NullValue) != 0 && value.Value.Compare(ast.Boolean(false)) != 0 {
		l.add(rule.Location, ErrForm, fmt.Sprintf("a default of %s, which guesses what nobody knows", value), "write null, or false for a check; numbers that operators choose are thresholds")
	}
}

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

// checkExpressions refuses "with", and negation of anything but a named rule: "not f(input.x)" is undefined, and its
// rule vanishes, when x is missing.
func (l *linter) checkExpressions(rule *ast.Rule) {
	ast.WalkExprs(rule, func(expr *ast.Expr) bool {
		if len(expr.With) > 0 {
			l.add(expr.Location, ErrForm, `"with" changes what other rules see`, "keep it to tests")
		}
		switch {
		case !expr.Negated || l.guard:
		case l.unknownName(expr) != "":
			name := l.unknownName(expr)
			mend := "name the check as a rule of its own and negate that"
			if nearest := inputs.Nearest(name, l.rules); nearest != "" {
				mend = fmt.Sprintf("did you mean %q?", nearest)
			}
			l.add(expr.Location, ErrForm, noSuchRule+name, mend)
		case !l.isNamedRule(expr):
			l.add(expr.Location, ErrForm, "a negation of something else than a named rule, which is undefined when a field is missing", "name the check as a rule of its own and negate that")
		case !addsViolations(rule) && l.compares(expr.Terms.(*ast.Term).Value.String()):
			l.add(expr.Location, ErrForm, "a negation of a comparison, which holds when a value is unknown", "write the opposite comparison; only a violation negates its check")
		}
		return false
	})
}

// addsViolations reports a set of rows, or of those of them that stand: the more holds there, the less is admitted.
func addsViolations(rule *ast.Rule) bool {
	if ruleName(rule) == "violated" {
		return true
	}
	return rule.Head.RuleKind() == ast.MultiValue && slices.ContainsFunc(rule.Body, func(expr *ast.Expr) bool {
		decl, ok := expr.Terms.(*ast.SomeDecl)
		if !ok || len(decl.Symbols) != 1 {
			return false
		}
		member, ok := decl.Symbols[0].Value.(ast.Call)
		return ok && member[len(member)-1].Value.Compare(ast.Var("violated")) == 0
	})
}

// compares reports whether a name is proved by a comparison: in a rule of its own, wherever in it, or in one that it
// reads. What is null by default is not followed: there the unknown has a value, which rules can ask for.
func (l *linter) compares(name string) bool { return l.comparesUnseen(name, map[string]bool{}) }

func (l *linter) comparesUnseen(name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	rules := l.bodies[name]
	if slices.ContainsFunc(rules, func(rule *ast.Rule) bool { return rule.Default }) {
		return false
	}
	found := false
	for _, rule := range rules {
		ast.NewGenericVisitor(func(x any) bool {
			switch x := x.(type) {
			case ast.Ref:
				head, _ := x[0].Value.(ast.Var)
				found = found || l.isComparison(x) || l.bodies[string(head)] != nil && l.comparesUnseen(string(head), seen)
			case ast.Var:
				found = found || l.bodies[string(x)] != nil && l.comparesUnseen(string(x), seen)
			}
			return found
		}).Walk(rule)
	}
	return found
}

// isComparison recognises a guard that compares, however the guards are imported.
func (l *linter) isComparison(ref ast.Ref) bool {
	head, _ := ref[0].Value.(ast.Var)
	path := ref
	for _, imported := range l.module.Imports {
		if from, ok := imported.Path.Value.(ast.Ref); ok && imported.Name() == head {
			path = slices.Concat(from, ref[1:])
		}
	}
	guards := ast.MustParseRef("data." + guardPackage)
	if !path.HasPrefix(guards) || len(path) <= len(guards) {
		return false
	}
	name, _ := path[len(guards)].Value.(ast.String)
	return slices.Contains([]string{"less", "at_most", "same", "differ", "alike", "unlike"}, string(name))
}

const noSuchRule = "there is no rule "

// unknownName is the name that an expression negates, if the package has no rule of any kind that is called so.
func (l *linter) unknownName(expr *ast.Expr) string {
	term, ok := expr.Terms.(*ast.Term)
	if !ok || l.torn {
		return ""
	}
	name, ok := term.Value.(ast.Var)
	if !ok || l.bodies[string(name)] != nil {
		return ""
	}
	return string(name)
}

func (l *linter) isNamedRule(expr *ast.Expr) bool {
	term, ok := expr.Terms.(*ast.Term)
	if !ok {
		return false
	}
	switch value := term.Value.(type) {
	case ast.Var:
		return l.torn || slices.Contains(l.rules, string(value))
	case ast.Ref:
		head, ok := value[0].Value.(ast.Var)
		return ok && len(value) == 1 && (l.torn || slices.Contains(l.rules, string(head)))
	}
	return false
}

const (
	readWhole   = "input is read as a whole or by a computed name, which the input schema cannot check"
	readByField = "read it field by field: input.queue_age_ms"
)

// checkInput wants input read by constant field names, which is what the type checker can hold against the schema.
func (l *linter) checkInput(rule *ast.Rule) {
	ast.WalkTerms(rule, func(term *ast.Term) bool {
		ref, ok := term.Value.(ast.Ref)
		if !ok || !ref.HasPrefix(ast.InputRootRef) {
			return false
		}
		if len(ref) == 1 {
			l.add(term.Location, ErrForm, readWhole, readByField)
		}
		for _, step := range ref[1:] {
			if _, ok := step.Value.(ast.String); !ok {
				l.add(term.Location, ErrForm, readWhole, readByField)
			}
		}
		return true
	})
}
