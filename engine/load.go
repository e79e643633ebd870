package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/thresholds"
)

// source is what a policy directory holds.
type source struct {
	root    string // how the directory is named in errors
	modules map[string]*ast.Module
	texts   map[string][]byte // by displayed name
	data    []*dataFile
	torn    []string // packages of which a file could not be parsed: what seems missing in them need not be
}

// dataFile is a file of thresholds, which OPA and this package root at the folder that it lies in.
type dataFile struct {
	name    string
	folders []string
	tree    *thresholds.Tree
}

// problems collects what is wrong, so that a load reports all of it at once.
type problems struct {
	list  []Problem
	more  int // that were found beyond the first maxProblems
	texts map[string][]byte
}

// maxProblems is how many problems a load tells: more than anybody reads, and few enough to find the line of each.
const maxProblems = 1000

func (p *problems) add(problem Problem) {
	if len(p.list) >= maxProblems {
		p.more++
		return
	}
	if problem.Text == "" && problem.Line > 0 {
		problem.Text = lineOf(p.texts[problem.File], problem.Line)
	}
	p.list = append(p.list, problem)
}

// told is the list in the order of files and lines, and at its end how many more there are.
func (p *problems) told() []Problem {
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	p.list = slices.Compact(p.list)
	if p.more == 0 {
		return p.list
	}
	return append(p.list, Problem{Problem: fmt.Sprintf("and %d problems more", p.more), Kind: ErrLoad})
}

// lineOf is a line of a file, without its end.
func lineOf(text []byte, line int) string {
	for ; line > 1; line-- {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return ""
		}
		text = text[end+1:]
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return string(bytes.TrimRight(first, "\r"))
}

// load parses the files of a snapshot, but for rules that are known.
func load(snap *snapshot, found *problems, known *rules) *source {
	s := &source{root: snap.root, modules: map[string]*ast.Module{}, texts: found.texts}
	var lost []string
	for _, problem := range snap.wrong {
		found.add(problem)
		lost = append(lost, problem.File)
	}
	rules := 0
	for _, file := range snap.files {
		shown := path.Join(s.root, file.name)
		s.texts[shown] = file.text
		if path.Ext(file.name) == ".rego" {
			rules++
			if known != nil {
				s.modules[shown] = known.source.modules[shown]
			} else if !s.loadModule(shown, file.text, found) {
				lost = append(lost, shown)
			}
		} else {
			s.loadData(shown, file, found)
		}
	}
	if rules == 0 && len(snap.wrong) == 0 {
		found.add(Problem{File: s.root, Problem: "there is no policy (*.rego) here", Mend: "name the directory that holds the gates", Kind: ErrFiles})
	}
	for _, name := range lost {
		if path.Ext(name) == ".rego" {
			s.torn = append(s.torn, s.packagesAt(name)...)
		}
	}
	s.wantGuards(found)
	return s
}

// packagesAt are the packages that a file which cannot be read may be of: that which it names, else those of the other
// files of its folder, else what the folder is called.
func (s *source) packagesAt(shown string) []string {
	if name := packageOf(s.texts[shown]); name != "" {
		return []string{name}
	}
	var names []string
	for other, module := range s.modules {
		if path.Dir(other) == path.Dir(shown) {
			names = append(names, packageName(module))
		}
	}
	if folder := strings.TrimPrefix(strings.TrimPrefix(path.Dir(shown), s.root), "/"); names == nil && folder != "" {
		return []string{"admission." + strings.ReplaceAll(folder, "/", ".")}
	} else if names == nil {
		return []string{""}
	}
	return names
}

// wantGuards tells once that the guards are not there, which every gate would tell many times.
func (s *source) wantGuards(found *problems) {
	if len(s.modules) == 0 || s.isTorn(guardPackage) {
		return
	}
	for _, module := range s.modules {
		if packageName(module) == guardPackage {
			return
		}
	}
	found.add(Problem{File: path.Join(s.root, guardFile), Problem: "package " + guardPackage + " is not there", Mend: "copy it from the shipped policies: it is what every gate compares with", Kind: ErrFiles})
	s.torn = append(s.torn, guardPackage)
}

// loadModule parses a file of rules; false where it cannot be parsed.
func (s *source) loadModule(shown string, text []byte, found *problems) bool {
	if len(bytes.TrimSpace(comments.ReplaceAll(text, nil))) == 0 {
		found.add(Problem{File: shown, Problem: "the file is empty", Mend: "remove it", Kind: ErrRego})
		return false
	}
	module, err := ast.ParseModuleWithOpts(shown, string(text), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		found.addRego(err)
		return false
	}
	s.modules[shown] = module
	return true
}

var comments = regexp.MustCompile(`(?m)^\s*#.*$`)

var packageClause = regexp.MustCompile(`(?m)^[ \t]*package[ \t]+([A-Za-z0-9_.]+)`)

// packageOf is the package of a file that cannot be parsed, or "" where it names none that can be read.
func packageOf(text []byte) string {
	if clause := packageClause.FindSubmatch(text); clause != nil {
		return string(clause[1])
	}
	return ""
}

// isTorn reports whether a file of a package could not be parsed, or of one that cannot be told.
func (s *source) isTorn(name string) bool {
	return slices.Contains(s.torn, name) || slices.Contains(s.torn, "")
}

// blamed are the packages in whose files there are problems.
func (s *source) blamed(found *problems) map[string]bool {
	blamed := map[string]bool{}
	for _, problem := range found.list {
		if module := s.modules[problem.File]; module != nil {
			blamed[packageName(module)] = true
		}
	}
	for _, name := range s.torn {
		blamed[name] = true
	}
	return blamed
}

func (s *source) loadData(shown string, from file, found *problems) {
	data := &dataFile{name: shown, tree: found.parse(shown, from.text)}
	if folder := path.Dir(from.name); folder != "." {
		data.folders = strings.Split(folder, "/")
	}
	s.data = append(s.data, data)
}

// addRego adds OPA's errors as they are: message, place, the line, and what was expected.
func (p *problems) addRego(err error) {
	var list ast.Errors
	if !errors.As(err, &list) {
		p.add(Problem{Problem: err.Error(), Kind: ErrRego})
		return
	}
	for _, e := range list {
		problem := Problem{Problem: e.Code + ": " + e.Message, Kind: ErrRego}
		if e.Location != nil {
			problem.File, problem.Line, problem.Column = e.Location.File, e.Location.Row, e.Location.Col
		}
		if e.Details != nil && e.Code == ast.TypeErr {
			problem.Mend = strings.Join(strings.Fields(strings.Join(e.Details.Lines(), " ")), " ")
			if at := strings.Index(problem.Mend, "have:"); at >= 0 {
				problem.Mend = problem.Mend[at:]
			}
		}
		p.add(problem)
	}
}

// parse reads a file of thresholds as far as it can be read.
func (p *problems) parse(name string, text []byte) *thresholds.Tree {
	p.texts[name] = text
	tree, found := thresholds.Parse(name, text)
	for _, problem := range found {
		p.addData(problem.At, problem.Path, problem.Problem, problem.Mend)
	}
	return tree
}

// merge puts the data files of a policy directory into one tree.
func merge(root string, files []*dataFile, found *problems) *thresholds.Tree {
	tree := thresholds.New(thresholds.Position{File: root})
	for _, file := range files {
		for _, problem := range tree.Merge(file.tree.Under(file.folders)) {
			found.addData(problem.At, problem.Path, problem.Problem, problem.Mend)
		}
	}
	return tree
}

func (p *problems) addData(at thresholds.Position, path, problem, mend string) {
	p.add(Problem{File: at.File, Line: at.Line, Column: at.Column, Path: path, Problem: problem, Mend: mend, Kind: ErrThresholds})
}
