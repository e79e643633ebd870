package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// coded is what a table decides of one document, as names of functions that were defined for the solver.
type coded struct {
	result   string   // the result of the first walk, an Int
	violated []string // by check: it is violated, whatever else is
	observed []shown  // by check, where it is
	limit    []shown
	unknown  []string // by signal: it is named as unknown
}

// shown is a value that a violation shows: which kind of value it is, and which of them.
type shown struct{ kind, value string }

// The kinds of value, so that equal values have equal kinds and codes.
const (
	shownNull = iota
	shownFlag
	shownNumber
	shownText
)

// coder writes the branches of one table as functions of one document.
type coder struct {
	space    *space
	g        *table.Gate
	p        *table.Program
	document string
	prefix   string // of the functions
	w        strings.Builder
	numbers  []table.Constant
	written  map[string]string // what was defined, by what it is
	texts    []int             // property of each text slot
}

// code writes a table for one document. Its error says why the solver cannot be asked about it.
func (s *space) code(g *table.Gate, side, document string) (string, coded, error) {
	c, err := s.coder(g, side, document)
	if err != nil {
		return "", coded{}, err
	}
	made := coded{result: c.walk("r", c.p.Entry.First, func(n table.Node) string { return fmt.Sprint(n.A) }, "Int")}
	for i, check := range c.p.Checks {
		made.violated = append(made.violated, c.marked("v", c.p.Entry.All, i))
		made.observed = append(made.observed, c.shown(fmt.Sprintf("o%d", i), check.Observed))
		made.limit = append(made.limit, c.shown(fmt.Sprintf("l%d", i), check.Limit))
	}
	for i := range c.p.Unknown {
		made.unknown = append(made.unknown, c.marked("u", c.p.Entry.Unknown, i))
	}
	return c.w.String(), made, nil
}

// coder begins to write a table for one document. Its error says why the solver cannot be asked about it.
func (s *space) coder(g *table.Gate, side, document string) (*coder, error) {
	c := &coder{space: s, g: g, p: g.Program(), document: document, prefix: side + document, numbers: g.Constants(), written: map[string]string{}}
	if err := c.fits(); err != nil {
		return nil, err
	}
	for i, place := range s.places {
		if place.Kind == inputs.KindText {
			c.texts = append(c.texts, i)
		}
	}
	return c, nil
}

// define gives an expression a name, the same one to the same expression.
func (c *coder) define(kind, sort, is string) string {
	if !strings.HasPrefix(is, "(") { // a constant, or a name already
		return is
	}
	if known, ok := c.written[is]; ok {
		return known
	}
	name := fmt.Sprintf("%s%s_%d", c.prefix, kind, len(c.written))
	fmt.Fprintf(&c.w, "(define-fun %s () %s %s)\n", name, sort, is)
	c.written[is] = name
	return name
}

// walk is what a walk from a node comes to; end says it of its last node.
func (c *coder) walk(kind string, from uint16, end func(table.Node) string, sort string) string {
	memo := map[uint16]string{}
	var visit func(at uint16) string
	visit = func(at uint16) string {
		if known, ok := memo[at]; ok {
			return known
		}
		n := c.p.Nodes[at]
		made := ""
		switch n.Op {
		case table.Stop:
			made = end(n)
		case table.Find:
			made = visit(n.Yes)
		case table.Mark:
			if made = end(n); made == "" {
				made = visit(n.Yes)
			}
		case table.Fork:
			l := &c.p.Lookups[n.A]
			made = visit(c.p.Jumps[int(n.B)+slices.Index(l.Answers, 0)])
			for i, answer := range l.Answers {
				if answer != 0 {
					made = c.choice(kind, sort, c.row(int(n.A), func(row table.Row) bool { return row.Bits == answer }), visit(c.p.Jumps[int(n.B)+i]), made)
				}
			}
		default:
			made = c.choice(kind, sort, c.condition(n), visit(n.Yes), visit(n.No))
		}
		memo[at] = made
		return made
	}
	return visit(from)
}

func (c *coder) choice(kind, sort, condition, yes, no string) string {
	switch {
	case yes == no || condition == "true":
		return yes
	case condition == "false":
		return no
	}
	return c.define(kind, sort, fmt.Sprintf("(ite %s %s %s)", condition, yes, no))
}

// marked is that a walk passes the mark of a bit.
func (c *coder) marked(kind string, from uint16, bit int) string {
	return c.walk(kind, from, func(n table.Node) string {
		switch {
		case n.Op == table.Stop:
			return "false"
		case int(n.A) == bit:
			return "true"
		}
		return ""
	}, "Bool")
}

// shown is the value that a walk finds.
func (c *coder) shown(kind string, from uint16) shown {
	of := func(part func(v table.Scalar) string) string {
		return c.walk(kind, from, func(n table.Node) string { return part(c.p.Values[n.A]) }, "Int")
	}
	return shown{
		kind: of(func(v table.Scalar) string {
			switch {
			case v.Is == table.ShowExpression || v.Word.Kind == inputs.KindNumber:
				return fmt.Sprint(shownNumber)
			case v.Is == table.ShowText || v.Word.Kind == inputs.KindText:
				return fmt.Sprint(shownText)
			case v.Word.Kind == inputs.KindFlag:
				return fmt.Sprint(shownFlag)
			}
			return fmt.Sprint(shownNull)
		}),
		value: of(func(v table.Scalar) string {
			switch {
			case v.Is == table.ShowExpression:
				return c.expression(v.A)
			case v.Is == table.ShowText:
				return c.text(v.A)
			case v.Word.Kind == inputs.KindNumber:
				return number(v.Word.Number)
			case v.Word.Kind == inputs.KindText:
				return fmt.Sprint(c.space.codes[v.Word.Text])
			case v.Word.Flag:
				return "1"
			}
			return "0"
		}),
	}
}

func (c *coder) text(slot uint16) string { return fmt.Sprintf("%st%d", c.document, slot) }

func (c *coder) field(slot uint16) string { return fmt.Sprintf("%sn%d", c.document, slot) }

// row is that the row of a lookup, or that of no name, holds.
func (c *coder) row(lookup int, holds func(row table.Row) bool) string {
	text := c.text(c.p.Lookups[lookup].Text)
	none, _ := c.g.Row(lookup, "")
	parts := []string{c.space.among(text, func(name string) bool {
		row, _ := c.g.Row(lookup, name)
		return holds(row)
	})}
	if holds(none) {
		parts = append(parts, fmt.Sprintf("(= %s (- 1))", text))
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "false" })
	return c.define("b", "Bool", anyOf(parts))
}

// cell is the number of a column, 0 of no row.
func (c *coder) cell(column uint16) string {
	for lookup, l := range c.p.Lookups {
		at := int(column) - int(l.First)
		if at < 0 || at >= len(l.Columns) {
			continue
		}
		values := map[int64]bool{}
		numberOf := func(row table.Row) int64 {
			if at < len(row.Numbers) {
				return row.Numbers[at]
			}
			return 0
		}
		for _, name := range c.space.names {
			row, _ := c.g.Row(lookup, name)
			values[numberOf(row)] = true
		}
		made := "0"
		for _, value := range sortedKeys(values) {
			if value != 0 {
				made = c.choice("c", "Int", c.row(lookup, func(row table.Row) bool { return numberOf(row) == value }), number(value), made)
			}
		}
		for _, cell := range c.space.cells {
			if cell.lookup == lookup && cell.column == at {
				made = c.choice("c", "Int", c.space.isCrowd(c.text(l.Text), cell.crowd), cell.name(c.document), made)
			}
		}
		return made
	}
	return "0"
}

// expression is a number that the table computes.
func (c *coder) expression(at uint16) string {
	e := c.p.Expressions[at]
	operator := map[table.Term]string{table.Sum: "+", table.Minus: "-", table.Product: "*"}
	made := ""
	switch e.Term {
	case table.Field:
		made = c.field(e.A)
	case table.Number:
		made = number(c.numbers[e.A].Value)
	case table.Cell:
		made = c.cell(e.A)
	case table.CeilingOf:
		made = fmt.Sprintf("(- (div (- %s) %s))", c.expression(e.A), number(c.numbers[e.B].Value))
	case table.FloorOf:
		made = fmt.Sprintf("(div %s %s)", c.expression(e.A), number(c.numbers[e.B].Value))
	default:
		made = fmt.Sprintf("(%s %s %s)", operator[e.Term], c.expression(e.A), c.expression(e.B))
	}
	return c.define("e", "Int", made)
}

// condition is what a branch asks.
func (c *coder) condition(n table.Node) string {
	constant := func(at uint16) string { return number(c.numbers[at].Value) }
	made := ""
	switch n.Op {
	case table.Match:
		shape := c.p.Shapes[n.A]
		var parts []string
		for i := range c.space.places {
			if shape.Known>>i&1 == 1 {
				parts = append(parts, fmt.Sprintf("%sk%d", c.document, i))
			}
			if shape.Absent>>i&1 == 1 {
				parts = append(parts, not(fmt.Sprintf("%sg%d", c.document, i)))
			}
		}
		made = allOf(parts...)
	case table.TestBit:
		if n.A >= table.WordRows {
			return c.row(int(n.A)-table.WordRows, func(row table.Row) bool { return row.Bits>>n.B&1 == 1 })
		}
		return fmt.Sprintf("%s%s%d", c.document, []string{"g", "k", "f"}[n.A], n.B)
	case table.AtMostFieldConstant:
		made = fmt.Sprintf("(<= %s %s)", c.field(n.A), constant(n.B))
	case table.AtMostConstantField:
		made = fmt.Sprintf("(<= %s %s)", constant(n.A), c.field(n.B))
	case table.AtMostFieldField:
		made = fmt.Sprintf("(<= %s %s)", c.field(n.A), c.field(n.B))
	case table.AtMostFieldColumn:
		made = fmt.Sprintf("(<= %s %s)", c.field(n.A), c.cell(n.B))
	case table.AtMostColumnField:
		made = fmt.Sprintf("(<= %s %s)", c.cell(n.A), c.field(n.B))
	case table.AtMost:
		made = fmt.Sprintf("(<= %s %s)", c.expression(n.A), c.expression(n.B))
	case table.EqualFieldConstant:
		made = fmt.Sprintf("(= %s %s)", c.field(n.A), constant(n.B))
	case table.Equal:
		made = fmt.Sprintf("(= %s %s)", c.expression(n.A), c.expression(n.B))
	case table.SameText:
		made = fmt.Sprintf("(= %s %s)", c.text(n.A), c.text(n.B))
	case table.TextIs:
		made = fmt.Sprintf("(= %s %d)", c.text(n.A), c.space.codes[c.p.Words[n.B]])
	default:
		panic(fmt.Sprintf("review: the operation %d of a table is not known here", n.Op))
	}
	return c.define("q", "Bool", made)
}
