package policy_test

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// thresholdMutants are all mutants of the file of thresholds: each number ±1, each switch thrown, each value left out,
// each two neighbours of a list swapped, each of its names removed.
func thresholdMutants(file, text string) ([]mutant, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, err
	}
	m := newMutator(file, text)
	m.mutateNode(root.Content[0], "")
	return m.found, nil
}

// offsetOf is where a node begins in the text.
func (m *mutator) offsetOf(n *yaml.Node) int {
	at := 0
	for range n.Line - 1 {
		at += strings.Index(m.text[at:], "\n") + 1
	}
	return at + n.Column - 1
}

// lastLineOf is the last line that a node reaches.
func lastLineOf(n *yaml.Node) int {
	last := n.Line
	for _, inner := range n.Content {
		last = max(last, lastLineOf(inner))
	}
	return last
}

func (m *mutator) mutateNode(n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			below := strings.TrimPrefix(path+"."+key.Value, ".")
			m.places = append(m.places, mark{m.offsetOf(key), below})
			m.drop("drop threshold", m.offsetOf(key), m.lineEnd(lastLineOf(value)))
			m.mutateNode(value, below)
		}
	case yaml.SequenceNode:
		m.mutateList(n)
	case yaml.ScalarNode:
		from := m.offsetOf(n)
		to := from + len(n.Value)
		switched := map[string]string{"true": "false", "false": "true", "enabled": "disabled", "disabled": "enabled"}
		if with := switched[n.Value]; with != "" {
			m.replace("threshold", from, to, with)
		}
		if number, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			m.replace("threshold", from, to, strconv.FormatInt(number-1, 10))
			m.replace("threshold", from, to, strconv.FormatInt(number+1, 10))
		}
	}
}

// lineEnd is where a line ends.
func (m *mutator) lineEnd(line int) int {
	return m.offsetOf(&yaml.Node{Line: line + 1, Column: 1}) - 1
}

func (m *mutator) mutateList(n *yaml.Node) {
	for i, item := range n.Content {
		from := m.offsetOf(item)
		m.drop("precedence", from-len("- "), from+len(item.Value))
		if i+1 == len(n.Content) {
			continue
		}
		next := n.Content[i+1]
		to := m.offsetOf(next)
		m.change("precedence", item.Value+" ↔ "+next.Value, from, to+len(next.Value),
			next.Value+m.text[from+len(item.Value):to]+item.Value)
	}
}
