package policy_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// token is a word of Rego that is no comment.
type token struct {
	at   int
	text string
}

func (t token) end() int { return t.at + len(t.text) }

var tokenPattern = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`|#[^\n]*|[A-Za-z_]\\w*|-?[0-9]+|:=|==|!=|<=|>=|[-+*/<>|=&]")

// tokensOf are the tokens of a module behind its imports.
func tokensOf(text string) (tokens []token) {
	begin := strings.LastIndex(text, "\nimport ")
	for _, at := range tokenPattern.FindAllStringIndex(text, -1) {
		if word := text[at[0]:at[1]]; word[0] != '#' && at[0] > begin+1 && !strings.HasPrefix(text[at[0]:], "import ") {
			tokens = append(tokens, token{at[0], word})
		}
	}
	return tokens
}

// What each word becomes: the comparison next to it, the operation next to it, the other plane.
var (
	comparisons = map[string][]string{
		"<": {"<=", ">"}, "<=": {"<", ">="}, ">": {">=", "<"}, ">=": {">", "<="}, "==": {"!="}, "!=": {"=="},
	}
	operations = map[string][]string{
		"+": {"-", "*"}, "*": {"+"}, "/": {"*"}, "-": {"&", "|"}, "ceil": {"floor"}, "floor": {"ceil"},
	}
	constants = map[string][]string{"true": {"false"}, "false": {"true"}, "null": {"false"}}
	twins     = map[string]string{
		"alone": "borrowing", "borrowing": "alone", "payer": "creator", "creator": "payer",
	}
)

// mutateTokens replaces each token that has a neighbour.
func (m *mutator) mutateTokens(module *ast.Module) {
	planes := strings.HasPrefix(m.file, "fence/")
	for _, t := range tokensOf(m.text) {
		for _, with := range comparisons[t.text] {
			m.replace("comparison", t.at, t.end(), with)
		}
		for _, with := range operations[t.text] {
			m.replace("operation", t.at, t.end(), with)
		}
		for _, with := range constants[t.text] {
			m.replace("constant", t.at, t.end(), with)
		}
		if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			m.replace("number", t.at, t.end(), strconv.FormatInt(n-1, 10))
			m.replace("number", t.at, t.end(), strconv.FormatInt(n+1, 10))
		}
		if planes {
			m.swapPlane(t)
		}
		switch t.text[0] {
		case '"':
			m.replace("string", t.at, t.end(), t.text[:len(t.text)-1]+`_x"`)
		case '`':
			m.mutatePattern(t)
		}
	}
	m.mutateEffects(module)
}

// swapPlane puts the other plane in the place of one, in names, paths and strings.
func (m *mutator) swapPlane(t token) {
	switch {
	case strings.Contains(t.text, "primary"):
		m.replace("plane", t.at, t.end(), strings.Replace(t.text, "primary", "borrowed", 1))
	case strings.Contains(t.text, "borrowed"):
		m.replace("plane", t.at, t.end(), strings.Replace(t.text, "borrowed", "primary", 1))
	case twins[t.text] != "":
		m.replace("plane", t.at, t.end(), twins[t.text])
	case t.text == "created_on":
		m.replace("plane", t.at, t.end(), "charge.name")
	case t.text == "charge" && strings.HasPrefix(m.text[t.at:], "charge.name"):
		m.replace("plane", t.at, t.at+len("charge.name"), "created_on")
	}
}

var patternPart = regexp.MustCompile(`\\p\{\w+\}|[\^$*?]`)

// mutatePattern drops each part of a regular expression in turn.
func (m *mutator) mutatePattern(t token) {
	for _, at := range patternPart.FindAllStringIndex(t.text, -1) {
		m.change("pattern", "drop "+t.text[at[0]:at[1]], t.at+at[0], t.at+at[1], "")
	}
}

// mutateEffects turns each delta, exchanges each counter, and drops and doubles each effect.
func (m *mutator) mutateEffects(module *ast.Module) {
	counters := map[string]string{`"depth"`: `"retry_budget"`, `"retry_budget"`: `"depth"`}
	ast.WalkTerms(module, func(term *ast.Term) bool {
		list, ok := term.Value.(*ast.Array)
		if !ok {
			return false
		}
		for i := range list.Len() {
			object, ok := list.Elem(i).Value.(ast.Object)
			if !ok || object.Get(ast.StringTerm("counter")) == nil {
				continue
			}
			at := list.Elem(i).Location
			text := string(at.Text)
			to := at.Offset + len(text)
			if strings.HasPrefix(m.text[to:], ",") {
				to++
			}
			m.change("effect", "drop "+brief(text), at.Offset, to, "")
			m.change("effect", "double "+brief(text), at.Offset, at.Offset, text+", ")
			counter, delta := object.Get(ast.StringTerm("counter")).Location, object.Get(ast.StringTerm("delta")).Location
			m.replace("effect", counter.Offset, counter.Offset+len(counter.Text), counters[string(counter.Text)])
			from := delta.Offset
			m.replace("effect", from, from+len(delta.Text), strings.TrimPrefix("-"+string(delta.Text), "--"))
		}
		return false
	})
}

// guardNeighbours are the guards that could be mistaken for one another.
var guardNeighbours = map[string]string{
	"less": "at_most", "at_most": "less", "same": "differ", "differ": "same", "total": "times", "times": "total",
	"counts": "amounts", "amounts": "counts", "slacks": "amounts", "versions": "amounts",
}

// bareGuards are the comparisons that the guards make, unguarded.
var bareGuards = map[string]string{"less": "<", "at_most": "<=", "same": "==", "differ": "!=", "alike": "==", "total": "+", "times": "*"}

// mutateCalls calls the neighbour of each guard, swaps its arguments, keeps one of them alone, and goes without it.
func (m *mutator) mutateCalls(module *ast.Module) {
	heads := map[int]bool{}
	for _, rule := range module.Rules {
		heads[rule.Head.Location.Offset] = true
	}
	for _, t := range tokensOf(m.text) {
		guarded := strings.HasSuffix(m.text[:t.at], "guard.")
		if heads[t.at] || !strings.HasPrefix(m.text[t.end():], "(") || !guarded && m.file != guardFile {
			continue
		}
		from := t.at
		if guarded {
			from -= len("guard.")
		}
		arguments, to := argumentsAt(m.text, t.end())
		if other := guardNeighbours[t.text]; other != "" {
			m.replace("guard", t.at, t.end(), other)
		}
		if operator := bareGuards[t.text]; operator != "" {
			m.replace("unguarded", from, to, arguments[0]+" "+operator+" "+arguments[1])
		}
		switch t.text {
		case "less", "at_most":
			m.change("swap arguments", m.text[from:to], t.end(), to, "("+arguments[1]+", "+arguments[0]+")")
		case "stricter", "total", "times", "quarter", "without":
			for _, argument := range arguments {
				m.replace("argument alone", from, to, argument)
			}
		}
	}
}

// argumentsAt reads the arguments of a call from its bracket on.
func argumentsAt(text string, open int) (arguments []string, end int) {
	depth, begin := 0, open+1
	for i := open; ; i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return append(arguments, text[begin:i]), i + 1
			}
		case ',':
			if depth == 1 {
				arguments = append(arguments, text[begin:i])
				begin = i + len(", ")
			}
		}
	}
}

var inputPattern = regexp.MustCompile(`\binput\.([a-z_]+(?:\.[a-z_]+)*)`)

// mutateFields reads, in the place of each field, the next field of the same kind.
func (m *mutator) mutateFields(module *ast.Module) {
	fields := docFields[strings.TrimPrefix(module.Package.Path.String(), "data.admission.")]
	comment := regexp.MustCompile(`(?m)^#.*$`)
	code := comment.ReplaceAllStringFunc(m.text, func(line string) string { return strings.Repeat(" ", len(line)) })
	for _, at := range inputPattern.FindAllStringSubmatchIndex(code, -1) {
		i := slices.IndexFunc(fields, func(f docField) bool { return f.path == m.text[at[2]:at[3]] })
		if i < 0 {
			continue
		}
		for _, next := range slices.Concat(fields[i+1:], fields[:i]) {
			if next.kind == fields[i].kind {
				m.replace("field", at[2], at[3], next.path)
				break
			}
		}
	}
}
