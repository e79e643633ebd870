package engine

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// lintNames refuses names that lead nowhere: a rule of a gate that nothing reads, such as a misspelt violated, and an
// observed value or limit of a reason that no check has. Either would be missing in silence.
func lintNames(s *source, checks map[string][]Check, found *problems) {
	for _, gate := range gateNames(s) {
		if s.isTorn("admission." + gate) {
			continue
		}
		read := namesRead(s, "admission."+gate)
		for _, file := range moduleNames(s) {
			if packageName(s.modules[file]) != "admission."+gate {
				continue
			}
			for _, rule := range s.modules[file].Rules {
				l := &linter{found: found}
				name := ruleName(rule)
				if name != "decision" && !read[name] {
					l.add(rule.Location, ErrForm, fmt.Sprintf("nothing reads the rule %s", name), "is it misspelt? what counts is named violated; remove what does not")
				}
				if name == "observed" || name == "limit" {
					l.checkReason(rule, checks[gate])
				}
			}
		}
	}
}

// checkReason wants observed["reason"] and limit["reason"] to name the reason of a check.
func (l *linter) checkReason(rule *ast.Rule, checks []Check) {
	ref := rule.Head.Ref()
	if len(ref) != 2 {
		return
	}
	reason, ok := ref[1].Value.(ast.String)
	if ok && slices.ContainsFunc(checks, func(check Check) bool { return check.Reason == string(reason) }) {
		return
	}
	l.add(rule.Location, ErrForm, fmt.Sprintf("%s[%s] is of no check", ruleName(rule), ref[1]), "name the reason of a check of this gate")
}

// namesRead collects every name that the rules of a package read.
func namesRead(s *source, name string) map[string]bool {
	read := map[string]bool{}
	collect := func(x any) {
		ast.WalkVars(x, func(v ast.Var) bool {
			read[string(v)] = true
			return false
		})
	}
	for _, module := range s.modules {
		if packageName(module) != name {
			continue
		}
		for _, rule := range module.Rules {
			for each := rule; each != nil; each = each.Else {
				collect(each.Body)
				for _, part := range append([]*ast.Term{each.Head.Key, each.Head.Value}, each.Head.Args...) {
					if part != nil {
						collect(part)
					}
				}
				for _, part := range each.Head.Ref()[1:] {
					collect(part)
				}
			}
		}
	}
	return read
}
