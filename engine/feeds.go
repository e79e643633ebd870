package engine

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/thresholds"
)

// feeds is what a check is proved from.
type feeds struct {
	thresholds [][]string // steps below data, anyName where the rules compute one; the most direct first
	fields     []string   // of the document, dotted
}

// anyName stands for a name that is computed, such as that of a class.
const anyName = "*"

// feedsOf follows the rules of a package from some names to the thresholds and fields that they read, rule by rule and
// the nearest first, into other packages too. What the guards do with them is left out.
func feedsOf(s *source, name string, from []string) feeds {
	f := &follower{source: s, packages: map[string]*rulesOf{}, seen: map[place]bool{}, referred: map[string]bool{}}
	for _, start := range from {
		f.visit(place{name, start})
	}
	for len(f.queue) > 0 {
		next := f.queue[0]
		f.queue = f.queue[1:]
		f.at = f.rulesOf(next.in)
		for _, rule := range f.at.rules[next.rule] {
			for each := rule; each != nil; each = each.Else {
				f.read(each)
			}
		}
	}
	return f.found.withoutPrefixes()
}

// feedsIn is what some rules read themselves.
func feedsIn(s *source, name string, rules []string) feeds {
	f := &follower{source: s, packages: map[string]*rulesOf{}, seen: map[place]bool{}, referred: map[string]bool{}}
	f.at = f.rulesOf(name)
	for _, start := range rules {
		for _, rule := range f.at.rules[start] {
			f.read(rule)
		}
	}
	return f.found.withoutPrefixes()
}

// place is a rule by its package and name.
type place struct{ in, rule string }

// rulesOf is a package as it is followed.
type rulesOf struct {
	name     string
	rules    map[string][]*ast.Rule
	imported map[string]ast.Ref
}

// follower walks the rules, each once.
type follower struct {
	source   *source
	packages map[string]*rulesOf
	at       *rulesOf
	seen     map[place]bool
	referred map[string]bool // by package and reference
	queue    []place
	found    feeds
}

func (f *follower) rulesOf(name string) *rulesOf {
	if f.packages[name] == nil {
		own := &rulesOf{name: name, rules: bodiesOf(f.source, name), imported: map[string]ast.Ref{}}
		for _, module := range f.source.modules {
			if packageName(module) != name {
				continue
			}
			for _, imported := range module.Imports {
				if path, ok := imported.Path.Value.(ast.Ref); ok {
					own.imported[string(imported.Name())] = path
				}
			}
		}
		f.packages[name] = own
	}
	return f.packages[name]
}

func (f *follower) visit(to place) {
	if to.in != guardPackage && !f.seen[to] {
		f.seen[to] = true
		f.queue = append(f.queue, to)
	}
}

// read looks at everything that a rule refers to.
func (f *follower) read(rule *ast.Rule) {
	look := func(x any) {
		ast.NewGenericVisitor(func(x any) bool {
			switch x := x.(type) {
			case ast.Ref:
				f.refer(x)
			case ast.Var:
				if f.at.rules[string(x)] != nil {
					f.visit(place{f.at.name, string(x)})
				}
			case *ast.Rule:
				return x != rule
			}
			return false
		}).Walk(x)
	}
	look(rule.Body)
	if rule.Head.Value != nil {
		look(rule.Head.Value)
	}
	if rule.Head.Key != nil {
		look(rule.Head.Key)
	}
}

// refer notes what a reference leads to; one into a rule that only stands for another reference is followed through it.
func (f *follower) refer(ref ast.Ref) { f.through(ref, nil) }

// through is refer by way of other names, each of which is passed once: rules that stand for one another lead nowhere,
// and that is the compiler's to tell.
func (f *follower) through(ref ast.Ref, passed []ast.Var) {
	head, ok := ref[0].Value.(ast.Var)
	key := f.at.name + " " + ref.String()
	if !ok || slices.Contains(passed, head) || f.referred[key] {
		return
	}
	f.referred[key] = true
	beyond := append(slices.Clone(passed), head)
	if path, ok := f.at.imported[string(head)]; ok {
		f.through(slices.Concat(path, ref[1:]), beyond)
		return
	}
	switch {
	case head == "input":
		f.field(ref)
	case head == "data" && len(ref) > 1 && ref[1].Value.Compare(ast.String("admission")) == 0:
		f.elsewhere(stepsOf(ref))
	case head == "data":
		f.threshold(ref)
	case f.at.rules[string(head)] != nil:
		for _, rule := range f.at.rules[string(head)] {
			if alias, ok := aliasOf(rule); ok && len(ref) > 1 {
				f.through(slices.Concat(alias, ref[1:]), beyond)
				if !rule.Body.Equal(ast.NewBody(ast.NewExpr(ast.BooleanTerm(true)))) {
					f.visit(place{f.at.name, string(head)}) // it stands for that only where its body holds
				}
				continue
			}
			f.visit(place{f.at.name, string(head)})
		}
	}
}

// elsewhere follows a reference into the package that most of it names.
func (f *follower) elsewhere(path []string) {
	for end := len(path) - 1; end > 0; end-- {
		if in := strings.Join(path[:end], "."); f.rulesOf(in).rules[path[end]] != nil {
			f.visit(place{in, path[end]})
			return
		}
	}
}

// aliasOf is the reference that a rule stands for, as class does for data.classes[input.class].
func aliasOf(rule *ast.Rule) (ast.Ref, bool) {
	if rule.Head.Value == nil || rule.Default || rule.Else != nil || len(rule.Head.Args) > 0 {
		return nil, false
	}
	alias, ok := rule.Head.Value.Value.(ast.Ref)
	return alias, ok
}

func (f *follower) field(ref ast.Ref) {
	name := strings.Join(stepsOf(ref), ".")
	if name != "" && !slices.Contains(f.found.fields, name) {
		f.found.fields = append(f.found.fields, name)
	}
}

func (f *follower) threshold(ref ast.Ref) {
	path := stepsOf(ref)
	if len(path) == 0 {
		return
	}
	if !slices.ContainsFunc(f.found.thresholds, func(other []string) bool { return slices.Equal(other, path) }) {
		f.found.thresholds = append(f.found.thresholds, path)
	}
}

// stepsOf is a reference without its head.
func stepsOf(ref ast.Ref) []string {
	var path []string
	for _, step := range ref[1:] {
		if name, ok := step.Value.(ast.String); ok {
			path = append(path, string(name))
		} else {
			path = append(path, anyName)
		}
	}
	return path
}

// withoutPrefixes drops a map of thresholds where what lies in it is there.
func (f feeds) withoutPrefixes() feeds {
	all := f.thresholds
	f.thresholds = slices.DeleteFunc(slices.Clone(all), func(path []string) bool {
		return slices.ContainsFunc(all, func(other []string) bool {
			return len(other) > len(path) && slices.Equal(other[:len(path)], path)
		})
	})
	return f
}

// settingsAt lists the thresholds that a path with computed names leads to, sorted.
func settingsAt(tree *thresholds.Tree, path []string) []thresholds.Setting {
	var all []thresholds.Setting
	var walk func(at *thresholds.Tree, name string, rest []string)
	walk = func(at *thresholds.Tree, name string, rest []string) {
		switch {
		case len(rest) == 0:
			all = append(all, at.SettingsUnder(name)...)
		case rest[0] == anyName && at.Kind == thresholds.List:
			all = append(all, at.SettingsUnder(name)...)
		case rest[0] == anyName:
			for _, key := range slices.Sorted(slices.Values(at.Keys)) {
				walk(at.Fields[key], thresholds.Join(name, key), rest[1:])
			}
		case at.Fields[rest[0]] != nil:
			walk(at.Fields[rest[0]], thresholds.Join(name, rest[0]), rest[1:])
		}
	}
	walk(tree, "", path)
	return all
}
