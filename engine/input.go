package engine

import (
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

// inputOf is the document as OPA's input, built straight from the struct: no JSON between.
func inputOf(document inputs.Document) ast.Value {
	items := make([][2]*ast.Term, 1, 20)
	items[0] = ast.Item(ast.InternedTerm("gate"), ast.InternedTerm(document.Gate()))
	open := ""
	var inner [][2]*ast.Term
	flush := func() {
		if open != "" {
			items = append(items, ast.Item(ast.InternedTerm(open), ast.ObjectTerm(inner...)))
			inner = nil
		}
	}
	for name, value := range document.Fields() {
		object, key, nested := strings.Cut(name, ".")
		if !nested {
			items = append(items, ast.Item(ast.InternedTerm(name), termOf(value)))
			continue
		}
		if object != open {
			flush()
			open = object
		}
		inner = append(inner, ast.Item(ast.InternedTerm(key), termOf(value)))
	}
	flush()
	return ast.NewObject(items...)
}

func termOf(value inputs.Value) *ast.Term {
	switch value.Kind {
	case inputs.KindNumber:
		return ast.NumberTerm(jsonNumber(value.Number))
	case inputs.KindFlag:
		return ast.InternedTerm(value.Flag)
	case inputs.KindText:
		return ast.StringTerm(value.Text)
	}
	return ast.NullTerm()
}

// valueOf is a scalar of a decision; false where it is anything else.
func valueOf(term *ast.Term) (inputs.Value, bool) {
	if term == nil {
		return inputs.Value{}, false
	}
	switch value := term.Value.(type) {
	case ast.Null:
		return inputs.Value{}, true
	case ast.Boolean:
		return inputs.Value{Kind: inputs.KindFlag, Flag: bool(value)}, true
	case ast.String:
		return inputs.Value{Kind: inputs.KindText, Text: string(value)}, true
	case ast.Number:
		number, err := strconv.ParseInt(string(value), 10, 64)
		return inputs.Value{Kind: inputs.KindNumber, Number: number}, err == nil
	}
	return inputs.Value{}, false
}
