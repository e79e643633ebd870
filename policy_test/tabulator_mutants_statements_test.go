package policy_test

import (
	"go/ast"
	gotoken "go/token"
	"go/types"
	"strings"
)

// mutate puts every mutant of the file in.
func (f *goFile) mutate() {
	for _, each := range f.tree.Decls {
		f.walk(each)
	}
}

// walk goes from the outside in, as the edits must be made.
func (f *goFile) walk(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == gotoken.VAR
		case *ast.FuncDecl:
			if n.Body != nil {
				f.walk(n.Body)
			}
			return false
		case ast.Expr:
			return f.mutateExpression(n)
		case ast.Stmt:
			f.mutateStatement(n)
		}
		return true
	})
}

// mutateStatement puts the mutants of one statement in, and of those that it is a list of.
func (f *goFile) mutateStatement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		f.mutateList(s.List)
	case *ast.CaseClause:
		f.mutateList(s.Body)
		for _, label := range s.List {
			f.mutateLabel(label)
		}
	case *ast.CommClause:
		f.mutateList(s.Body)
	case *ast.SwitchStmt:
		f.mutateCases(s)
	case *ast.IfStmt:
		f.never("if", s.Cond)
		f.mutateCondition(s.Cond)
	case *ast.ForStmt:
		if s.Cond != nil {
			f.mutateCondition(s.Cond)
		}
	case *ast.ReturnStmt:
		for _, result := range s.Results {
			f.mutateCondition(result)
		}
	}
}

// never makes a condition false.
func (f *goFile) never(what string, condition ast.Expr) {
	id := f.one("condition", "drop "+what+" "+brief(f.source(condition)), condition)
	f.wrap(id, condition, "((", ") && !"+on(id)+")")
}

// mutateCases drops the cases of a switch that has conditions for them.
func (f *goFile) mutateCases(s *ast.SwitchStmt) {
	for _, each := range s.Body.List {
		for _, condition := range each.(*ast.CaseClause).List {
			if s.Tag == nil {
				f.never("case", condition)
				f.mutateCondition(condition)
			}
		}
	}
}

// mutateList drops and changes the statements that stand alone; those in the head of a loop or an if do not.
func (f *goFile) mutateList(list []ast.Stmt) {
	for _, each := range list {
		switch s := each.(type) {
		case *ast.AssignStmt:
			if s.Tok != gotoken.DEFINE && !isBlank(s.Lhs) {
				f.dropStatement(s)
				f.mutateAssignment(s)
			}
		case *ast.IncDecStmt:
			f.dropStatement(s)
			f.otherStatement(s, s.TokPos, s.Tok)
		case *ast.ExprStmt:
			if !f.ends(s.X) {
				f.dropStatement(s)
			}
		case *ast.BranchStmt:
			if s.Tok == gotoken.BREAK || s.Tok == gotoken.CONTINUE {
				f.mutateBranch(s)
			}
		}
	}
}

func isBlank(targets []ast.Expr) bool {
	for _, target := range targets {
		if name, ok := target.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	return true
}

// ends reports whether a call is panic: what ends a function is no statement that can go.
func (f *goFile) ends(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && f.info.Uses[name] == types.Universe.Lookup("panic")
}

func (f *goFile) dropStatement(s ast.Stmt) {
	id := f.one("statement", "drop "+brief(f.source(s)), s)
	f.wrap(id, s, "if !"+on(id)+" { ", " }")
}

var goAssignments = map[gotoken.Token]string{
	gotoken.INC: "--", gotoken.DEC: "++", gotoken.ADD_ASSIGN: "-=", gotoken.SUB_ASSIGN: "+=", gotoken.MUL_ASSIGN: "+=",
	gotoken.QUO_ASSIGN: "*=", gotoken.REM_ASSIGN: "*=", gotoken.AND_ASSIGN: "|=", gotoken.OR_ASSIGN: "&=", gotoken.XOR_ASSIGN: "&=",
	gotoken.AND_NOT_ASSIGN: "&=", gotoken.SHL_ASSIGN: ">>=", gotoken.SHR_ASSIGN: "<<=",
}

func (f *goFile) mutateAssignment(s *ast.AssignStmt) {
	if s.Tok == gotoken.ASSIGN {
		return
	}
	basic, ok := f.info.Types[s.Lhs[0]].Type.Underlying().(*types.Basic)
	if ok && basic.Info()&types.IsString == 0 {
		f.otherStatement(s, s.TokPos, s.Tok)
	}
}

// otherStatement is the same statement with another operator, beside the healthy one.
func (f *goFile) otherStatement(s ast.Stmt, at gotoken.Pos, operator gotoken.Token) {
	with := goAssignments[operator]
	text := f.source(s)
	if with == "" || strings.Contains(text, "\n") {
		return
	}
	id := f.one("arithmetic", operator.String()+" → "+with+" in "+brief(text), s)
	cut := f.at(at) - f.at(s.Pos())
	f.wrap(id, s, "if "+on(id)+" { "+text[:cut]+with+text[cut+len(operator.String()):]+" } else { ", " }")
}

// mutateBranch breaks where a loop goes on, and goes on where it breaks.
func (f *goFile) mutateBranch(s *ast.BranchStmt) {
	with := map[gotoken.Token]string{gotoken.BREAK: "continue", gotoken.CONTINUE: "break"}[s.Tok]
	label := ""
	if s.Label != nil {
		label = " " + s.Label.Name
	}
	id := f.one("branch", s.Tok.String()+" → "+with, s)
	f.wrap(id, s, "if "+on(id)+" { "+with+label+" }; ", "")
}
