package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// What was edited, in words.

// causeWords are an edit: "compaction.token_ceiling 5000 → 8000", "rule deadline".
func causeWords(cause review.Cause) string {
	if cause.Threshold != "" {
		return cause.Threshold + " " + valueWords(cause.From, cause.To)
	}
	return "rule " + cause.Rule
}

// places are where an edit is written on both sides.
func places(base, head table.Origin) string {
	was, is := placeOf(base), placeOf(head)
	switch {
	case was == is, is == "":
		return was
	case was == "":
		return is
	}
	return was + " → " + is
}

func placeOf(at table.Origin) string {
	switch {
	case at.File == "":
		return ""
	case at.Line == 0:
		return at.File
	}
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}

// valueWords tell the values of a threshold, which are JSON, and of lists what came, went and moved.
func valueWords(from, to string) string {
	switch {
	case from == "":
		return "set to " + to
	case to == "":
		return "no longer set, was " + from
	}
	var was, is []any
	if json.Unmarshal([]byte(from), &was) == nil && json.Unmarshal([]byte(to), &is) == nil {
		return listWords(was, is)
	}
	return from + " → " + to
}

// listWords tell what became of a list. Of a precedence the order is what counts.
func listWords(was, is []any) string {
	texts := func(list []any) []string {
		all := make([]string, len(list))
		for i, item := range list {
			if text, ok := item.(string); ok {
				all[i] = text
			} else {
				all[i] = jsonOf(item)
			}
		}
		return all
	}
	before, after := texts(was), texts(is)
	var words []string
	for _, item := range before {
		if !slices.Contains(after, item) {
			words = append(words, "without "+item)
		}
	}
	for at, item := range after {
		if !slices.Contains(before, item) {
			words = append(words, fmt.Sprintf("with %s as number %d", item, at+1))
		}
	}
	if item, from, to, ok := moved(before, after); ok {
		words = append(words, fmt.Sprintf("%s moved from number %d to %d", item, from+1, to+1))
	} else if len(words) == 0 {
		words = append(words, strings.Join(before, ", ")+" → "+strings.Join(after, ", "))
	}
	return strings.Join(words, ", ")
}

// moved finds the one item whose move is all that happened to the order of what stayed.
func moved(before, after []string) (item string, from, to int, ok bool) {
	kept := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return !slices.Contains(other, item) })
	}
	was, is := kept(before, after), kept(after, before)
	if slices.Equal(was, is) || len(was) != len(is) {
		return "", 0, 0, false
	}
	for _, item := range was {
		others := func(list []string) []string {
			return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == item })
		}
		if slices.Equal(others(was), others(is)) {
			return item, slices.Index(before, item), slices.Index(after, item), true
		}
	}
	return "", 0, 0, false
}

// manyEdits is how many thresholds that come or go with one gate, or rules of it, are listed one by one.
const manyEdits = 8

// listThresholds lists changed thresholds. Of many that one gate sets anew, or no longer, it tells the number.
func listThresholds(all []review.ThresholdChange, one func(review.ThresholdChange), many func(string)) {
	kind := func(change review.ThresholdChange) string {
		top, _, _ := strings.Cut(change.Path, ".")
		top = strings.ReplaceAll(top, "%", "%%")
		switch {
		case change.From == "":
			return top + ": %d thresholds set, which were not"
		case change.To == "":
			return top + ": %d thresholds no longer set"
		}
		return ""
	}
	list(all, kind, one, many)
}

// listRules lists changed rules. Of many of one gate that were added, or removed, it tells the number.
func listRules(all []review.RuleChange, one func(review.RuleChange), many func(string)) {
	kind := func(change review.RuleChange) string {
		if change.Edit == review.Changed {
			return ""
		}
		return strings.ReplaceAll(cmp.Or(change.Gate, "shared"), "%", "%%") + ": %d rules " + string(change.Edit)
	}
	list(all, kind, one, many)
}

func list[C any](all []C, kind func(C) string, one func(C), many func(string)) {
	numbers := map[string]int{}
	for _, change := range all {
		numbers[kind(change)]++
	}
	for _, change := range all {
		switch own := kind(change); {
		case own == "" || numbers[own] > 0 && numbers[own] <= manyEdits:
			one(change)
		case numbers[own] > 0:
			many(fmt.Sprintf(own, numbers[own]))
			numbers[own] = 0 // it is told
		}
	}
}

// ruleWords are an edit of a rule: "compaction: deadline changed".
func ruleWords(change review.RuleChange) string {
	return fmt.Sprintf("%s: %s %s", cmp.Or(change.Gate, "shared"), change.Name, change.Edit)
}

// meaning is what the comment of a threshold says of it, on the side that has one.
func meaning(path string, sides ...*engine.Program) string {
	for _, side := range sides {
		for _, setting := range side.Thresholds() {
			if setting.Path == path && setting.Notes != "" {
				return setting.Notes
			}
		}
	}
	return ""
}

// effectWords say which decisions a changed threshold changes, gate by gate, and of many the first. Where it is not named as
// a cause it may have a part in what others cause, unless nothing changes at all.
func effectWords(c *review.Comparison, path string) string {
	const few = 3
	var words []string
	more := 0
	for _, gate := range slices.Sorted(maps.Keys(c.Gates)) {
		for i, change := range worst(causedBy(c.Gates[gate], path)) {
			switch {
			case i >= few:
				more++
			case i == 0:
				words = append(words, fmt.Sprintf("%s: %s: %s", gate, change.Kind, turn(change)))
			default:
				words = append(words, fmt.Sprintf("%s: %s", change.Kind, turn(change)))
			}
		}
	}
	switch {
	case more > 0:
		return fmt.Sprintf("%s; and %d more", strings.Join(words, "; "), more)
	case len(words) > 0:
		return strings.Join(words, "; ")
	case c.Verdict == review.Equal:
		return "changes no decision"
	}
	return "the cause of no change that is listed"
}

// worst are the changes that let somebody in or out, where there are any: they come first.
func worst(changes []review.Change) []review.Change {
	relabelled := slices.IndexFunc(changes, func(change review.Change) bool { return change.Kind == review.KindRelabelled })
	if relabelled > 0 {
		return changes[:relabelled]
	}
	return changes
}

// causedBy are the changes of a gate that a threshold makes.
func causedBy(gate review.GateComparison, path string) []review.Change {
	var all []review.Change
	for _, change := range gate.Changes {
		if slices.ContainsFunc(change.Cause, func(cause review.Cause) bool { return cause.Threshold == path }) {
			all = append(all, change)
		}
	}
	return all
}
