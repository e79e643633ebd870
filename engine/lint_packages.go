package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

// lintPackages wants every rule where its package says: below admission, beside the thresholds that OPA keeps in the same
// tree, and in no package but its own. Else a rule of another file could stand in for a guard, a check or a threshold.
func lintPackages(s *source, found *problems) {
	packages := map[string]bool{}
	for _, module := range s.modules {
		packages[packageName(module)] = true
	}
	for _, file := range moduleNames(s) {
		module := s.modules[file]
		l := &linter{found: found}
		name := packageName(module)
		if !strings.HasPrefix(name, "admission.") {
			l.add(module.Package.Location, ErrForm, fmt.Sprintf("package %s lies outside admission, where rules can stand in for thresholds and other gates", name), "name it admission.GATE, or admission.NAME for what gates share")
			continue
		}
		for _, rule := range module.Rules {
			path := name
			for _, step := range rule.Head.Ref() {
				text, ok := stepText(step)
				if !ok {
					break
				}
				path += "." + text
				if packages[path] {
					l.add(rule.Location, ErrForm, fmt.Sprintf("a rule of package %s inside package %s", name, path), "write it in a file of that package, if it belongs there")
				}
			}
		}
	}
	lintStrays(s, found)
}

func stepText(step *ast.Term) (string, bool) {
	switch value := step.Value.(type) {
	case ast.Var:
		return string(value), true
	case ast.String:
		return string(value), true
	}
	return "", false
}

// lintStrays finds a package that is nearly called as a gate is: its rules are missed there, and nobody reads them here.
func lintStrays(s *source, found *problems) {
	gates := slices.Concat(gateNames(s), core(), []string{strings.TrimPrefix(guardPackage, "admission.")})
	for _, file := range moduleNames(s) {
		module := s.modules[file]
		name := strings.TrimPrefix(packageName(module), "admission.")
		nearest := inputs.Nearest(name, gates)
		if nearest == "" || nearest == name {
			continue
		}
		read := false
		for _, other := range s.modules {
			read = read || packageName(other) != packageName(module) && needs(other, packageName(module))
		}
		if read {
			continue
		}
		l := &linter{found: found}
		l.add(module.Package.Location, ErrForm, fmt.Sprintf("package admission.%s is no gate, and no gate reads it", name), fmt.Sprintf("did you mean admission.%s?", nearest))
		s.torn = append(s.torn, "admission."+nearest) // which misses these rules
	}
}
