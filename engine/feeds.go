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
// the nearest first. What the guards do with them is left out.
func feedsOf(s *source, name string, from []string) feeds {
	f := &follower{rules: bodiesOf(s, name), seen: map[string]bool{}, imported: map[string]ast.Ref{}}
	for _, module := range s.modules {
		if packageName(module) == name {
			for _, imported := range module.Imports {
				if path, ok := imported.Path.Value.(ast.Ref); ok {
					f.imported[string(imported.Name())] = path
				}
			}
		}
	}
	for _, start := range from {
		f.visit(start)
	}
	for len(f.queue) > 0 {
		next := f.queue[0]
		f.queue = f.queue[1:]
		for _, rule := range f.rules[next] {
			for each := rule; each != nil; each = each.Else {
				f.read(each)
			}
		}
	}
	return f.found.withoutPrefixes()
}

// follower walks a package, each rule once.
type follower struct {
	rules    map[string][]*ast.Rule
	imported map[string]ast.Ref
	seen     map[string]bool
	queue    []string
	found    feeds
}

func (f *follower) visit(name string) {
	if !f.seen[name] {
		f.seen[name] = true
		f.queue = append(f.queue, name)
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
				if f.rules[string(x)] != nil {
					f.visit(string(x))
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
func (f *follower) refer(ref ast.Ref) {
	head, ok := ref[0].Value.(ast.Var)
	if !ok {
		return
	}
	if path, ok := f.imported[string(head)]; ok {
		f.refer(slices.Concat(path, ref[1:]))
		return
	}
	switch {
	case head == "input":
		f.field(ref)
	case head == "data":
		f.threshold(ref)
	case f.rules[string(head)] != nil:
		for _, rule := range f.rules[string(head)] {
			if alias, ok := aliasOf(rule); ok && len(ref) > 1 {
				f.refer(slices.Concat(alias, ref[1:]))
				continue
			}
			f.visit(string(head))
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
	if len(path) == 0 || path[0] == "admission" {
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
