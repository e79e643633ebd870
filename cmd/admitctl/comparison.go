package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
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
