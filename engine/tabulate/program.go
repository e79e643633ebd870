package tabulate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// maxBranches is how many branches the walk to the first violation may have, before it is written as one check after
// the other: each of those then asks anew what the others asked.
const maxBranches = 4096

// program writes an answer out as branches.
func (t *tabulation) program(a *answer) *table.Program {
	w := &writer{t: t, p: &table.Program{Gate: t.gate}, made: map[table.Node]uint16{}}
	for _, place := range t.places {
		w.p.Properties = append(w.p.Properties, place.Property)
	}
	if len(a.checks) > table.MaxMarks || len(a.unknown) > table.MaxMarks {
		panic(&Unsupported{Construct: "more checks or signals than a table holds", Mend: fmt.Sprintf("keep to %d", table.MaxMarks)})
	}
	if len(t.expressions) > table.MaxNodes {
		panic(&Unsupported{Construct: "more expressions than a table holds", Mend: "compute with fewer numbers"})
	}
	w.arrange()
	for _, check := range a.checks {
		own := table.Check{Reason: check.reason, Action: check.action}
		shown := t.formulas.and(check.when, a.rejects)
		own.Observed, own.Limit = w.shown(check.observed, shown), w.shown(check.limit, shown)
		w.p.Checks = append(w.p.Checks, own)
	}
	for _, way := range a.ways {
		w.p.Admits = append(w.p.Admits, table.Admit{Reason: way.reason, Action: way.action, Effects: way.effects})
	}
	w.p.Entry.First = w.first(a)
	var checks, unknown []formula
	for _, check := range a.checks {
		checks = append(checks, t.formulas.within(check.when, a.rejects))
	}
	for _, signal := range a.unknown {
		unknown = append(unknown, t.formulas.within(signal.when, t.formulas.not(a.outside)))
		w.p.Unknown = append(w.p.Unknown, signal.name)
	}
	w.p.Entry.All, w.p.Entry.Unknown = w.marks(checks), w.marks(unknown)
	for _, at := range slices.Sorted(maps.Keys(t.questions)) {
		q := t.questions[at]
		w.p.Predicates = append(w.p.Predicates, table.Predicate{Text: q.text, At: q.at})
	}
	return w.p
}

// writer makes nodes, equal ones once.
type writer struct {
	t    *tabulation
	p    *table.Program
	made map[table.Node]uint16

	columns []int // register of each column
}

func (w *writer) node(n table.Node) uint16 {
	if known, ok := w.made[n]; ok {
		return known
	}
	at := len(w.p.Nodes)
	if at >= table.MaxNodes {
		panic(&Unsupported{Construct: "more branches than a table holds", Mend: "let the checks of the gate share fewer signals"})
	}
	w.p.Nodes = append(w.p.Nodes, n)
	w.made[n] = uint16(at)
	return uint16(at)
}

func (w *writer) stop(result int) uint16 {
	return w.node(table.Node{Op: table.Stop, A: uint16(result)})
}

// arrange gives lookups, columns, constants and expressions their places.
func (w *writer) arrange() {
	t := w.t
	w.columns = make([]int, len(t.columns))
	register := 0
	for i, l := range t.lookups {
		own := table.Lookup{Path: l.path, Text: uint16(t.places[l.property].Slot), Bits: l.bits, First: uint16(register)}
		for at, column := range t.columns {
			if column.lookup == i {
				own.Columns = append(own.Columns, table.Column{Path: column.path})
				w.columns[at] = register
				register++
			}
		}
		own.Answers = w.answers(own)
		w.p.Lookups = append(w.p.Lookups, own)
	}
	for _, e := range t.expressions {
		own := table.Expression{Term: e.term, A: uint16(e.a), B: uint16(e.b)}
		switch e.term {
		case table.Field:
			own.A = uint16(t.places[e.a].Slot)
		case table.Number:
			own.A = w.constant(e)
		case table.Cell:
			own.A = uint16(w.columns[e.a])
		case table.CeilingOf, table.FloorOf:
			own.B = w.constant(t.expressions[e.b])
		}
		w.p.Expressions = append(w.p.Expressions, own)
	}
}

// maxAnswers is how many kinds of row a program is written out for.
const maxAnswers = 8

// answers are what the rows of a lookup answer, nil where that is too much to write a program out for each.
func (w *writer) answers(l table.Lookup) []uint64 {
	answers := []uint64{0} // of no row
	rows, _ := table.At(w.t.data, l.Path).(map[string]any)
	for _, row := range rows {
		bits := l.Ask(row)
		if !slices.Contains(answers, bits) {
			answers = append(answers, bits)
		}
		if len(answers) > maxAnswers {
			return nil
		}
	}
	slices.Sort(answers)
	return answers
}

func (w *writer) constant(e expression) uint16 {
	at := slices.IndexFunc(w.p.Constants, func(c table.Constant) bool { return c.Value == e.value && slices.Equal(c.Path, e.path) })
	if at < 0 {
		at = len(w.p.Constants)
		w.p.Constants = append(w.p.Constants, table.Constant{Value: e.value, Path: e.path})
	}
	return uint16(at)
}

// asks is the branch of a question.
func (w *writer) asks(question int32, yes, no uint16) uint16 {
	q := w.t.questions[question]
	n := table.Node{Op: q.op, A: uint16(q.a), B: uint16(q.b), Yes: yes, No: no}
	switch q.op {
	case table.SameText:
		n.A, n.B = w.slot(q.a), w.slot(q.b)
	case table.TextIs:
		n.A, n.B = w.slot(q.a), w.word(q.word)
	case table.AtMost:
		left, right := w.p.Expressions[q.a], w.p.Expressions[q.b]
		fused := map[[2]table.Term]table.Op{
			{table.Field, table.Number}: table.AtMostFieldConstant,
			{table.Number, table.Field}: table.AtMostConstantField,
			{table.Field, table.Field}:  table.AtMostFieldField,
			{table.Field, table.Cell}:   table.AtMostFieldColumn,
			{table.Cell, table.Field}:   table.AtMostColumnField,
		}
		if op, ok := fused[[2]table.Term{left.Term, right.Term}]; ok {
			n.Op, n.A, n.B = op, left.A, right.A
		}
	case table.Equal:
		left, right := w.p.Expressions[q.a], w.p.Expressions[q.b]
		if left.Term == table.Number {
			left, right = right, left
		}
		if left.Term == table.Field && right.Term == table.Number {
			n.Op, n.A, n.B = table.EqualFieldConstant, left.A, right.A
		}
	}
	return w.node(n)
}

func (w *writer) slot(property int) uint16 { return uint16(w.t.places[property].Slot) }

func (w *writer) word(word string) uint16 {
	at := slices.Index(w.p.Words, word)
	if at < 0 {
		at = len(w.p.Words)
		w.p.Words = append(w.p.Words, word)
	}
	return uint16(at)
}

// decided writes the branches of one formula.
func (w *writer) decided(of formula, yes, no uint16, memo map[formula]uint16) uint16 {
	switch of {
	case always:
		return yes
	case never:
		return no
	}
	if known, ok := memo[of]; ok {
		return known
	}
	n := w.t.formulas.nodes[of]
	made := w.asks(n.question, w.decided(n.yes, yes, no, memo), w.decided(n.no, yes, no, memo))
	memo[of] = made
	return made
}

// marks writes branches that mark every formula that holds. It finds every row first.
func (w *writer) marks(of []formula) uint16 {
	next := w.stop(0)
	for i := len(of) - 1; i >= 0; i-- {
		marked := w.node(table.Node{Op: table.Mark, A: uint16(i), Yes: next})
		next = w.decided(of[i], marked, next, map[formula]uint16{})
	}
	for i := range w.p.Lookups {
		next = w.node(table.Node{Op: table.Find, A: uint16(i), Yes: next})
	}
	return next
}

// shown writes the branches that find what a violation shows, if it is one.
func (w *writer) shown(of choices, care formula) uint16 {
	next := w.stop(w.value(table.Scalar{}))
	for _, one := range slices.Backward(of) {
		s := table.Scalar{}
		switch v := one.is.(type) {
		case null:
		case boolean:
			s.Word = inputs.Value{Kind: inputs.KindFlag, Flag: bool(v)}
		case text:
			s.Word = inputs.Value{Kind: inputs.KindText, Text: string(v)}
		case number:
			s.Is, s.A = table.ShowExpression, uint16(v.expression)
		case field:
			s.Is, s.A = table.ShowText, w.slot(v.property)
		default:
			panic(&Unsupported{Construct: "a violation that shows " + kindNames[kind(one.is)], Mend: "show numbers, flags and words"})
		}
		next = w.decided(w.t.formulas.within(one.when, care), w.stop(w.value(s)), next, map[formula]uint16{})
	}
	return next
}

func (w *writer) value(s table.Scalar) int {
	at := slices.Index(w.p.Values, s)
	if at < 0 {
		at = len(w.p.Values)
		w.p.Values = append(w.p.Values, s)
	}
	return at
}
