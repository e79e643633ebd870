package policy_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	gotoken "go/token"
	"go/types"
	"path"
	"strconv"
)

// goOperation is what an operator becomes, and the function that decides between them.
type goOperation struct {
	kind, function string
	becomes        []string
}

var goOperations = map[gotoken.Token]goOperation{
	gotoken.LSS: {"comparison", "Less", []string{"<=", ">"}}, gotoken.LEQ: {"comparison", "AtMost", []string{"<", ">="}},
	gotoken.GTR: {"comparison", "More", []string{">=", "<"}}, gotoken.GEQ: {"comparison", "AtLeast", []string{">", "<="}},
	gotoken.ADD: {"arithmetic", "Add", []string{"-"}}, gotoken.SUB: {"arithmetic", "Subtract", []string{"+"}},
	gotoken.MUL: {"arithmetic", "Multiply", []string{"+"}}, gotoken.QUO: {"arithmetic", "Divide", []string{"*"}},
	gotoken.REM: {"arithmetic", "Remainder", []string{"*"}},
	gotoken.AND: {"bits", "And", []string{"|"}}, gotoken.OR: {"bits", "Or", []string{"&"}},
	gotoken.XOR: {"bits", "Xor", []string{"&"}}, gotoken.AND_NOT: {"bits", "Clear", []string{"&"}},
	gotoken.SHL: {"bits", "ShiftLeft", []string{">>"}}, gotoken.SHR: {"bits", "ShiftRight", []string{"<<"}},
}

// mutateExpression puts the mutants of one expression in, and reports whether those within it are to follow.
func (f *goFile) mutateExpression(e ast.Expr) bool {
	typed := f.info.Types[e]
	switch {
	case typed.IsType():
		return false
	case typed.Value != nil:
		f.mutateConstant(e, typed)
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		f.mutateBinary(e)
	case *ast.UnaryExpr:
		f.mutateUnary(e)
	case *ast.CallExpr:
		return f.mutateCall(e)
	case *ast.CompositeLit:
		f.mutateLiteral(e)
		return false
	}
	return true
}

// mutateConstant adds one to a whole number, and turns a boolean over.
func (f *goFile) mutateConstant(e ast.Expr, typed types.TypeAndValue) {
	text := f.source(e)
	basic, ok := typed.Type.Underlying().(*types.Basic)
	switch {
	case !ok:
	case typed.Value.Kind() == constant.Bool:
		id := f.one("constant", text+" → not "+text+" in "+f.lineOf(e), e)
		convert := ""
		if typed.Type != basic {
			convert = f.nameOf(typed.Type)
		}
		f.wrap(id, e, convert+"((", ") != "+convert+"("+on(id)+"))")
	case basic.Info()&types.IsInteger != 0 && basic.Info()&types.IsUntyped == 0:
		if name := f.nameOf(typed.Type); name != "" {
			id := f.one("constant", text+" → "+plusOne(text)+" in "+f.lineOf(e), e)
			f.wrap(id, e, fmt.Sprintf("%s.Number[%s](%d, ", switchName, name, id), ")")
		}
	}
}

func plusOne(text string) string {
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(n + 1)
	}
	return text + "+1"
}

// mutateLabel changes a string that cases and maps tell apart by; other strings are for people.
func (f *goFile) mutateLabel(e ast.Expr) {
	typed := f.info.Types[e]
	if typed.Value == nil || typed.Value.Kind() != constant.String {
		return
	}
	if name := f.nameOf(typed.Type); name != "" {
		id := f.one("label", f.source(e)+" → another in "+f.lineOf(e), e)
		f.wrap(id, e, fmt.Sprintf("%s.Text[%s](%d, ", switchName, name, id), ")")
	}
}

// flip turns a boolean expression over.
func (f *goFile) flip(kind, change string, e ast.Expr) {
	id := f.one(kind, change, e)
	f.wrap(id, e, "((", ") != "+on(id)+")")
}

// mutateCondition turns over what no other change turns over.
func (f *goFile) mutateCondition(e ast.Expr) {
	inner := ast.Unparen(e)
	switch inner.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return
	}
	typed := f.info.Types[inner]
	if basic, ok := typed.Type.(*types.Basic); ok && typed.Value == nil && basic.Info()&types.IsBoolean != 0 {
		f.flip("negation", "put ! before "+brief(f.source(e)), e)
	}
}

func (f *goFile) mutateBinary(e *ast.BinaryExpr) {
	switch e.Op {
	case gotoken.EQL, gotoken.NEQ:
		f.flip("comparison", f.becomes(e, map[gotoken.Token]string{gotoken.EQL: "!=", gotoken.NEQ: "=="}[e.Op]), e)
	case gotoken.LAND, gotoken.LOR:
		f.mutateLogic(e)
	default:
		f.mutateOperation(e)
	}
}

// becomes says what an operator becomes, and where.
func (f *goFile) becomes(e *ast.BinaryExpr, other string) string {
	return fmt.Sprintf("%s → %s in %s", e.Op, other, brief(f.source(e)))
}

// mutateLogic exchanges && and ||, and goes without either side. a || b is !(!a && !b), which evaluates no more than it.
func (f *goFile) mutateLogic(e *ast.BinaryExpr) {
	other := "||"
	neutral := func(id int) string { return ") || " + on(id) + ")" }
	if e.Op == gotoken.LOR {
		other = "&&"
		neutral = func(id int) string { return ") && !" + on(id) + ")" }
	}
	id := f.one("logic", f.becomes(e, other), e)
	for _, node := range []ast.Expr{e, e.X, e.Y} {
		f.wrap(id, node, "((", ") != "+on(id)+")")
	}
	for _, side := range []ast.Expr{e.X, e.Y} {
		id := f.one("logic", "drop "+brief(f.source(side))+" of "+brief(f.source(e)), side)
		f.wrap(id, side, "((", neutral(id))
		f.mutateCondition(side)
	}
}

// mutateOperation calls a function in the place of an operator. The type is written out, since a constant has none.
func (f *goFile) mutateOperation(e *ast.BinaryExpr) {
	operation, known := goOperations[e.Op]
	kind := f.info.Types[e.X].Type
	if f.info.Types[e.X].Value != nil && e.Op != gotoken.SHL && e.Op != gotoken.SHR {
		kind = f.info.Types[e.Y].Type
	}
	if basic, ok := kind.Underlying().(*types.Basic); !known || ok && basic.Info()&types.IsString != 0 && operation.kind != "comparison" {
		return
	}
	site := *f.ids
	for _, other := range operation.becomes {
		f.add(site, operation.kind, f.becomes(e, other), e)
	}
	arguments := f.nameOf(kind)
	if arguments != "" && (e.Op == gotoken.SHL || e.Op == gotoken.SHR) {
		arguments += ", " + f.nameOf(f.info.Types[e.Y].Type)
	}
	if arguments != "" {
		arguments = "[" + arguments + "]"
	}
	f.wrap(site, e, fmt.Sprintf("%s.%s%s(%d, ", switchName, operation.function, arguments, site), ")")
	from := f.at(e.OpPos)
	f.put(site, from, from+len(e.Op.String()), ", ")
}

func (f *goFile) mutateUnary(e *ast.UnaryExpr) {
	function := map[gotoken.Token]string{gotoken.XOR: "Complement", gotoken.SUB: "Negative"}[e.Op]
	switch {
	case e.Op == gotoken.NOT:
		f.flip("negation", "drop ! of "+brief(f.source(e)), e)
	case function != "":
		id := f.one("arithmetic", "drop "+e.Op.String()+" of "+brief(f.source(e)), e)
		f.wrap(id, e, fmt.Sprintf("%s.%s(%d, ", switchName, function, id), ")")
	}
}

// mutateCall leaves the sizes that make is told alone where they only save time.
func (f *goFile) mutateCall(e *ast.CallExpr) bool {
	function, ok := ast.Unparen(e.Fun).(*ast.Ident)
	if !ok || f.info.Uses[function] != types.Universe.Lookup("make") || len(e.Args) < 2 {
		return true
	}
	if _, isSlice := f.info.Types[e].Type.Underlying().(*types.Slice); isSlice {
		f.walk(e.Args[1])
	}
	return false
}

// mutateLiteral leaves the keys of an array alone, which must be constants.
func (f *goFile) mutateLiteral(e *ast.CompositeLit) {
	_, isMap := f.info.Types[e].Type.Underlying().(*types.Map)
	for _, element := range e.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			f.walk(element)
			continue
		}
		if isMap {
			f.mutateLabel(pair.Key)
			f.walk(pair.Key)
		}
		f.walk(pair.Value)
	}
}

// nameOf is a type as the file can write it, "" where it cannot.
func (f *goFile) nameOf(t types.Type) string {
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		return ""
	}
	known := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == f.local {
			return ""
		}
		for _, spec := range f.tree.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); imported != p.Path() {
				continue
			}
			if spec.Name != nil {
				return spec.Name.Name
			}
			return p.Name()
		}
		known = false
		return path.Base(p.Path())
	})
	if !known {
		return ""
	}
	return name
}
