package engine

import (
	"fmt"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// guardPackage is the one package whose rules may compare and compute, since it proves first that they can; guardFile,
// below the policies, is all of it, so that no other file can add a clause that proves too much. In a bundle there may be
// folders above it.
const (
	guardPackage = "admission.guard"
	guardFile    = "guard/guard.rego"
)

// lint refuses what OPA's own checks let through and what would fail open: comparisons of unchecked values, negations
// that are undefined when a field is missing, violations that vanish with a signal, built-ins that make a decision
// depend on more than the document.
func lint(s *source, checks map[string][]Check, found *problems) {
	rules := ruleNames(s)
	guards := s.guardFile()
	for _, name := range moduleNames(s) {
		l := &linter{module: s.modules[name], found: found, rules: rules[packageName(s.modules[name])], bodies: bodiesOf(s, packageName(s.modules[name]))}
		l.guard = packageName(l.module) == guardPackage
		l.torn = s.isTorn(packageName(l.module))
		if l.guard && name != guards {
			l.add(l.module.Package.Location, ErrForm, "a second file of package "+guardPackage+", which could loosen every gate", "write the rule in the package of its gate, in terms of the guards")
		}
		l.run()
	}
	lintNames(s, checks, found)
}

// guardFile is the displayed name of the file of the guards: where it belongs, else the only one of its name that lies deeper.
func (s *source) guardFile() string {
	name := path.Join(s.root, guardFile)
	if _, ok := s.texts[name]; ok {
		return name
	}
	var deeper []string
	for other := range s.modules {
		if strings.HasSuffix(other, "/"+guardFile) {
			deeper = append(deeper, other)
		}
	}
	if len(deeper) == 1 {
		return deeper[0]
	}
	return name
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
		l.checkElse(rule)
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
