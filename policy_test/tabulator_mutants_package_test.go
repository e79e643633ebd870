package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// goMutation is the source with all its mutants in.
type goMutation struct {
	root    string // the module's folder
	mutants []goMutant
	texts   map[string]string // changed files, by their names from the root
	dropped []string          // mutants that do not compile
}

// goPackage is a package of which some files are mutated.
type goPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string

	name    string // its folder, from the root
	imports types.Importer
	fset    *gotoken.FileSet
	files   []*goFile // those that are mutated
	others  []*ast.File
}

// mutateGo puts mutants in the files that the patterns match, and takes those out that do not compile.
func mutateGo(root string, patterns []string) (*goMutation, error) {
	names, err := filesOf(root, patterns)
	if err != nil || len(names) == 0 {
		return &goMutation{root: root}, err
	}
	packages, err := packagesOf(root, names)
	if err != nil {
		return nil, err
	}
	m := &goMutation{root: root, texts: map[string]string{}}
	ids := 0
	for _, p := range packages {
		if err := p.load(names, &ids); err != nil {
			return nil, err
		}
		for _, f := range p.files {
			f.mutate()
		}
		m.take(p, p.compiling())
	}
	return m, nil
}

// filesOf are the files that patterns match and that are no tests.
func filesOf(root string, patterns []string) (names []string, err error) {
	for _, pattern := range patterns {
		matches, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, match := range matches {
			name, err := filepath.Rel(root, match)
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				names = append(names, filepath.ToSlash(name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// packagesOf are the packages of the files, with the compiled types of what they import.
func packagesOf(root string, names []string) (packages []*goPackage, err error) {
	folders := []string{}
	for _, name := range names {
		folders = append(folders, "./"+path.Dir(name))
	}
	folders = slices.Compact(folders)
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", switchImport}, folders...)...)
	command.Dir, command.Stderr = root, os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, err
	}
	all := map[string]*goPackage{}
	imports := importer.ForCompiler(gotoken.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) {
		if all[name] == nil {
			return nil, errors.New("nothing imports " + name)
		}
		return os.Open(all[name].Export)
	})
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := &goPackage{imports: imports}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
		p.name = strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(p.Dir, root)), "/")
		if slices.Contains(folders, "./"+p.name) {
			packages = append(packages, p)
		}
	}
}

// load parses a package, and checks the types of it as it is.
func (p *goPackage) load(names []string, ids *int) error {
	p.fset = gotoken.NewFileSet()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	all := []*ast.File{}
	for _, file := range p.GoFiles {
		name := path.Join(p.name, file)
		text, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, tree)
		if !slices.Contains(names, name) {
			p.others = append(p.others, tree)
			continue
		}
		at := func(pos gotoken.Pos) int { return p.fset.Position(pos).Offset }
		p.files = append(p.files, &goFile{name: name, text: string(text), tree: tree, info: info, at: at, names: map[string]int{}, ids: ids})
	}
	local, err := (&types.Config{Importer: p.imports}).Check(p.ImportPath, p.fset, all, info)
	for _, f := range p.files {
		f.local = local
	}
	return err
}

// compiling are the sites that must go for the rest to compile. An error takes the innermost change around it away, and
// what went with the guilty one comes back where it can.
func (p *goPackage) compiling() map[int]bool {
	dropped := map[int]bool{}
	for p.drop(dropped) {
	}
	for site := range dropped {
		without := map[int]bool{}
		for each := range dropped {
			without[each] = each != site
		}
		if delete(without, site); !p.drop(without) {
			delete(dropped, site)
		}
	}
	return dropped
}

// drop takes the sites of errors away, and reports whether there were errors.
func (p *goPackage) drop(dropped map[int]bool) bool {
	trees := slices.Clone(p.others)
	spans := map[string][]goSpan{}
	for _, f := range p.files {
		text, changed := f.render(dropped)
		tree, err := parser.ParseFile(p.fset, f.name, text, parser.SkipObjectResolution)
		if err != nil {
			panic(fmt.Sprintf("a change that is no Go: %v\n%s", err, text))
		}
		trees = append(trees, tree)
		spans[f.name] = changed
	}
	failed := false
	config := types.Config{Importer: p.imports, Error: func(err error) {
		failed = true
		var told types.Error
		_ = errors.As(err, &told) // go/types tells no others
		at := p.fset.Position(told.Pos)
		if site := innermost(spans[at.Filename], at.Offset); site >= 0 {
			dropped[site] = true
			return
		}
		p.dropBranches(dropped, err, at)
	}}
	_, _ = config.Check(p.ImportPath, p.fset, trees, nil) // its errors went to the function above
	return failed
}

func innermost(spans []goSpan, at int) int {
	site, length := -1, 0
	for _, s := range spans {
		if s.from <= at && at <= s.to && (site < 0 || s.to-s.from <= length) {
			site, length = s.site, s.to-s.from
		}
	}
	return site
}

// dropBranches takes the branches of a function away: a loop that one leaves needs a return behind it.
func (p *goPackage) dropBranches(dropped map[int]bool, err error, at gotoken.Position) {
	before := len(dropped)
	for _, f := range p.files {
		name := ""
		for _, m := range f.found {
			if f.name == at.Filename && m.line <= at.Line {
				name = m.name
			}
		}
		for _, m := range f.found {
			if f.name == at.Filename && m.kind == "branch" && m.name == name {
				dropped[m.site] = true
			}
		}
	}
	if len(dropped) == before {
		panic(fmt.Sprintf("no mutant explains that mutants do not compile: %v", err))
	}
}

// take keeps the mutants of a package, and its texts.
func (m *goMutation) take(p *goPackage, dropped map[int]bool) {
	for _, f := range p.files {
		m.texts[f.name], _ = f.render(dropped)
		for _, each := range f.found {
			if dropped[each.site] {
				m.dropped = append(m.dropped, each.key)
				continue
			}
			m.mutants = append(m.mutants, each)
		}
	}
}
