package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
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

// err is nil or a *LoadError.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	p.list = slices.Compact(p.list)
	return &LoadError{Problems: p.told()}
}

// told is the list, and at its end how many more there are.
func (p *problems) told() []Problem {
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

// load parses the files of a snapshot.
func load(snap *snapshot, found *problems) *source {
	s := &source{root: snap.root, modules: map[string]*ast.Module{}, texts: found.texts}
	for _, problem := range snap.wrong {
		found.add(problem)
	}
	rules := 0
	for _, file := range snap.files {
		shown := path.Join(s.root, file.name)
		s.texts[shown] = file.text
		if path.Ext(file.name) == ".rego" {
			rules++
			s.loadModule(shown, file.text, found)
		} else {
			s.loadData(shown, file, found)
		}
	}
	if rules == 0 && len(snap.wrong) == 0 {
		found.add(Problem{File: s.root, Problem: "there is no policy (*.rego) here", Mend: "name the directory that holds the gates", Kind: ErrFiles})
	}
	return s
}

func (s *source) loadModule(shown string, text []byte, found *problems) {
	if len(bytes.TrimSpace(text)) == 0 {
		found.add(Problem{File: shown, Problem: "the file is empty", Mend: "remove it", Kind: ErrRego})
		return
	}
	module, err := ast.ParseModuleWithOpts(shown, string(text), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		found.addRego(err)
		return
	}
	s.modules[shown] = module
}

func (s *source) loadData(shown string, from file, found *problems) {
	tree := found.parse(shown, from.text)
	if tree == nil {
		return
	}
	data := &dataFile{name: shown, tree: tree}
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

// parse reads a file of thresholds; nil if there were problems.
func (p *problems) parse(name string, text []byte) *thresholds.Tree {
	p.texts[name] = text
	tree, found := thresholds.Parse(name, text)
	for _, problem := range found {
		p.addData(problem.At, problem.Path, problem.Problem, problem.Mend)
	}
	return tree
}

// merge puts the data files of a policy directory into one tree.
func merge(files []*dataFile, found *problems) *thresholds.Tree {
	tree := thresholds.New(thresholds.Position{})
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
