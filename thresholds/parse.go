package thresholds

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

// wholeNumber is how a number is written: no sign but a minus, no leading zero, no underscore, no exponent. -0 is no
// number that anybody means.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// Parse reads one YAML (or JSON) document strictly. Where problems are found the tree is good for finding more, and
// for nothing else: what could not be read is marked Broken. An empty document is an empty tree.
func Parse(name string, text []byte) (*Tree, []Problem) {
	p := &parser{file: name, text: text, lines: bytes.Split(text, []byte("\n"))}
	tree := p.document()
	return tree, p.found
}

// parser turns YAML nodes into ours.
type parser struct {
	file  string
	text  []byte
	lines [][]byte
	line  []rune // the one that was looked at last, and its number
	row   int
	found []Problem
}

func (p *parser) add(at Position, path, problem, mend string) {
	p.found = append(p.found, Problem{At: at, Path: path, Problem: problem, Mend: mend})
}

func (p *parser) document() *Tree {
	decoder := yaml.NewDecoder(bytes.NewReader(p.text))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		tree := New(Position{File: p.file, Line: 1, Column: 1})
		if !errors.Is(err, io.EOF) {
			p.broken(err)
			tree.Broken = true
		}
		return tree
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		p.add(Position{p.file, second.Line, second.Column}, "", "a second YAML document", "one file holds one document: remove the ---")
	} else if !errors.Is(err, io.EOF) {
		p.broken(err)
	}
	tree := p.parse(document.Content[0], "")
	if tree.Kind != Map {
		p.add(tree.At, "", "thresholds are a map of names to values", "write NAME: VALUE")
		tree = New(tree.At)
		tree.Broken = true
	}
	return tree
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

// broken is the error of YAML that cannot be read, at the line that its parser names.
func (p *parser) broken(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := Position{File: p.file, Line: 1, Column: 1}
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		at.Line, _ = strconv.Atoi(match[1])
		text = strings.TrimPrefix(text, match[0]+": ")
	}
	if strings.HasPrefix(text, "did not find expected") {
		at.Line++ // what the parser misses it counts from 0, what the scanner finds from 1
	}
	for _, line := range []int{at.Line, at.Line + 1} { // a tab is told at the line that it ends
		if line <= len(p.lines) && bytes.HasPrefix(bytes.TrimLeft(p.lines[line-1], " "), []byte("\t")) {
			at.Line, text = line, "the line begins with a tab"
			break
		}
	}
	at.Line = min(at.Line, max(len(p.lines), 1))
	if strings.Contains(text, "control characters") || strings.Contains(text, "UTF-8") {
		at = unreadable(p.file, p.text)
	}
	p.add(at, "", "broken YAML: "+text, "indent with spaces, and quote what is not a plain word")
}

// unreadable is the place of the first character that YAML does not take, for which its parser gives none.
func unreadable(name string, text []byte) Position {
	at := Position{File: name, Line: 1, Column: 1}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n':
			at.Line, at.Column = at.Line+1, 0
		case r == utf8.RuneError && size == 1, r != '\t' && r != '\r' && unicode.IsControl(r):
			return at
		}
		at.Column += size
		text = text[size:]
	}
	return Position{File: name, Line: 1, Column: 1}
}

func (p *parser) parse(from *yaml.Node, path string) *Tree {
	into := &Tree{At: Position{p.file, from.Line, from.Column}}
	switch {
	case from.Kind == yaml.AliasNode || from.Anchor != "":
		p.add(into.At, path, "an anchor or alias (& or *)", "write the value out")
		into.Broken = true
		return into
	case from.Style&yaml.TaggedStyle != 0 || p.begins(from, '!'):
		p.add(into.At, path, "a YAML tag (!)", "write the plain value")
		into.Broken = true
		return into
	}
	switch from.Kind {
	case yaml.MappingNode:
		p.parseMap(from, into, path)
	case yaml.SequenceNode:
		into.Kind = List
		for i, item := range from.Content {
			into.Items = append(into.Items, p.parse(item, fmt.Sprintf("%s[%d]", path, i)))
		}
	case yaml.ScalarNode:
		into.Scalar = p.parseScalar(from, into, path)
	}
	return into
}

// begins reports whether a node is written with a first character: a lone tag leaves no other trace in it.
func (p *parser) begins(from *yaml.Node, first rune) bool {
	if from.Line < 1 || from.Line > len(p.lines) {
		return false
	}
	if p.row != from.Line {
		p.row, p.line = from.Line, []rune(string(p.lines[from.Line-1]))
	}
	return from.Column >= 1 && from.Column <= len(p.line) && p.line[from.Column-1] == first
}

func (p *parser) parseMap(from *yaml.Node, into *Tree, path string) {
	into.Kind, into.Fields = Map, make(map[string]*Tree, len(from.Content)/2)
	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		at := Position{p.file, key.Line, key.Column}
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || p.begins(key, '!'):
			p.add(at, path, "a key that is not a plain string", "quote it")
			into.Broken = true
			continue
		case !inputs.ValidName(key.Value):
			p.add(at, path, strconv.Quote(key.Value)+" is no name", "names have 1 to 128 code points, no control or format characters and no outer spaces")
			into.Broken = true
			continue
		case into.Fields[key.Value] != nil:
			p.add(at, Join(path, key.Value), fmt.Sprintf("set twice, first on line %d", into.Fields[key.Value].At.Line), "keep one")
			continue
		}
		child := p.parse(value, Join(path, key.Value))
		if child.Kind != Scalar {
			child.At = at
		}
		child.Notes = notes(key, value)
		into.Fields[key.Value] = child
		into.Keys = append(into.Keys, key.Value)
	}
}

// notes is the comment above a key, or else the one beside its value.
func notes(key, value *yaml.Node) string {
	text := key.HeadComment
	if text == "" {
		text = value.LineComment
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#")))
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}

func (p *parser) parseScalar(from *yaml.Node, into *Tree, path string) any {
	at := into.At
	plain := from.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case !plain || from.ShortTag() == "!!str":
		return from.Value
	case from.Value == "true" || from.Value == "false":
		return from.Value == "true"
	case wholeNumber.MatchString(from.Value):
		number, err := strconv.ParseInt(from.Value, 10, 64)
		if err != nil {
			p.add(at, path, from.Value+" is out of range", "see the safe range in the comments of thresholds.yaml")
			into.Broken = true
		}
		return number
	}
	problem := strconv.Quote(from.Value) + " is neither a whole number nor true or false"
	if from.ShortTag() == "!!null" {
		problem = "empty (null)"
	}
	p.add(at, path, problem, "write a plain whole number such as 15000, or true or false; quote it if it is a word")
	into.Broken = true
	return nil
}
