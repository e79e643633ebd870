package policy_test

import (
	"cmp"
	"fmt"
	"go/ast"
	gotoken "go/token"
	"go/types"
	"slices"
	"strings"
)

// goMutant is a change that one build holds among others, off until its number is in the environment.
type goMutant struct {
	mutant
	id   int
	site int // where the text was changed for it; a place that has two mutants is one site
}

// goFile is a Go source file, and the changes that put its mutants in. No change adds a line, so that what a mutant
// prints has the lines of the source.
type goFile struct {
	name  string // from the module's root, with slashes
	text  string
	tree  *ast.File
	info  *types.Info
	local *types.Package
	at    func(gotoken.Pos) int // its offset in text

	edits []goEdit
	found []goMutant
	names map[string]int
	ids   *int // the next number, over all files
}

// goEdit puts text around text[from:to], or in its place.
type goEdit struct {
	site        int
	from, to    int
	open, close string
	replace     bool // by open
}

// goSpan is where an edit went in the changed text.
type goSpan struct{ site, from, to int }

const (
	switchImport = "github.com/admitctl/admitctl/policy_test/testdata/mutantswitch"
	switchName   = "mutantswitch"
)

// on is the condition that a mutant is on.
func on(id int) string { return fmt.Sprintf("%s.On(%d)", switchName, id) }

// add numbers a mutant at a node. No key has a line in it, so that it stays.
func (f *goFile) add(site int, kind, change string, node ast.Node) int {
	from := f.at(node.Pos())
	name := f.functionAt(node.Pos())
	key := fmt.Sprintf("%s: %s: %s: %s", f.name, name, kind, change)
	if f.names[key]++; f.names[key] > 1 {
		key = fmt.Sprintf("%s #%d", key, f.names[key])
	}
	id := *f.ids
	*f.ids++
	if site < 0 {
		site = id
	}
	f.found = append(f.found, goMutant{id: id, site: site, mutant: mutant{
		key: key, kind: kind, file: f.name, name: name, line: 1 + strings.Count(f.text[:from], "\n")}})
	return id
}

// one is a mutant with a site of its own.
func (f *goFile) one(kind, change string, node ast.Node) int { return f.add(-1, kind, change, node) }

// functionAt is the function, or the method with its type, that a place is in.
func (f *goFile) functionAt(pos gotoken.Pos) string {
	for _, each := range f.tree.Decls {
		function, ok := each.(*ast.FuncDecl)
		if !ok || pos < function.Pos() || pos >= function.End() {
			continue
		}
		if function.Recv == nil {
			return function.Name.Name
		}
		receiver := strings.TrimPrefix(f.source(function.Recv.List[0].Type), "*")
		return receiver + "." + function.Name.Name
	}
	return "the package"
}

// lineOf is the line that a node begins on, which tells alike changes apart.
func (f *goFile) lineOf(node ast.Node) string {
	from := f.at(node.Pos())
	line, _, _ := strings.Cut(f.text[strings.LastIndex(f.text[:from], "\n")+1:], "\n")
	return brief(line)
}

func (f *goFile) source(node ast.Node) string { return f.text[f.at(node.Pos()):f.at(node.End())] }

func (f *goFile) wrap(site int, node ast.Node, open, end string) {
	f.edits = append(f.edits, goEdit{site: site, from: f.at(node.Pos()), to: f.at(node.End()), open: open, close: end})
}

func (f *goFile) put(site, from, to int, text string) {
	f.edits = append(f.edits, goEdit{site: site, from: from, to: to, open: text, replace: true})
}

// goPiece is one end of an edit.
type goPiece struct {
	at, to int
	class  int // at one place: what closes, then what replaces, then what opens
	order  int // outer edits are made before inner ones: they open first, and close last
	edit   int
	text   string
}

const (
	closing = iota
	replacing
	opening
)

// render is the text with all mutants in it but those of the sites that are dropped.
func (f *goFile) render(dropped map[int]bool) (string, []goSpan) {
	pieces := f.pieces(dropped)
	if len(pieces) == 0 {
		return f.text, nil
	}
	name := f.at(f.tree.Name.End())
	pieces = append(pieces, goPiece{at: name, to: name, class: replacing, edit: -1, text: fmt.Sprintf("; import %q", switchImport)})
	slices.SortFunc(pieces, func(a, b goPiece) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.class, b.class), cmp.Compare(a.order, b.order))
	})
	var out strings.Builder
	spans := make([]goSpan, len(f.edits))
	last := 0
	for _, p := range pieces {
		out.WriteString(f.text[last:p.at])
		last = p.to
		before := out.Len()
		out.WriteString(p.text)
		if p.edit < 0 {
			continue
		}
		span := &spans[p.edit]
		span.site, span.to = f.edits[p.edit].site, out.Len()
		if p.class != closing {
			span.from = before
		}
	}
	out.WriteString(f.text[last:])
	return out.String(), slices.DeleteFunc(spans, func(s goSpan) bool { return s.to == 0 })
}

func (f *goFile) pieces(dropped map[int]bool) (pieces []goPiece) {
	for i, e := range f.edits {
		switch {
		case dropped[e.site]:
		case e.replace:
			pieces = append(pieces, goPiece{at: e.from, to: e.to, class: replacing, order: i, edit: i, text: e.open})
		default:
			pieces = append(pieces, goPiece{at: e.from, to: e.from, class: opening, order: i, edit: i, text: e.open},
				goPiece{at: e.to, to: e.to, class: closing, order: -i, edit: i, text: e.close})
		}
	}
	return pieces
}
