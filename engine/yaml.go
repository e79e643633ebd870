package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/admitctl/admitctl/inputs"
)

// node is a value of the thresholds, and where it was written. Thresholds are whole numbers, true and false, words,
// lists and maps; YAML's other scalars and its references are refused, since each has made somebody's limit mean
// something else.
type node struct {
	at     position
	fields map[string]*node // of a map
	keys   []string         // its keys, in the order of the file
	items  []*node          // of a list
	scalar any              // int64, bool or string
	kind   nodeKind
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mapNode
	listNode
)

// position is a place in a file.
type position struct {
	file         string
	line, column int
}

// wholeNumber is how a number is written: no sign but a minus, no leading zero, no underscore, no exponent. -0 is no
// number that anybody means.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// parseData reads one YAML (or JSON) document strictly; nil if there were problems.
func parseData(name string, text []byte, found *problems) *node {
	found.texts[name] = text
	before := len(found.list)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return &node{kind: mapNode, at: position{file: name, line: 1, column: 1}, fields: map[string]*node{}}
		}
		found.addYAML(name, err)
		return nil
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		found.addData(position{name, second.Line, second.Column}, "", "a second YAML document", "one file holds one document: remove the ---")
	} else if !errors.Is(err, io.EOF) {
		found.addYAML(name, err)
	}
	p := &dataParser{file: name, lines: bytes.Split(text, []byte("\n")), found: found}
	tree := p.parse(document.Content[0], "")
	if tree.kind != mapNode {
		found.addData(tree.at, "", "thresholds are a map of names to values", "write NAME: VALUE")
	}
	if len(found.list) > before {
		return nil
	}
	return tree
}

func (p *problems) addData(at position, path, problem, mend string) {
	p.add(Problem{File: at.file, Line: at.line, Column: at.column, Path: path, Problem: problem, Mend: mend, Kind: ErrThresholds})
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func (p *problems) addYAML(name string, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := position{file: name, line: 1, column: 1}
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		at.line, _ = strconv.Atoi(match[1])
		text = strings.TrimPrefix(text, match[0]+": ")
	}
	if strings.HasPrefix(strings.TrimLeft(lineOf(p.texts[name], at.line), " "), "\t") {
		text = "the line begins with a tab"
	}
	if strings.Contains(text, "control characters") || strings.Contains(text, "UTF-8") {
		at = unreadable(name, p.texts[name])
	}
	p.addData(at, "", "broken YAML: "+text, "indent with spaces, and quote what is not a plain word")
}

// unreadable is the place of the first character that YAML does not take, for which its parser gives none.
func unreadable(name string, text []byte) position {
	at := position{file: name, line: 1, column: 1}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n':
			at.line, at.column = at.line+1, 0
		case r == utf8.RuneError && size == 1, r != '\t' && r != '\r' && unicode.IsControl(r):
			return at
		}
		at.column += size
		text = text[size:]
	}
	return position{file: name, line: 1, column: 1}
}

// dataParser turns YAML nodes into ours.
type dataParser struct {
	file  string
	lines [][]byte
	line  []rune // the one that was looked at last, and its number
	row   int
	found *problems
}

func (p *dataParser) parse(from *yaml.Node, path string) *node {
	into := &node{at: position{p.file, from.Line, from.Column}}
	switch {
	case from.Kind == yaml.AliasNode || from.Anchor != "":
		p.found.addData(into.at, path, "an anchor or alias (& or *)", "write the value out")
		return into
	case from.Style&yaml.TaggedStyle != 0 || p.begins(from, '!'):
		p.found.addData(into.at, path, "a YAML tag (!)", "write the plain value")
		return into
	}
	switch from.Kind {
	case yaml.MappingNode:
		p.parseMap(from, into, path)
	case yaml.SequenceNode:
		into.kind = listNode
		for i, item := range from.Content {
			into.items = append(into.items, p.parse(item, fmt.Sprintf("%s[%d]", path, i)))
		}
	case yaml.ScalarNode:
		into.scalar = p.parseScalar(from, into.at, path)
	}
	return into
}

// begins reports whether a node is written with a first character: a lone tag leaves no other trace in it.
func (p *dataParser) begins(from *yaml.Node, first rune) bool {
	if from.Line < 1 || from.Line > len(p.lines) {
		return false
	}
	if p.row != from.Line {
		p.row, p.line = from.Line, []rune(string(p.lines[from.Line-1]))
	}
	return from.Column >= 1 && from.Column <= len(p.line) && p.line[from.Column-1] == first
}

func (p *dataParser) parseMap(from *yaml.Node, into *node, path string) {
	into.kind, into.fields = mapNode, make(map[string]*node, len(from.Content)/2)
	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		at := position{p.file, key.Line, key.Column}
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || p.begins(key, '!'):
			p.found.addData(at, path, "a key that is not a plain string", "quote it")
			continue
		case !inputs.ValidName(key.Value):
			p.found.addData(at, path, strconv.Quote(key.Value)+" is no name", "names have 1 to 128 code points, no control or format characters and no outer spaces")
			continue
		case into.fields[key.Value] != nil:
			p.found.addData(at, join(path, key.Value), fmt.Sprintf("set twice, first on line %d", into.fields[key.Value].at.line), "keep one")
			continue
		}
		child := p.parse(value, join(path, key.Value))
		if child.kind != scalarNode {
			child.at = at
		}
		into.fields[key.Value] = child
		into.keys = append(into.keys, key.Value)
	}
}

func (p *dataParser) parseScalar(from *yaml.Node, at position, path string) any {
	plain := from.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case !plain || from.ShortTag() == "!!str":
		return from.Value
	case from.Value == "true" || from.Value == "false":
		return from.Value == "true"
	case wholeNumber.MatchString(from.Value):
		number, err := strconv.ParseInt(from.Value, 10, 64)
		if err != nil {
			p.found.addData(at, path, from.Value+" is out of range", "see the safe range in the comments of thresholds.yaml")
		}
		return number
	}
	problem := strconv.Quote(from.Value) + " is neither a whole number nor true or false"
	if from.ShortTag() == "!!null" {
		problem = "empty (null)"
	}
	p.found.addData(at, path, problem, "write a plain whole number such as 15000, or true or false; quote it if it is a word")
	return nil
}

// join is a step down a path of the thresholds; a name that is not a plain word is quoted.
func join(path, name string) string {
	for _, r := range name {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return fmt.Sprintf("%s[%q]", path, name)
		}
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
