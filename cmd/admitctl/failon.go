package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/admitctl/admitctl/review"
)

// What --fail-on may name, beside the kinds of change.
const (
	failAny      = "any"      // a decision changes, or nobody knows
	failMixed    = "mixed"    // of one gate, or of all together, rejects become admits and admits become rejects
	failUnproved = "unproved" // a gate that nobody could prove
	failProperty = "property" // a property of a gate that is lost
)

func diffFails() []string {
	return []string{failAny, string(review.KindLoosened), string(review.KindTightened), failMixed, failUnproved, string(review.KindRelabelled)}
}

func reviewFails() []string { return append(diffFails(), failProperty) }

// failOn is what somebody asked to fail on.
type failOn []string

// parseFailOn refuses what there is not. A list may come as one word with commas, as in a workflow's input.
func parseFailOn(values, known []string) (failOn, error) {
	var all failOn
	for _, value := range values {
		for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			if word == "none" {
				continue
			}
			if !slices.Contains(known, word) {
				return nil, fmt.Errorf("--fail-on: there is no %q; one of %s, or none", word, strings.Join(known, ", "))
			}
			all = append(all, word)
		}
	}
	return all, nil
}

// asks reports whether somebody asked to fail on a kind of change.
func (f failOn) asks(kind review.Kind) bool {
	return slices.Contains(f, failAny) || slices.Contains(f, string(kind))
}

// finding is what became of one thing that was asked to fail on.
type finding uint8

const (
	absent  finding = iota // proved: there is none
	present                // there is one
	unclear                // none was found, and nobody could prove that there is none
)

// found is what became of one word of --fail-on in a comparison.
func found(word string, c *review.Comparison) finding {
	all := foundInGate(word, c.Verdict, nil)
	for _, gate := range slices.Sorted(maps.Keys(c.Gates)) {
		own := c.Gates[gate]
		switch foundInGate(word, own.Verdict, &own) {
		case present:
			return present
		case unclear:
			all = unclear
		}
	}
	return all
}

// foundInGate is the same of one gate, or of the verdict of all, which lists no changes.
func foundInGate(word string, verdict review.Verdict, gate *review.GateComparison) finding {
	unproved := severity(verdict) == severity(review.Unproved)
	switch word {
	case failAny:
		return presentIf(verdict != review.Equal)
	case failUnproved:
		return presentIf(unproved)
	case failMixed:
		if verdict == review.Mixed {
			return present
		}
		return unclearIf(unproved)
	}
	kind := review.Kind(word)
	if gate != nil && slices.ContainsFunc(gate.Changes, func(change review.Change) bool { return change.Kind == kind }) {
		return present
	}
	switch {
	case verdict == review.Mixed && kind != review.KindRelabelled, verdict == review.Verdict(kind):
		return present
	case unproved:
		return unclear
	}
	// Verdicts prove who is admitted; of what else a decision says they prove nothing unless all changes are known.
	return unclearIf(kind == review.KindRelabelled && gate != nil && (!gate.Proof.Complete || gate.More > 0))
}

func presentIf(is bool) finding {
	if is {
		return present
	}
	return absent
}

func unclearIf(is bool) finding {
	if is {
		return unclear
	}
	return absent
}

// verdict is the exit code: 1 where something is there that was asked to fail on, 2 where nobody can tell.
func (f failOn) verdict(of func(word string) finding) error {
	var unknown []string
	for _, word := range f {
		switch of(word) {
		case present:
			return &exitError{code: exitReject}
		case unclear:
			unknown = append(unknown, word)
		}
	}
	if len(unknown) > 0 {
		return &exitError{code: exitNoVerdict, text: fmt.Sprintf("--fail-on %s: none was found, and it is not proved that there is none; install z3 (--solver), give it more time (--solver-timeout), or list more changes (--most)", strings.Join(unknown, ","))}
	}
	return nil
}
