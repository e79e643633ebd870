package engine

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
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
	for _, name := range slices.Sorted(maps.Keys(s.modules)) {
		l := &linter{module: s.modules[name], found: found, rules: rules[packageName(s.modules[name])]}
		l.guard = packageName(l.module) == guardPackage
		if l.guard && name != path.Join(s.root, guardFile) {
			l.add(l.module.Package.Location, ErrForm, "a second file of package "+guardPackage+", which could loosen every gate", "write the rule in the package of its gate, in terms of the guards")
		}
		l.run()
	}
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
	rules  []string // named rules of the package
	found  *problems
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
	call := func(operator ast.Ref, at *ast.Location) {
		name := operator.String()
		builtin, ok := ast.BuiltinMap[name]
		switch {
		case !ok:
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
				call(x.Operator(), x.Location)
			}
		case *ast.Term:
			if inner, ok := x.Value.(ast.Call); ok {
				if operator, ok := inner[0].Value.(ast.Ref); ok {
					call(operator, x.Location)
				}
			}
		case *ast.Rule:
			return x != rule // an else branch is its own turn
		}
		return false
	}).Walk(rule)
}

// checkExpressions refuses "with", and negation of anything but a named rule: "not f(input.x)" is undefined, and its
// rule vanishes, when x is missing.
func (l *linter) checkExpressions(rule *ast.Rule) {
	ast.WalkExprs(rule, func(expr *ast.Expr) bool {
		if len(expr.With) > 0 {
			l.add(expr.Location, ErrForm, `"with" changes what other rules see`, "keep it to tests")
		}
		if expr.Negated && !l.guard && !l.isNamedRule(expr) {
			l.add(expr.Location, ErrForm, "a negation of something else than a named rule, which is undefined when a field is missing", "name the check as a rule of its own and negate that")
		}
		return false
	})
}

func (l *linter) isNamedRule(expr *ast.Expr) bool {
	term, ok := expr.Terms.(*ast.Term)
	if !ok {
		return false
	}
	switch value := term.Value.(type) {
	case ast.Var:
		return slices.Contains(l.rules, string(value))
	case ast.Ref:
		head, ok := value[0].Value.(ast.Var)
		return ok && len(value) == 1 && slices.Contains(l.rules, string(head))
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

// checkRow holds the rows of the decision table, which are the rules named violated, to the form that cannot vanish:
// METADATA with reason and action, a head that reads nothing, and a body of named rules alone.
func (l *linter) checkRow(rule *ast.Rule) {
	custom := customOf(rule)
	if ruleName(rule) != "violated" {
		if custom["reason"] != nil {
			l.add(rule.Location, ErrForm, "a rule with custom.reason that is not named violated, so that it would never count", "write: violated contains rego.metadata.rule().custom if not CHECK")
		}
		return
	}
	for _, key := range []string{"reason", "action"} {
		if text, ok := custom[key].(string); !ok || !plainWord(text) {
			l.add(rule.Location, ErrForm, "a violation without custom."+key+" in its METADATA", "name its "+key+" in lower case with underscores")
		}
	}
	if reason, _ := custom["reason"].(string); slices.Contains(reserved(), reason) {
		l.add(rule.Location, ErrForm, fmt.Sprintf("a violation with the reason %q, which says that a gate admits or cannot answer", reason), "name what is violated")
	}
	if title, description := titleOf(rule); title == "" || description == "" {
		l.add(rule.Location, ErrForm, "a violation without title and description in its METADATA", "say in a sentence what it protects: it is what explain prints")
	}
	if rule.Head.Key == nil || !isCustom(rule.Head.Key) {
		l.add(rule.Location, ErrForm, "a violation whose head is not its METADATA: one that reads input or data is undefined with them, and the gate admits", "write: violated contains rego.metadata.rule().custom if not CHECK")
	}
	if rule.Else != nil {
		l.add(rule.Else.Location, ErrForm, "a violation with an else", "write two violations")
	}
	for _, expr := range rule.Body {
		if !l.isNamedRule(expr) {
			l.add(expr.Location, ErrForm, "a violation that depends on more than named checks", "name the check as a rule of its own: violated … if not CHECK")
		}
	}
}

// isCustom recognises rego.metadata.rule().custom, the one head of a violation.
func isCustom(head *ast.Term) bool {
	ref, ok := head.Value.(ast.Ref)
	if !ok || len(ref) != 2 || ref[1].Value.Compare(ast.String("custom")) != 0 {
		return false
	}
	call, ok := ref[0].Value.(ast.Call)
	return ok && len(call) == 1 && call[0].String() == "rego.metadata.rule"
}

func customOf(rule *ast.Rule) map[string]any {
	for _, annotations := range rule.Annotations {
		if annotations.Custom != nil {
			return annotations.Custom
		}
	}
	return nil
}

func titleOf(rule *ast.Rule) (title, description string) {
	for _, annotations := range rule.Annotations {
		title, description = annotations.Title, annotations.Description
	}
	return title, description
}

// reserved are the reasons that no violation may have: a reject that is labelled admit would be counted as one.
func reserved() []string {
	return []string{"admit", "admit_probe", "bind", "retry_same_plane", ReasonUndefined, ReasonConflict, ReasonError, ReasonTimeout}
}

// plainWord is a reason or action: a label on metrics and logs.
func plainWord(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
