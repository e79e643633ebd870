package engine

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// checkEntrypoints wants every core gate to be there, and every gate to have an entrypoint that always decides: one
// default, which rejects, and one rule, so that two can never conflict; and an input schema to check its rules by.
func checkEntrypoints(s *source, declared *schemas, found *problems) {
	gates := gateNames(s)
	for _, gate := range core() {
		if !slices.Contains(gates, gate) && !s.isTorn("admission."+gate) {
			found.add(Problem{File: s.root, Problem: "gate " + gate + " has no decision", Mend: "the rule must be named decision, in package admission." + gate, Kind: ErrEntrypoint})
		}
	}
	for _, module := range s.modules {
		name := packageName(module)
		isGate := slices.ContainsFunc(gates, func(gate string) bool { return name == "admission."+gate })
		if !isGate && !s.isTorn(name) && slices.ContainsFunc(module.Rules, func(rule *ast.Rule) bool { return ruleName(rule) == "violated" }) {
			found.add(Problem{File: module.Package.Location.File, Line: module.Package.Location.Row, Column: 1, Problem: "package " + name + " has violations and no decision", Mend: "gates are packages below admission with a rule named decision", Kind: ErrEntrypoint})
		}
	}
	for _, gate := range gates {
		checkEntrypoint(s, gate, found)
		if _, ok := declared.inputs["admission."+gate]; !ok && !s.isTorn("admission."+gate) {
			problem := Problem{File: s.root, Problem: "gate " + gate + " declares no input schema", Mend: "declare one in the METADATA of its package (schemas: - input: {…}), or misspelt fields go unseen", Kind: ErrSchema}
			if at := s.packageAt("admission." + gate); at != nil {
				problem.File, problem.Line, problem.Column = at.File, at.Row, at.Col
			}
			found.add(problem)
			s.torn = append(s.torn, "admission."+gate) // the file that declares it may hold more
		}
	}
}

// packageAt is where the first file of a package says that it is of it.
func (s *source) packageAt(name string) *ast.Location {
	for _, file := range moduleNames(s) {
		if packageName(s.modules[file]) == name {
			return s.modules[file].Package.Location
		}
	}
	return nil
}

func checkEntrypoint(s *source, gate string, found *problems) {
	var defaults, others []*ast.Rule
	for _, name := range moduleNames(s) {
		module := s.modules[name]
		if packageName(module) != "admission."+gate {
			continue
		}
		for _, rule := range module.Rules {
			switch {
			case ruleName(rule) != "decision":
			case rule.Default:
				defaults = append(defaults, rule)
			default:
				others = append(others, rule)
			}
		}
	}
	at := func(rule *ast.Rule) Problem {
		return Problem{File: rule.Location.File, Line: rule.Location.Row, Column: rule.Location.Col, Kind: ErrEntrypoint}
	}
	switch {
	case len(defaults) == 0 && (s.isTorn("admission."+gate) || len(others) == 0):
	case len(defaults) == 0:
		problem := at(others[0])
		problem.Problem, problem.Mend = "the decision of gate "+gate+" can be undefined", "give it a default that rejects"
		found.add(problem)
	case !rejects(defaults[0]):
		problem := at(defaults[0])
		problem.Problem, problem.Mend = "the default decision of gate "+gate+" is not a reject with policy_undefined", `write "admit": false and "reason": "policy_undefined"`
		found.add(problem)
	}
	if len(others) > 1 {
		problem := at(others[1])
		problem.Problem, problem.Mend = "the decision of gate "+gate+" is written twice, and two can conflict", "put a check into the decision table, as a violation"
		found.add(problem)
	}
	for _, rule := range others {
		if rule.Head.Key != nil || rule.Head.Args != nil || len(rule.Head.Ref()) > 1 {
			problem := at(rule)
			problem.Problem, problem.Mend = "the decision of gate "+gate+" is no plain value", "write: decision := guard.decision({…})"
			found.add(problem)
		}
		if rule.Else != nil || !rule.Body.Equal(ast.NewBody(ast.NewExpr(ast.BooleanTerm(true)))) {
			problem := at(rule)
			problem.Problem, problem.Mend = "the decision of gate "+gate+" has conditions, which pass its violations by", "write: decision := guard.decision({…}), and conditions as violations"
			found.add(problem)
		}
	}
}

// rejects reports whether a default decision is written out as a reject.
func rejects(rule *ast.Rule) bool {
	object, ok := rule.Head.Value.Value.(ast.Object)
	if !ok {
		return false
	}
	admit, reason := object.Get(ast.StringTerm("admit")), object.Get(ast.StringTerm("reason"))
	return admit != nil && admit.Value.Compare(ast.Boolean(false)) == 0 &&
		reason != nil && reason.Value.Compare(ast.String(ReasonUndefined)) == 0
}
