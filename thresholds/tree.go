package thresholds

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
	Notes string // the comment that stands with it, without its #
}

// Tree is a value of the thresholds, and where it was written. Thresholds are whole numbers, true and false, words,
// lists and maps; YAML's other scalars and its references are refused, since each has made somebody's limit mean
// something else.
type Tree struct {
	At     Position
	Kind   Kind
	Fields map[string]*Tree // of a map
	Keys   []string         // of a map, in the order of the file
	Items  []*Tree          // of a list
	Scalar any              // int64, bool or string
	Notes  string           // the comment that stands above or beside it, without its #
	Broken bool             // it, or a part of this map, could not be read: what seems missing here need not be
}

// Kind says what a [Tree] is.
type Kind uint8

// The kinds of value.
const (
	Scalar Kind = iota
	Map
	List
)

// Position is a place in a file.
type Position struct {
	File         string
	Line, Column int // from 1
}

// Problem is one thing that is wrong with thresholds.
type Problem struct {
	At      Position
	Path    string // such as "compaction.token_ceiling"
	Problem string // what is wrong
	Mend    string // what to do
}

// New is an empty map.
func New(at Position) *Tree { return &Tree{Kind: Map, At: at, Fields: map[string]*Tree{}} }

// Under puts a tree below folders, as OPA roots a data file at the folder that it lies in.
func (t *Tree) Under(folders []string) *Tree {
	for _, folder := range slices.Backward(folders) {
		t = &Tree{Kind: Map, At: t.At, Fields: map[string]*Tree{folder: t}, Keys: []string{folder}, Broken: t.Broken}
	}
	return t
}

// Merge adds another file's tree to this one; what both set is a problem.
func (t *Tree) Merge(from *Tree) []Problem {
	var found []Problem
	t.join(from, "", func(path string, old, added *Tree) {
		found = append(found, Problem{
			At: added.At, Path: path, Problem: fmt.Sprintf("set already by %s:%d", old.At.File, old.At.Line),
			Mend: "set it in one file, or load one of the two as an overlay",
		})
	})
	return found
}

// Overlay puts a tree over this one: what it leaves out keeps its value, lists are replaced whole.
func (t *Tree) Overlay(over *Tree) { t.join(over, "", nil) }

// join merges from into t. Where both have a value that is not a map, conflict is told, or, if nil, from's wins.
func (t *Tree) join(from *Tree, path string, conflict func(path string, old, added *Tree)) {
	t.Broken = t.Broken || from.Broken
	for _, key := range from.Keys {
		added, old := from.Fields[key], t.Fields[key]
		switch {
		case old == nil:
			t.Fields[key] = added.clone()
			t.Keys = append(t.Keys, key)
		case old.Kind == Map && added.Kind == Map:
			old.join(added, Join(path, key), conflict)
		case conflict != nil:
			conflict(Join(path, key), old, added)
		default:
			t.Fields[key] = added.clone()
			if added.Notes == "" {
				t.Fields[key].Notes = old.Notes // it is still the same threshold
			}
		}
	}
}

func (t *Tree) clone() *Tree {
	same := *t
	same.Fields = maps.Clone(t.Fields)
	for key, child := range same.Fields {
		same.Fields[key] = child.clone()
	}
	same.Keys = slices.Clone(t.Keys)
	return &same
}

// Value is the tree as plain Go values.
func (t *Tree) Value() any {
	switch t.Kind {
	case Map:
		fields := make(map[string]any, len(t.Fields))
		for key, child := range t.Fields {
			fields[key] = child.Value()
		}
		return fields
	case List:
		items := make([]any, len(t.Items))
		for i, item := range t.Items {
			items[i] = item.Value()
		}
		return items
	}
	return t.Scalar
}

// Find follows keys and list indices down the tree as far as they lead.
func (t *Tree) Find(steps []string) (found *Tree, path string) {
	for _, step := range steps {
		next := t.Fields[step]
		if t.Kind == List {
			var index int
			if _, err := fmt.Sscan(step, &index); err == nil && index < len(t.Items) {
				next = t.Items[index]
				path = fmt.Sprintf("%s[%d]", path, index)
			}
		} else {
			path = Join(path, step)
		}
		if next == nil {
			return t, path
		}
		t = next
	}
	return t, path
}

// Settings lists the leaves, lists counting as one, sorted by path.
func (t *Tree) Settings() []Setting { return t.SettingsUnder("") }

// SettingsUnder lists the leaves of a part of a tree that lies at path.
func (t *Tree) SettingsUnder(path string) []Setting {
	if t.Kind != Map {
		return []Setting{{Path: path, Value: t.Value(), File: t.At.File, Line: t.At.Line, Notes: t.Notes}}
	}
	var all []Setting
	for _, key := range slices.Sorted(maps.Keys(t.Fields)) {
		all = append(all, t.Fields[key].SettingsUnder(Join(path, key))...)
	}
	return all
}

// Canonical is the tree as JSON with sorted keys, the same for the same thresholds however they were written.
func (t *Tree) Canonical() ([]byte, error) { return json.Marshal(t.Value()) }

// Join is a step down a path of the thresholds; a name that is not a plain word is quoted.
func Join(path, name string) string {
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
