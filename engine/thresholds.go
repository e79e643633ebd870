package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Setting is one threshold of a program and where it was written.
type Setting struct {
	Path  string // such as "compaction.token_ceiling"; names that are no plain words are quoted in brackets
	Value any    // int64, bool, string, or []any of them
	File  string // the policy file or overlay that set it
	Line  int    // from 1
}

// merge puts the data files of a policy directory into one tree; two files that set the same value are an error.
func merge(files []*dataFile, found *problems) *node {
	root := &node{kind: mapNode, fields: map[string]*node{}}
	for _, file := range files {
		tree := file.tree
		for _, folder := range slices.Backward(file.folders) {
			tree = &node{kind: mapNode, at: tree.at, fields: map[string]*node{folder: tree}, keys: []string{folder}}
		}
		root.join(tree, "", func(path string, old, new *node) {
			found.addData(new.at, path, fmt.Sprintf("set already by %s:%d", old.at.file, old.at.line), "set it in one file, or load one of the two as an overlay")
		})
	}
	return root
}

// overlay puts a tree over this one: what it leaves out keeps its value, lists are replaced whole.
func (n *node) overlay(over *node) { n.join(over, "", nil) }

// join merges from into n. Where both have a value that is not a map, conflict is told, or, if nil, from's wins.
func (n *node) join(from *node, path string, conflict func(path string, old, new *node)) {
	for _, key := range from.keys {
		added, old := from.fields[key], n.fields[key]
		switch {
		case old == nil:
			n.fields[key] = added.clone()
			n.keys = append(n.keys, key)
		case old.kind == mapNode && added.kind == mapNode:
			old.join(added, join(path, key), conflict)
		case conflict != nil:
			conflict(join(path, key), old, added)
		default:
			n.fields[key] = added.clone()
		}
	}
}

func (n *node) clone() *node {
	same := *n
	same.fields = maps.Clone(n.fields)
	for key, child := range same.fields {
		same.fields[key] = child.clone()
	}
	same.keys = slices.Clone(n.keys)
	return &same
}

// value is the tree as plain Go values.
func (n *node) value() any {
	switch n.kind {
	case mapNode:
		fields := make(map[string]any, len(n.fields))
		for key, child := range n.fields {
			fields[key] = child.value()
		}
		return fields
	case listNode:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.value()
		}
		return items
	}
	return n.scalar
}

// find follows keys and list indices down the tree as far as they lead.
func (n *node) find(steps []string) (found *node, path string) {
	for _, step := range steps {
		next := n.fields[step]
		if n.kind == listNode {
			var index int
			if _, err := fmt.Sscan(step, &index); err == nil && index < len(n.items) {
				next = n.items[index]
				path = fmt.Sprintf("%s[%d]", path, index)
			}
		} else {
			path = join(path, step)
		}
		if next == nil {
			return n, path
		}
		n = next
	}
	return n, path
}

// settings lists the leaves, lists counting as one, sorted by path.
func (n *node) settings(path string) []Setting {
	if n.kind != mapNode {
		return []Setting{{Path: path, Value: n.value(), File: n.at.file, Line: n.at.line}}
	}
	var all []Setting
	for _, key := range slices.Sorted(maps.Keys(n.fields)) {
		all = append(all, n.fields[key].settings(join(path, key))...)
	}
	return all
}

// canonical is the tree as JSON with sorted keys, the same for the same thresholds however they were written.
func (n *node) canonical() ([]byte, error) { return json.Marshal(n.value()) }
