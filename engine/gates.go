package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/thresholds"
)

// Gate is what a gate says of itself, in the METADATA of its package.
type Gate struct {
	Name        string            // such as "fence.retry"
	Title       string            // the gate in a word or two
	Description string            // the question that it decides
	Properties  []inputs.Property // of its documents, but for "gate"
	// Worse is the way in which numbers of the documents get worse, by the names of properties, as the schema declares it.
	// Of what is not here, nobody says.
	Worse map[string]Direction
	// Tightens names the properties by which a caller brings a limit of its own, in the order of Properties: a lower
	// number, or a switch that is false, may only make the gate reject more.
	Tightens []string
	// Nominal is the first example in the schema: a document as a healthy system sends it, for those who want to know how
	// far from usual another one is. It is nil where there is no example.
	Nominal    inputs.Document
	Precedence []string          // the reasons in the order in which they win
	Checks     []Check           // the rows of its decision table, in the order in which they are written
	Admits     []Admission       // the ways in which it admits, in the order in which they are written
	Actions    map[string]string // what each action asks of the caller, in a sentence
	Protects   string            // what would be harmed without it
	File       string            // that holds the METADATA
	Line       int               // from 1

	said meanings
}

// Admission is a way in which a gate admits.
type Admission struct {
	Reason     string
	Action     string
	When       []string // the titles of what must hold besides, none where nothing must
	Thresholds []string // that decide it, such as "fanout.probe_when_idle", the most direct first
	Fields     []string // of the document that decide it
	File       string
	Line       int // from 1

	paths [][]string // of Thresholds
}

// Gate describes a gate; false where the policies have none of this name.
func (p *Program) Gate(name string) (Gate, bool) {
	if p = p.loaded(); p == nil {
		return Gate{}, false
	}
	gate, ok := p.described[name]
	gate.Properties, gate.Checks, gate.Admits, gate.Actions = slices.Clone(gate.Properties), slices.Clone(gate.Checks), slices.Clone(gate.Admits), maps.Clone(gate.Actions)
	gate.Precedence = slices.Clone(gate.Precedence)
	gate.mean(p.schemas[name])
	for i := range gate.Properties {
		gate.Properties[i].Words = slices.Clone(gate.Properties[i].Words)
	}
	for i, check := range gate.Checks {
		gate.Checks[i].Thresholds, gate.Checks[i].Fields = slices.Clone(check.Thresholds), slices.Clone(check.Fields)
	}
	for i, way := range gate.Admits {
		gate.Admits[i].When, gate.Admits[i].Thresholds, gate.Admits[i].Fields = slices.Clone(way.When), slices.Clone(way.Thresholds), slices.Clone(way.Fields)
	}
	return gate, ok
}

// Declared lists the thresholds that a gate declares for its own, in the order in which they are set, and at the end
// those that are not.
func (p *Program) Declared(gate string) []Threshold {
	if p = p.loaded(); p == nil || p.tree == nil {
		return nil
	}
	return thresholdsOf(p.declared, p.tree, "admission."+gate)
}

// Gates names the gates of the program, sorted.
func (p *Program) Gates() []string {
	if p = p.loaded(); p == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(p.gates))
}

// Checks lists the rows of a gate's decision table in the order in which they are written. A reason can have two
// rows, whose actions differ.
func (p *Program) Checks(gate string) []Check {
	own, _ := p.Gate(gate)
	return own.Checks
}

// Title is the violation of a reason in a few words, or "" where the gate has no such check.
func (p *Program) Title(gate, reason, action string) string {
	if p == nil {
		return ""
	}
	if own := p.gates[gate]; p.whole != nil && own != nil {
		return own.table.Title(reason, action)
	}
	title := ""
	for _, check := range p.described[gate].Checks {
		if check.Reason == reason && (title == "" || check.Action == action) {
			title = check.Title
		}
	}
	return title
}

// Schemas describes the documents of the gates that operators added: what [inputs.Source] needs to decode them.
func (p *Program) Schemas() []*inputs.Schema {
	if p == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(p.schemas), func(a, b *inputs.Schema) int { return cmp.Compare(a.Gate(), b.Gate()) })
}

// Decode is [inputs.Decode] of documents of every gate of the program, those that operators added included.
func (p *Program) Decode(data []byte, source inputs.Source) (inputs.Document, error) {
	source.Schemas = p.Schemas()
	return inputs.Decode(data, source)
}

// describeGates collects what the gates say of themselves.
func describeGates(s *source, tree *thresholds.Tree, checks map[string][]Check, documents documents) map[string]Gate {
	gates := map[string]Gate{}
	for _, name := range gateNames(s) {
		gate := Gate{Name: name, Properties: documents.properties[name], Checks: checks[name], Actions: map[string]string{}, said: documents.said[name]}
		if list, _ := tree.Find(append(strings.Split(name, "."), "precedence")); list.Kind == thresholds.List {
			for _, item := range list.Items {
				if reason, ok := item.Scalar.(string); ok {
					gate.Precedence = append(gate.Precedence, reason)
				}
			}
		}
		for _, file := range moduleNames(s) {
			if packageName(s.modules[file]) == "admission."+name {
				gate.describe(s.modules[file])
				gate.Admits = append(gate.Admits, admissionsIn(s, s.modules[file])...)
			}
		}
		gates[name] = gate
	}
	return gates
}

// describe takes what the METADATA of a package says in one of its files.
func (g *Gate) describe(module *ast.Module) {
	for _, annotations := range module.Annotations {
		if annotations.Scope != "package" {
			continue
		}
		if g.File == "" || annotations.Title != "" {
			g.Title, g.Description = annotations.Title, annotations.Description
			g.File, g.Line = annotations.Location.File, annotations.Location.Row
		}
		actions, _ := annotations.Custom["actions"].(map[string]any)
		for action, meaning := range actions {
			if text, ok := meaning.(string); ok {
				g.Actions[action] = text
			}
		}
		if text, ok := annotations.Custom["protects"].(string); ok {
			g.Protects = text
		}
	}
}

// admissionsIn finds the decisions that rules write out: every object with a reason and an action, but for the default
// decision, which rejects.
func admissionsIn(s *source, module *ast.Module) []Admission {
	var all []Admission
	for _, rule := range module.Rules {
		if rule.Default {
			continue
		}
		for each := rule; each != nil; each = each.Else {
			if each.Head.Value == nil {
				continue
			}
			ast.WalkTerms(each.Head.Value, func(term *ast.Term) bool {
				object, ok := term.Value.(ast.Object)
				if !ok {
					return false
				}
				way := Admission{Reason: textIn(object, "reason"), Action: textIn(object, "action"), File: term.Location.File, Line: term.Location.Row}
				if way.Reason != "" && way.Action != "" {
					way.explain(s, packageName(module), each.Body)
					all = append(all, way)
				}
				return false
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Admission) int { return cmp.Compare(a.Line, b.Line) })
	return all
}

// explain names what must hold besides, and what that is proved from.
func (a *Admission) explain(s *source, name string, body ast.Body) {
	rules := bodiesOf(s, name)
	var conditions []string
	ast.WalkVars(body, func(v ast.Var) bool {
		if rules[string(v)] != nil && !slices.Contains(conditions, string(v)) {
			conditions = append(conditions, string(v))
			for _, rule := range rules[string(v)] {
				if title, _ := titleOf(rule); title != "" {
					a.When = append(a.When, title)
				}
			}
		}
		return false
	})
	var direct []string // of a condition that weighs the violations, what it reads beside them
	for _, condition := range conditions {
		for _, rule := range rules[condition] {
			ast.WalkVars(rule.Body, func(v ast.Var) bool {
				if rules[string(v)] != nil && v != "violated" {
					direct = append(direct, string(v))
				}
				return false
			})
		}
	}
	from := feedsOf(s, name, direct)
	own := feedsIn(s, name, conditions)
	a.Fields = slices.Concat(own.fields, without(from.fields, own.fields))
	for _, path := range slices.Concat(own.thresholds, from.thresholds) {
		if name := pathName(path); !slices.Contains(a.Thresholds, name) {
			a.Thresholds, a.paths = append(a.Thresholds, name), append(a.paths, path)
		}
	}
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
}

func textIn(object ast.Object, key string) string {
	term := object.Get(ast.StringTerm(key))
	if term == nil {
		return ""
	}
	text, _ := term.Value.(ast.String)
	return string(text)
}
