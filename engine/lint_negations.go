package engine

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

// checkElse refuses what is left over when a comparison is not proved: that is so for an unknown too.
func (l *linter) checkElse(rule *ast.Rule) {
	for each := rule; each.Else != nil; each = each.Else {
		compares := false
		ast.WalkRefs(each.Body, func(ref ast.Ref) bool {
			compares = compares || l.isComparison(ref)
			return compares
		})
		if compares && !l.guard {
			l.add(each.Else.Location, ErrForm, "an else of a comparison, which holds when a value is unknown", "write the opposite comparison in a rule of its own")
			return
		}
	}
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
	if slices.ContainsFunc(rules, func(rule *ast.Rule) bool {
		return rule.Default && rule.Head.Value.Value.Compare(ast.NullValue) == 0
	}) {
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

// proving are the guards that are not proved by an unknown.
func proving() []string {
	return []string{
		"whole", "less", "at_most", "same", "differ", "alike", "unlike",
		"identifiers", "booleans", "among", "within", "counts", "amounts", "slacks", "versions",
	}
}

// isComparison recognises a guard that compares, however the guards are imported.
func (l *linter) isComparison(ref ast.Ref) bool {
	return slices.Contains(proving(), guardCalled(l.module, ref))
}

// guardCalled is the name of the guard that a reference in a module leads to, "" where it leads to none.
func guardCalled(module *ast.Module, ref ast.Ref) string {
	head, _ := ref[0].Value.(ast.Var)
	path := ref
	for _, imported := range module.Imports {
		if from, ok := imported.Path.Value.(ast.Ref); ok && imported.Name() == head {
			path = slices.Concat(from, ref[1:])
		}
	}
	guards := ast.MustParseRef("data." + guardPackage)
	if !path.HasPrefix(guards) || len(path) <= len(guards) {
		return ""
	}
	name, _ := path[len(guards)].Value.(ast.String)
	return string(name)
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
