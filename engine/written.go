package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

// Rule is a rule of the policies as it is written, but for its place and its comments. A row of a decision table is a rule
// of its own, whose name holds its reason: "violated[reject_stale]"; and so is an import: "import guard".
type Rule struct {
	Package string   // "admission.fence.retry"
	Name    string   // in its package
	Text    string   // what it says, with its reason, action and title; equal texts are equal rules
	Reads   []string // the rules that it refers to: "admission.guard.less"
	File    string
	Line    int // from 1
}

// Rules lists the rules of all packages, by package and name. A rule that is written in several parts is one rule, whose
// place is that of the first.
func (p *Program) Rules() []Rule {
	if p = p.loaded(); p == nil || p.rules == nil {
		return nil
	}
	all := map[[2]string]*Rule{}
	s := p.rules.source
	follow := &follower{source: s, packages: map[string]*rulesOf{}}
	for _, file := range moduleNames(s) {
		module := s.modules[file]
		for _, imported := range module.Imports {
			key := [2]string{packageName(module), "import " + string(imported.Name())}
			all[key] = &Rule{Package: key[0], Name: key[1], Text: imported.Path.String() + "\n", File: imported.Location.File, Line: imported.Location.Row}
		}
		for _, rule := range module.Rules {
			key := [2]string{packageName(module), writtenName(rule)}
			own := all[key]
			if own == nil {
				own = &Rule{Package: key[0], Name: key[1], File: rule.Location.File, Line: rule.Location.Row}
				all[key] = own
			}
			own.Text += writtenAs(rule) + "\n"
			own.read(follow.rulesOf(key[0]), rule)
		}
	}
	rules := make([]Rule, 0, len(all))
	for _, rule := range all {
		parts := strings.SplitAfter(rule.Text, "\n")
		slices.Sort(parts)
		rule.Text = strings.Join(parts, "")
		slices.Sort(rule.Reads)
		rule.Reads = slices.Compact(rule.Reads)
		rules = append(rules, *rule)
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name)) })
	return rules
}

// writtenName tells the rows of a table apart by their reasons, and observed and limit by their keys.
func writtenName(rule *ast.Rule) string {
	if reason, ok := customOf(rule)["reason"].(string); ok && rule.Head.RuleKind() == ast.MultiValue {
		return fmt.Sprintf("%s[%s]", ruleName(rule), reason)
	}
	if ref := rule.Head.Ref(); len(ref) > 1 {
		return ref.String()
	}
	return ruleName(rule)
}

// writtenAs is the text of a rule with what its METADATA makes of the decision: reason, action and title, and of a rule that
// asks for more of its METADATA all of it.
func writtenAs(rule *ast.Rule) string {
	text := rule.String()
	title, _ := titleOf(rule)
	if asks := strings.Count(text, metadata); asks > 0 && asks != strings.Count(text, metadata+".custom") {
		for _, annotations := range rule.Annotations {
			text += annotations.String()
		}
	}
	if custom := customOf(rule); custom != nil {
		written, _ := json.Marshal(custom)
		text += string(written)
	}
	return text + title
}

const metadata = "rego.metadata.rule()"

// read adds the rules that a rule refers to, those of the guards too.
func (r *Rule) read(at *rulesOf, rule *ast.Rule) {
	ast.WalkVars(rule, func(v ast.Var) bool {
		if at.rules[string(v)] != nil {
			r.Reads = append(r.Reads, at.name+"."+string(v))
		}
		return false
	})
	ast.WalkRefs(rule, func(ref ast.Ref) bool {
		if head, ok := ref[0].Value.(ast.Var); ok && at.imported[string(head)] != nil {
			ref = slices.Concat(at.imported[string(head)], ref[1:])
		}
		if path := ref.String(); strings.HasPrefix(path, "data.admission.") {
			r.Reads = append(r.Reads, strings.Join(stepsOf(ref), "."))
		}
		return false
	})
}

// Ask decides a document as [Program.Decide] does, by OPA alone and whatever tables there are. It is for those who compare
// and prove: OPA may take as long as a load gives it to prove something, ten seconds or more.
func (p *Program) Ask(ctx context.Context, document inputs.Document) (Decision, error) {
	var decision Decision
	p = p.loaded()
	gate, document, err := p.open(ctx, document, &decision)
	if err != nil {
		return decision, err
	}
	return p.patient().ask(ctx, gate, document)
}
