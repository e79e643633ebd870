package policy_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// mutant is a policy file with one fault in it.
type mutant struct {
	key  string // file, rule, kind and change, numbered where that is not enough; no line, so that it stays
	kind string
	file string
	name string // of the rule or threshold
	line int
	text string // the whole file, with the fault
}

// mutator collects the mutants of one file, each text once.
type mutator struct {
	file, text string
	places     []mark // in the order of the text
	seen       map[string]bool
	keys       map[string]int
	found      []mutant
}

// mark is where a rule or a threshold begins.
type mark struct {
	at   int
	name string
}

func newMutator(file, text string) *mutator {
	return &mutator{file: file, text: text, seen: map[string]bool{text: true}, keys: map[string]int{}}
}

// nameAt is the rule or threshold that a place in the text belongs to.
func (m *mutator) nameAt(at int) string {
	name := "the whole file"
	for _, place := range m.places {
		if place.at > at {
			break
		}
		name = place.name
	}
	return name
}

// replace is one mutant: text[from:to] becomes with.
func (m *mutator) replace(kind string, from, to int, with string) {
	m.change(kind, brief(m.text[from:to])+" → "+brief(with), from, to, with)
}

// drop is one mutant: text[from:to] goes, and its line with it where nothing else is on it.
func (m *mutator) drop(kind string, from, to int) {
	name, change := m.nameAt(from), brief(m.text[from:to])
	start := strings.LastIndex(m.text[:from], "\n") + 1
	end := strings.Index(m.text[to:], "\n")
	if end >= 0 && strings.TrimSpace(m.text[start:from]) == "" && strings.Trim(m.text[to:to+end], " \t,") == "" {
		from, to = start, to+end+1
	}
	m.add(name, kind, change, from, to, "")
}

func (m *mutator) change(kind, change string, from, to int, with string) {
	m.add(m.nameAt(from), kind, change, from, to, with)
}

func (m *mutator) add(name, kind, change string, from, to int, with string) {
	text := m.text[:from] + with + m.text[to:]
	if m.seen[text] {
		return
	}
	m.seen[text] = true
	key := fmt.Sprintf("%s: %s: %s: %s", m.file, name, kind, change)
	if m.keys[key]++; m.keys[key] > 1 {
		key = fmt.Sprintf("%s #%d", key, m.keys[key])
	}
	m.found = append(m.found, mutant{key: key, kind: kind, file: m.file, name: name, line: 1 + strings.Count(m.text[:from], "\n"), text: text})
}

// brief is a piece of text on one short line.
func brief(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > 72 {
		runes = append(runes[:71], '…')
	}
	return string(runes)
}

// regoMutants are all mutants of a file of rules.
func regoMutants(file, text string) ([]mutant, error) {
	module, err := ast.ParseModuleWithOpts(file, text, ast.ParserOptions{ProcessAnnotation: true})
	if err != nil {
		return nil, err
	}
	m := newMutator(file, text)
	for _, rule := range module.Rules {
		m.places = append(m.places, mark{m.startOf(rule), labelOf(rule)})
	}
	for _, rule := range module.Rules {
		m.mutateRule(module, rule)
	}
	m.swapObservedAndLimit(module)
	m.mutateMetadata()
	m.mutateTokens(module)
	m.mutateCalls(module)
	m.mutateFields(module)
	return m.found, nil
}

// labelOf names a rule: violations by reason and action, members of sets with the member.
func labelOf(rule *ast.Rule) string {
	name := rule.Head.Ref()[0].String()
	switch {
	case name == "violated":
		custom := rule.Annotations[0].Custom
		return fmt.Sprintf("violated %v/%v", custom["reason"], custom["action"])
	case rule.Default:
		return "default " + name
	case name == "observed" || name == "limit" || rule.Head.Key != nil:
		head, _, _ := strings.Cut(string(rule.Head.Location.Text), " :=")
		return brief(head)
	}
	return name
}

// endOf is where a rule ends, else branches apart.
func endOf(rule *ast.Rule) int {
	if rule.Default {
		return rule.Head.Location.Offset + len(rule.Head.Location.Text)
	}
	end := rule.Location.Offset + len(rule.Location.Text)
	if rule.Else != nil {
		text := string(rule.Location.Text[:rule.Else.Location.Offset-rule.Location.Offset])
		end = rule.Location.Offset + len(strings.TrimRight(text, " \t\n"))
	}
	return end
}

// startOf is where a rule begins, the comments on it included: METADATA left behind would be that of the next rule.
func (m *mutator) startOf(rule *ast.Rule) int {
	start := rule.Location.Offset
	for start > 0 {
		line := strings.LastIndex(m.text[:start-1], "\n") + 1
		if !strings.HasPrefix(m.text[line:], "#") {
			break
		}
		start = line
	}
	return start
}

// mutateRule drops a rule, each of its else branches, its whole body, each expression of its body and each "not".
func (m *mutator) mutateRule(module *ast.Module, rule *ast.Rule) {
	m.dropRule(module, rule)
	for each := rule; each != nil; each = each.Else {
		if each != rule {
			m.drop("drop alternative", each.Location.Offset, endOf(each))
		}
		m.dropBody(each)
	}
	ast.NewGenericVisitor(func(x any) bool {
		if body, ok := x.(ast.Body); ok {
			m.mutateBody(body)
		}
		return false
	}).Walk(rule)
}

func (m *mutator) dropRule(module *ast.Module, rule *ast.Rule) {
	kind := "drop rule"
	name := rule.Head.Ref()[0].String()
	isTwin := func(other *ast.Rule) bool {
		return other != rule && !other.Default && other.Head.Ref().Equal(rule.Head.Ref())
	}
	switch {
	case name == "violated":
		kind = "drop row"
	case rule.Default:
		kind = "drop default"
	case name == "observed" || name == "limit":
		kind = "drop observed or limit"
	case rule.Head.Key != nil:
		kind = "drop member"
	case slices.ContainsFunc(module.Rules, isTwin):
		kind = "drop alternative"
	}
	if rule.Else == nil {
		m.change(kind, brief(m.text[rule.Location.Offset:endOf(rule)]), m.startOf(rule), endOf(rule), "")
		return
	}
	head := m.text[rule.Head.Location.Offset : rule.Head.Location.Offset+len(rule.Head.Location.Text)]
	head, _, _ = strings.Cut(head, " :=")
	m.change("drop alternative", brief(m.text[rule.Location.Offset:endOf(rule)]), rule.Location.Offset, rule.Else.Location.Offset+len("else"), head)
}

var wordPattern = regexp.MustCompile(`\w+`)

// dropBody makes a rule with a body unconditional.
func (m *mutator) dropBody(rule *ast.Rule) {
	head := m.text[rule.Head.Location.Offset : rule.Head.Location.Offset+len(rule.Head.Location.Text)]
	from := rule.Head.Location.Offset + len(head)
	body := m.text[from:max(from, endOf(rule))]
	if rule.Default || !strings.HasPrefix(strings.TrimSpace(body), "if") {
		return
	}
	bare := head
	if rule.Head.Key == nil && !strings.Contains(head, ":=") && !strings.HasPrefix(head, "else") {
		if name, args, ok := strings.Cut(head, "("); ok {
			bare = name + "(" + wordPattern.ReplaceAllString(args, "_")
		}
		bare += " := true"
	}
	m.change("drop body", brief(body), rule.Head.Location.Offset, endOf(rule), bare)
}

// mutateBody drops each expression of a body that has several, drops each "not", and puts one before each rule.
func (m *mutator) mutateBody(body ast.Body) {
	for _, expr := range body {
		text := string(expr.Location.Text)
		from := expr.Location.Offset
		to := from + len(text)
		if m.text[from:min(to, len(m.text))] != text || strings.HasPrefix(text, "else") || text == "default" {
			continue // what the parser made up
		}
		if len(body) > 1 {
			m.drop("drop expression", from, to)
		}
		if expr.Negated {
			m.change("drop not", brief(text), from, to, strings.TrimSpace(strings.TrimPrefix(text, "not")))
			continue
		}
		if term, ok := expr.Terms.(*ast.Term); ok && !expr.Generated {
			if _, ok := term.Value.(ast.Var); ok {
				m.replace("put not", from, to, "not "+text)
			}
		}
	}
}

// swapObservedAndLimit swaps the two values of each violation.
func (m *mutator) swapObservedAndLimit(module *ast.Module) {
	value := func(rule *ast.Rule) (from, to int) {
		head := string(rule.Head.Location.Text)
		at := strings.Index(head, ":= ") + len(":= ")
		return rule.Head.Location.Offset + at, rule.Head.Location.Offset + len(head)
	}
	for _, observed := range module.Rules {
		for _, limit := range module.Rules {
			a, b := observed.Head.Ref(), limit.Head.Ref()
			if a[0].String() != "observed" || b[0].String() != "limit" || !a[1:].Equal(b[1:]) {
				continue
			}
			from, to := value(observed)
			from2, to2 := value(limit)
			m.change("swap observed and limit", m.text[from:to]+" ↔ "+m.text[from2:to2], from, to2,
				m.text[from2:to2]+m.text[to:from2]+m.text[from:to])
		}
	}
}

var metadataPattern = regexp.MustCompile(`(?m)^#   (reason|action): (\w+)$`)

// mutateMetadata gives each row the reason, and the action, of the next row that has another one.
func (m *mutator) mutateMetadata() {
	all := metadataPattern.FindAllStringSubmatchIndex(m.text, -1)
	for i, at := range all {
		what, word := m.text[at[2]:at[3]], m.text[at[4]:at[5]]
		for _, next := range slices.Concat(all[i:], all[:i]) {
			other := m.text[next[4]:next[5]]
			if m.text[next[2]:next[3]] == what && other != word {
				m.change("replace "+what, word+" → "+other, at[4], at[5], other)
				break
			}
		}
		m.change("replace "+what, word+" → none", at[0], at[1], "#   "+what+": \"\"")
	}
}
