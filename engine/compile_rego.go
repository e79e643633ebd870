package engine

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/open-policy-agent/opa/v1/ast"
)

// newCompiler is OPA's compiler: strict, with the built-ins of gates alone, and types checked by the schemas.
func newCompiler() *ast.Compiler {
	return ast.NewCompiler().WithStrict(true).WithCapabilities(capabilities()).WithUseTypeCheckAnnotations(true).SetErrorLimit(0)
}

// compileRego gives OPA's compiler after it compiled all modules, or nil where it could not.
func compileRego(s *source, found *problems) *ast.Compiler {
	if len(s.torn) == 0 {
		compiler := newCompiler()
		if compiler.Compile(s.modules); !compiler.Failed() {
			return compiler
		}
	}
	(&retelling{found: found, modules: s.untorn(), stubbed: map[*ast.Rule]bool{}}).run()
	return nil
}

// untorn copies the modules of the packages that were read whole, and that need none that was not.
func (s *source) untorn() map[string]*ast.Module {
	modules := map[string]*ast.Module{}
	for name, module := range s.modules {
		modules[name] = module.Copy()
	}
	torn := slices.Clone(s.torn)
	if slices.Contains(torn, "") {
		return nil // any package may lack rules
	}
	for before := -1; before != len(modules); {
		before = len(modules)
		for name, module := range modules {
			if slices.ContainsFunc(torn, func(torn string) bool { return packageName(module) == torn || needs(module, torn) }) {
				torn = append(torn, packageName(module))
				delete(modules, name)
			}
		}
	}
	return modules
}

// needs reports whether a module refers to a package.
func needs(module *ast.Module, name string) bool {
	path := ast.MustParseRef("data." + name)
	found := false
	ast.WalkRefs(module, func(ref ast.Ref) bool {
		found = found || ref.HasPrefix(path)
		return found
	})
	for _, imported := range module.Imports {
		ref, ok := imported.Path.Value.(ast.Ref)
		found = found || ok && ref.HasPrefix(path)
	}
	return found
}

// retelling compiles again and again. OPA's compiler works in stages and stops after the first that fails, so that a
// type error stays unseen behind an unsafe variable in another file; here each rule that was found wrong is replaced by
// one that is right, until nothing new comes up.
type retelling struct {
	found   *problems
	modules map[string]*ast.Module
	stubbed map[*ast.Rule]bool
	removed []string // rules that no stub could mend: what misses them is no news
}

func (r *retelling) run() {
	const most = 20 // stages that can fail one after the other
	for pass := range most {
		compiler := newCompiler()
		compiler.Compile(r.modules)
		mended := false
		for _, e := range compiler.Errors {
			if pass == 0 || r.isNews(e) {
				r.tell(e)
			}
			mended = r.mend(e) || mended
		}
		if !mended {
			return
		}
	}
}

// isNews reports whether an error is not one of those that stubs bring about.
func (r *retelling) isNews(e *ast.Error) bool {
	return !strings.Contains(e.Message, "unused") && !slices.ContainsFunc(r.removed, func(name string) bool { return slices.Contains(words(e.Message), name) })
}

// words are the names in a message.
func words(message string) []string {
	return strings.FieldsFunc(message, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func (r *retelling) tell(e *ast.Error) {
	told := slices.ContainsFunc(r.found.list, func(p Problem) bool {
		if e.Location == nil || p.File != e.Location.File || p.Line != e.Location.Row {
			return false
		}
		return e.Code == ast.TypeErr && strings.HasPrefix(e.Message, "undefined function ") && errors.Is(p.Kind, ErrBuiltin) ||
			e.Code == ast.UnsafeVarErr && strings.HasPrefix(p.Problem, noSuchRule)
	})
	if !told { // in better words
		r.found.addRego(ast.Errors{e})
	}
}

// mend replaces the rule or drops the import that an error is in; false where there is none.
func (r *retelling) mend(e *ast.Error) bool {
	if e.Location == nil || r.modules[e.Location.File] == nil {
		return false
	}
	module := r.modules[e.Location.File]
	rule := ruleAt(module.Rules, e.Location.Row)
	if rule == nil {
		before := len(module.Imports)
		module.Imports = slices.DeleteFunc(module.Imports, func(i *ast.Import) bool { return i.Location.Row == e.Location.Row })
		return len(module.Imports) < before
	}
	if !r.stubbed[rule] {
		r.stubbed[rule] = true
		stub(rule)
		return true
	}
	r.removed = append(r.removed, ruleName(rule))
	module.Rules = slices.DeleteFunc(module.Rules, func(other *ast.Rule) bool { return other == rule })
	return true
}

// stub leaves of a rule what others see: that there is one of this name and arity.
func stub(rule *ast.Rule) {
	rule.Body = ast.NewBody(ast.NewExpr(ast.BooleanTerm(true)))
	rule.Else = nil
	for i := range rule.Head.Args {
		rule.Head.Args[i] = ast.VarTerm(ast.WildcardPrefix + "stub" + strconv.Itoa(i))
	}
	if rule.Head.Key != nil {
		rule.Head.Key = anything()
	}
	if rule.Head.Value != nil {
		rule.Head.Value = anything()
	}
}

// anything is a call whose value the type checker knows nothing of, so that whoever reads it is not blamed.
func anything() *ast.Term {
	return ast.CallTerm(ast.RefTerm(ast.VarTerm("object"), ast.StringTerm("get")), ast.ObjectTerm(), ast.StringTerm(""), ast.NullTerm())
}

// moduleNames lists the files of the modules in their order.
func moduleNames(s *source) []string { return slices.Sorted(maps.Keys(s.modules)) }
