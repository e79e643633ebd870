package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/version"

	"github.com/admitctl/admitctl/thresholds"
)

// Check is a row of a gate's decision table, as its METADATA says.
type Check struct {
	Reason      string
	Action      string
	Title       string   // the violation in a few words
	Description string   // what the check protects
	Thresholds  []string // that it is proved from, such as "classes.*.max_depth", the most direct first
	Fields      []string // of the document that it is proved from, such as "primary.depth"
	File        string
	Line        int // from 1

	paths [][]string // of Thresholds
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
			own := Check{Reason: reason, Action: action, Title: title, Description: description, File: rule.Location.File, Line: rule.Location.Row}
			own.feed(feedsOf(s, packageName(module), negated(rule)))
			checks[gate] = append(checks[gate], own)
		}
	}
	for _, list := range checks {
		slices.SortFunc(list, func(a, b Check) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	}
	return checks
}

// negated are the checks that a row is violated without.
func negated(row *ast.Rule) []string {
	var names []string
	for _, expr := range row.Body {
		if term, ok := expr.Terms.(*ast.Term); ok && expr.Negated {
			names = append(names, term.Value.String())
		}
	}
	return names
}

func (c *Check) feed(from feeds) {
	c.Fields, c.paths = from.fields, from.thresholds
	for _, path := range from.thresholds {
		c.Thresholds = append(c.Thresholds, pathName(path))
	}
}

// pathName is a path as thresholds are called, * where rules compute a name.
func pathName(path []string) string {
	name := ""
	for _, step := range path {
		if step == anyName {
			name += "." + anyName
		} else {
			name = thresholds.Join(name, step)
		}
	}
	return strings.TrimPrefix(name, ".")
}

// Feeding lists the thresholds that a check is proved from, as they are resolved, the most direct first. One that is not
// set, such as the limit of a plane of its own, has no value and no file.
func (p *Program) Feeding(check Check) []thresholds.Setting { return p.resolve(check.paths) }

// Deciding lists the thresholds that decide a way to admit, as Feeding does those of a check.
func (p *Program) Deciding(way Admission) []thresholds.Setting { return p.resolve(way.paths) }

func (p *Program) resolve(paths [][]string) []thresholds.Setting {
	var all []thresholds.Setting
	if p = p.loaded(); p == nil || p.tree == nil {
		return nil
	}
	for _, path := range paths {
		found := settingsAt(p.tree, path)
		if len(found) == 0 {
			found = []thresholds.Setting{{Path: pathName(path)}}
		}
		all = append(all, found...)
	}
	return all
}

// OPAVersion is the version of OPA that evaluates.
func OPAVersion() string { return version.Version }
