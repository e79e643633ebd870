package tabulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// choice is a value, and when it is the value.
type choice struct {
	when formula
	is   value
}

// choices are what a local can be: at most one at a time, and undefined where none.
type choices []choice

// value is one symbolic value. Its key tells it from every other: equal keys are equal values.
type value interface{ key() string }

type (
	null    struct{}
	boolean bool
	text    string
	// number is a whole number: an expression.
	number struct{ expression int }
	// field is a string of the document, by its property.
	field struct{ property int }
	// length is the number of code points of a string of the document.
	length struct{ property int }
	// part is a number divided by a literal, which only ceil and floor make whole.
	part struct {
		expression int
		divisor    int64
	}
	// counted is how many members of a collection are there.
	counted struct{ of []formula }
	// list and set hold what may be there.
	list struct {
		members   choices
		unordered bool // its order is that of a row, and known only when it is bound
	}
	set    struct{ members choices }
	object struct {
		fields  map[string]choices
		written *string // the key, once it was asked for
	}
	// document is the input, or an object of it: the properties that begin with prefix.
	document struct{ prefix string }
	// data is a map of the thresholds.
	data struct{ path []string }
	// row is what a string of the document finds in a map of the thresholds, or an object of it.
	row struct {
		lookup int
		path   []string
	}
)

func (null) key() string      { return "null" }
func (v boolean) key() string { return strconv.FormatBool(bool(v)) }
func (v text) key() string    { return strconv.Quote(string(v)) }
func (v number) key() string  { return "#" + strconv.Itoa(v.expression) }
func (v field) key() string   { return "$" + strconv.Itoa(v.property) }
func (v length) key() string  { return "|$" + strconv.Itoa(v.property) }
func (v part) key() string    { return fmt.Sprintf("#%d/%d", v.expression, v.divisor) }
func (v counted) key() string { return fmt.Sprint("count", v.of) }
func (v list) key() string    { return fmt.Sprintf("[%t %s]", v.unordered, v.members.key()) }
func (v set) key() string     { return "{" + v.members.key() + "}" }
func (v document) key() string {
	return "input." + v.prefix
}
func (v data) key() string { return fmt.Sprintf("data%q", v.path) }
func (v row) key() string  { return fmt.Sprintf("row%d%q", v.lookup, v.path) }

// newObject makes an object, whose fields must not be changed any more.
func newObject(fields map[string]choices) object { return object{fields, new(string)} }

func (v object) key() string {
	if v.written != nil && *v.written != "" {
		return *v.written
	}
	var b strings.Builder
	b.WriteByte('{')
	for _, name := range v.names() {
		b.WriteString(strconv.Quote(name))
		b.WriteByte(':')
		b.WriteString(v.fields[name].key())
		b.WriteByte(',')
	}
	b.WriteByte('}')
	if v.written != nil {
		*v.written = b.String()
	}
	return b.String()
}

func (v object) names() []string {
	names := make([]string, 0, len(v.fields))
	for name := range v.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c choices) key() string {
	var b strings.Builder
	for _, one := range c {
		b.WriteString(strconv.Itoa(int(one.when)))
		b.WriteByte('?')
		b.WriteString(one.is.key())
		b.WriteByte(';')
	}
	return b.String()
}

// only is a value that is always there.
func only(v value) choices { return choices{{always, v}} }

// constant reports whether a value is the same for every document.
func constant(v value) bool {
	switch v := v.(type) {
	case null, boolean, text:
		return true
	case object:
		for _, of := range v.fields {
			if len(of) != 1 || of[0].when != always || !constant(of[0].is) {
				return false
			}
		}
		return true
	}
	return false
}

// kind is the order of a value's type among OPA's types, 0 where it is not known.
func kind(v value) int {
	switch v.(type) {
	case null:
		return 1
	case boolean:
		return 2
	case number, part, counted, length:
		return 3
	case text, field:
		return 4
	case list:
		return 5
	case object, document, data, row:
		return 6
	case set:
		return 7
	}
	return 0
}
