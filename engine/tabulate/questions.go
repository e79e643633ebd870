package tabulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// question is what one branch of the program will ask.
type question struct {
	op   table.Op
	a, b int    // of TestBit a word and a bit; of the others expressions, properties or a word of words
	word string // of TextIs
	text string
	at   table.Origin
}

// expression is a whole number, and the range that it is in.
type expression struct {
	term      table.Term
	a, b      int      // operands; of Field a property, of Number a constant, of Cell a column
	value     int64    // of a literal
	path      []string // of a threshold
	low, high int64    // ends included; beyond ±farthest it is not known
	terms     int      // that are computed for it
}

// farthest bounds what is said of the range of a number: sums of two ends do not overflow.
const farthest = 1 << 61

// perProperty is how many questions there can be about one property.
const perProperty = 1 << 12

// question asks. The order of questions is that of the properties that they are about, those about rows alone first: what
// is asked of one signal stands together, which keeps formulas small.
func (t *tabulation) question(q question) formula {
	key := fmt.Sprint(q.op, " ", q.a, " ", q.b, " ", q.word)
	at, known := t.asked[key]
	if !known {
		about := t.about(q) + 1
		at = int32(about*perProperty + t.askedOf[about])
		if t.askedOf[about]++; t.askedOf[about] == perProperty {
			panic(t.unsupported("more questions about one field than a table holds", "compare it with fewer"))
		}
		q.at = t.here()
		t.questions[at] = q
		t.asked[key] = at
	}
	return t.formulas.ask(at)
}

// about is the last property that a question is about, -1 where it is about none. Whether the list of a row holds the name
// of a property is about that one: a row that requires some signals asks for each together with the signal.
func (t *tabulation) about(q question) int {
	switch q.op {
	case table.TestBit:
		if q.a < table.WordRows {
			return q.b
		}
		if bit := t.lookups[q.a-table.WordRows].bits[q.b]; bit.Is == table.Holds {
			return t.property(bit.Word)
		}
		return -1
	case table.TextIs:
		return q.a
	case table.SameText:
		return max(q.a, q.b)
	}
	return max(t.reads(q.a), t.reads(q.b))
}

// reads is the last property that an expression reads, -1 where it reads none.
func (t *tabulation) reads(at int) int {
	e := t.expressions[at]
	switch e.term {
	case table.Field:
		return e.a
	case table.Number, table.Cell:
		return -1
	case table.CeilingOf, table.FloorOf:
		return t.reads(e.a)
	}
	return max(t.reads(e.a), t.reads(e.b))
}

func (t *tabulation) bit(word, bit int, text string) formula {
	return t.question(question{op: table.TestBit, a: word, b: bit, text: text})
}

// expression finds or makes an expression.
func (t *tabulation) expression(e expression) int {
	key := fmt.Sprint(e.term, " ", e.a, " ", e.b, " ", e.value, " ", strings.Join(e.path, "\x00"))
	index, known := t.computed[key]
	if !known {
		index = len(t.expressions)
		e.low, e.high = within(e.low), within(e.high)
		if e.terms = t.termsOf(e); e.terms > table.MaxTerms {
			panic(t.unsupported(fmt.Sprintf("an expression of more than %d terms", table.MaxTerms), "compute with fewer numbers"))
		}
		t.expressions = append(t.expressions, e)
		t.computed[key] = index
	}
	return index
}

// termsOf counts what is computed for an expression, operands that are computed twice twice.
func (t *tabulation) termsOf(e expression) int {
	switch e.term {
	case table.Field, table.Number, table.Cell:
		return 1
	case table.CeilingOf, table.FloorOf:
		return t.expressions[e.a].terms + 1
	}
	return t.expressions[e.a].terms + t.expressions[e.b].terms + 1
}

func (t *tabulation) literal(value int64) number {
	return number{t.expression(expression{term: table.Number, value: value, low: value, high: value})}
}

func (t *tabulation) threshold(path []string) number {
	e := expression{term: table.Number, path: path, low: -exact, high: exact}
	if value, _ := table.At(t.data, path).(int64); !isExact(value) {
		e.low, e.high = -farthest, farthest
	}
	return number{t.expression(e)}
}

// combined is a sum, a difference or a product.
func (t *tabulation) combined(term table.Term, a, b int) number {
	left, right := t.expressions[a], t.expressions[b]
	e := expression{term: term, a: a, b: b}
	switch term {
	case table.Sum:
		e.low, e.high = sum(left.low, right.low, -farthest), sum(left.high, right.high, farthest)
	case table.Minus:
		e.low, e.high = sum(left.low, -right.high, -farthest), sum(left.high, -right.low, farthest)
	default:
		ends := []int64{product(left.low, right.low), product(left.low, right.high), product(left.high, right.low), product(left.high, right.high)}
		e.low, e.high = slices.Min(ends), slices.Max(ends)
	}
	return number{t.expression(e)}
}

// within is an end of a range, no farther than farthest.
func within(end int64) int64 { return min(max(end, -farthest), farthest) }

// sum is the sum of two ends of ranges, which is not known where one of them is not.
func sum(a, b, unknown int64) int64 {
	if a == unknown || b == unknown {
		return unknown
	}
	return within(a + b)
}

// product is a product, no farther than farthest.
func product(a, b int64) int64 {
	result := a * b
	if a != 0 && (result/a != b || result > farthest || result < -farthest) {
		if (a < 0) == (b < 0) {
			return farthest
		}
		return -farthest
	}
	return result
}

// atMost is: a <= b.
func (t *tabulation) atMost(a, b int) formula {
	left, right := t.expressions[a], t.expressions[b]
	switch {
	case a == b || left.high <= right.low && left.high < farthest && right.low > -farthest:
		return always
	case left.low > right.high && left.low < farthest && right.high > -farthest:
		return never
	}
	return t.question(question{op: table.AtMost, a: a, b: b, text: t.written(a) + " <= " + t.written(b)})
}

func (t *tabulation) equal(a, b int) formula {
	if b < a {
		a, b = b, a
	}
	left, right := t.expressions[a], t.expressions[b]
	switch {
	case a == b:
		return always
	case left.high < right.low || right.high < left.low:
		return never
	}
	return t.question(question{op: table.Equal, a: a, b: b, text: t.written(a) + " == " + t.written(b)})
}

// textIs is: the string is this word. Of a field with a few words, the last is the one that none of the others is.
func (t *tabulation) textIs(property int, word string) formula {
	words := t.places[property].Words
	if words == nil {
		if !inputs.ValidName(word) {
			return never
		}
		return t.question(question{op: table.TextIs, a: property, word: word, text: t.places[property].Name + " == " + strconv.Quote(word)})
	}
	switch at := slices.Index(words, word); {
	case at < 0:
		return never
	case at < len(words)-1:
		return t.question(question{op: table.TextIs, a: property, word: word, text: t.places[property].Name + " == " + strconv.Quote(word)})
	}
	rest := always
	for _, other := range words[:len(words)-1] {
		rest = t.formulas.butNot(rest, t.textIs(property, other))
	}
	return rest
}

func (t *tabulation) sameText(a, b int) formula {
	if b < a {
		a, b = b, a
	}
	left, right := t.places[a], t.places[b]
	switch {
	case a == b:
		return always
	case t.tied(inputs.TieDiffer, left.Name, right.Name) || t.tied(inputs.TieDiffer, right.Name, left.Name):
		return never
	}
	return t.question(question{op: table.SameText, a: a, b: b, text: left.Name + " == " + right.Name})
}

func (t *tabulation) tied(kind inputs.TieKind, a, b string) bool {
	return slices.Contains(t.ties, inputs.Tie{Kind: kind, A: a, B: b})
}

// written is an expression for people.
func (t *tabulation) written(at int) string {
	e := t.expressions[at]
	switch e.term {
	case table.Field:
		return t.places[e.a].Name
	case table.Number:
		if e.path != nil {
			return strings.Join(e.path, ".")
		}
		return strconv.FormatInt(e.value, 10)
	case table.Cell:
		return t.columnName(e.a)
	case table.CeilingOf:
		return fmt.Sprintf("ceil(%s / %s)", t.written(e.a), t.written(e.b))
	case table.FloorOf:
		return fmt.Sprintf("floor(%s / %s)", t.written(e.a), t.written(e.b))
	}
	sign := map[table.Term]string{table.Sum: "+", table.Minus: "-", table.Product: "*"}[e.term]
	return "(" + t.written(e.a) + " " + sign + " " + t.written(e.b) + ")"
}
