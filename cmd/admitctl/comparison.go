package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// The words in which diff and review tell a comparison, in every format alike.

// verdictWords say what a verdict means for whoever is admitted.
func verdictWords(verdict review.Verdict) string {
	switch verdict {
	case review.Equal:
		return "every decision stays as it was"
	case review.Loosened:
		return "some rejects become admits, and no admit becomes a reject"
	case review.Tightened:
		return "some admits become rejects, and no reject becomes an admit"
	case review.Mixed:
		return "some rejects become admits, and some admits become rejects"
	case review.Relabelled:
		return "who is admitted stays; something else in a decision does not"
	}
	return "nobody could prove what stays as it was"
}

// verdictOver says what the verdict of all gates means; where it is unproved, what was found all the same.
func verdictOver(c *review.Comparison) string {
	words := verdictWords(c.Verdict)
	if severity(c.Verdict) != severity(review.Unproved) {
		return words
	}
	var kinds []string
	for _, kind := range []review.Kind{review.KindLoosened, review.KindTightened, review.KindRelabelled} {
		for _, gate := range slices.Sorted(maps.Keys(c.Gates)) {
			if foundInGate(string(kind), c.Gates[gate].Verdict, new(c.Gates[gate])) == present {
				kinds = append(kinds, fmt.Sprintf("%s in %s", kind, gate))
			}
		}
	}
	if len(kinds) == 0 {
		return words + "; no change was found"
	}
	return words + "; found: " + strings.Join(kinds, ", ")
}

// told is a verdict by its name; none at all is unproved.
func told(verdict review.Verdict) string { return string(cmp.Or(verdict, review.Unproved)) }

// severity puts what needs a reviewer first: work that nobody let in so far, then what nobody knows.
func severity(verdict review.Verdict) int {
	order := []review.Verdict{review.Mixed, review.Loosened, review.Unproved, review.Tightened, review.Relabelled, review.Equal}
	if at := slices.Index(order, verdict); at >= 0 {
		return at
	}
	return slices.Index(order, review.Unproved)
}

// byVerdict are the gates of a comparison, the worst first, and those that are equal.
func byVerdict(c *review.Comparison) (changed, equal []string) {
	for _, gate := range slices.Sorted(maps.Keys(c.Gates)) {
		if c.Gates[gate].Verdict == review.Equal {
			equal = append(equal, gate)
		} else {
			changed = append(changed, gate)
		}
	}
	slices.SortStableFunc(changed, func(a, b string) int {
		return cmp.Compare(severity(c.Gates[a].Verdict), severity(c.Gates[b].Verdict))
	})
	return changed, equal
}

// turn is what a change makes of a decision: "reject_tokens (stop_retries_for_version) → admit (submit)".
func turn(change review.Change) string {
	was, is := change.Base, change.Head
	switch {
	case was.Reason == is.Reason && was.Action == is.Action:
		return was.Reason + " says something else"
	case was.Reason == is.Reason:
		return fmt.Sprintf("%s asks for %s → %s", was.Reason, was.Action, is.Action)
	}
	return fmt.Sprintf("%s (%s) → %s (%s)", was.Reason, was.Action, is.Reason, is.Action)
}

// kindWords are a kind of change, and of a relabelling the part of the decision.
func kindWords(change review.Change) string {
	switch change.Kind {
	case review.KindLoosened:
		return "a reject becomes an admit"
	case review.KindTightened:
		return "an admit becomes a reject"
	}
	switch change.Part {
	case review.PartReason:
		return "another reason"
	case review.PartAction:
		return "another action"
	case review.PartEffects:
		return "other effects"
	case review.PartViolations:
		return "other violations, or in another order"
	case review.PartUnknown:
		return "other signals named as unknown"
	case review.PartValues:
		return "another observed value or limit"
	}
	return "something else in the decision"
}

// smallest says of the example of a change whether there is none nearer to a usual document.
func smallest(change review.Change) string {
	switch {
	case change.Inside == nil:
		return ""
	case change.Proved:
		return "; smallest example, proved"
	}
	return "; nearest example that was found"
}

// fieldsOf are the fields of a document by their names.
func fieldsOf(document inputs.Document) map[string]inputs.Value {
	fields := map[string]inputs.Value{}
	if document != nil {
		maps.Insert(fields, document.Fields())
	}
	return fields
}

// field tells one field of a document: "est_tokens 5001", "borrowed left out".
func field(fields map[string]inputs.Value, name string) string {
	if value, ok := fields[name]; ok {
		return name + " " + value.String()
	}
	for other := range fields {
		if strings.HasPrefix(other, name+".") {
			return name + " there"
		}
	}
	return name + " left out"
}

// offWords are the fields of a witness that are not as in the nominal document.
func offWords(w *review.Witness) string {
	if len(w.Off) == 0 {
		return "the nominal document as it is"
	}
	fields := fieldsOf(w.Document)
	words := make([]string, len(w.Off))
	for i, name := range w.Off {
		words[i] = field(fields, name)
	}
	return strings.Join(words, ", ")
}

// nextTo are the fields of outside that are not as in inside, as the document outside has them.
func nextTo(inside, outside *review.Witness) string {
	was, is := fieldsOf(inside.Document), fieldsOf(outside.Document)
	names := maps.Clone(was)
	maps.Copy(names, is)
	var words []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, ok := was[name]; !ok {
			words = append(words, field(is, name))
		} else if b, ok := is[name]; !ok || a != b {
			words = append(words, field(is, name))
		}
	}
	return strings.Join(words, ", ")
}

// decided is how both sides decide a witness.
func decided(w *review.Witness) string {
	was, is := inShort(w.Base), inShort(w.Head)
	if was == is {
		if differs := changes(w.Base, w.Head); len(differs) > 0 {
			return was + ": " + strings.Join(differs, "; ")
		}
		return was + " on both sides"
	}
	return was + " → " + is
}

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

// proofWords say what is known of the decisions that are not listed; why nobody knows more is [review.Proof].Why.
func proofWords(gate review.GateComparison) string {
	switch {
	case !gate.Proof.Complete && gate.More > 0:
		return fmt.Sprintf("unproved (%s), and %s not listed", methodWords(gate.Proof), count(gate.More, "change"))
	case !gate.Proof.Complete:
		return "unproved (" + methodWords(gate.Proof) + ")"
	case gate.Verdict == review.Equal:
		return "proved: nothing changes (" + methodWords(gate.Proof) + ")"
	case gate.More > 0:
		return fmt.Sprintf("proved: nothing changes but these and %s (%s)", count(gate.More, "change")+" not listed", methodWords(gate.Proof))
	}
	return "proved: nothing else changes (" + methodWords(gate.Proof) + ")"
}

func methodWords(proof review.Proof) string {
	switch proof.By {
	case review.ByIdentity:
		return "the same rules and thresholds"
	case review.BySolver:
		return "by a solver, " + count(proof.Cells, "question")
	case review.ByCells:
		return count(proof.Cells, "cell") + " gone through"
	case review.BySearch:
		return count(proof.Cells, "document") + " searched"
	}
	return "by no method"
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
		for i, change := range causedBy(c.Gates[gate], path) {
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
