package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/version"
)

// Check is a row of a gate's decision table, as its METADATA says.
type Check struct {
	Reason      string
	Action      string
	Title       string // the violation in a few words
	Description string // what the check protects
	File        string
	Line        int // from 1
}

// readChecks collects the rows of all gates.
func readChecks(s *source) map[string][]Check {
	checks := map[string][]Check{}
	for _, module := range s.modules {
		gate := strings.TrimPrefix(packageName(module), "admission.")
		for _, rule := range module.Rules {
			custom := customOf(rule)
			reason, ok := custom["reason"].(string)
			if !ok {
				continue
			}
			action, _ := custom["action"].(string)
			title, description := titleOf(rule)
			checks[gate] = append(checks[gate], Check{reason, action, title, description, rule.Location.File, rule.Location.Row})
		}
	}
	for _, list := range checks {
		slices.SortFunc(list, func(a, b Check) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	}
	return checks
}

// OPAVersion is the version of OPA that evaluates.
func OPAVersion() string { return version.Version }
