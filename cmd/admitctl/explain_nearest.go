package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

// writeNearest tells what would turn the decision over.
func (e *explainer) writeNearest(text *bytes.Buffer) {
	n, verb := &e.nearest, "reject"
	if !e.last.Decision.Admit {
		verb = "admit"
	}
	fmt.Fprintf(text, "  %-10s  ", "to "+verb)
	switch {
	case e.failed != nil:
		fmt.Fprintf(text, "it could not be told: %s\n", e.failed)
	case n.Signals != nil:
		e.writeTurned(text, n.Signals)
		if n.Proof.Complete {
			text.WriteString("; proved: no smaller change of signals does\n")
		} else {
			fmt.Fprintf(text, "; the smallest that was found, not proved: %s\n", n.Proof.Why)
		}
	default:
		e.writeWithoutSignals(text, n, verb)
	}
}

// writeTurned tells a change, and what comes of it.
func (e *explainer) writeTurned(text *bytes.Buffer, to *review.Turned) {
	changes := make([]string, len(to.Changes))
	for i, change := range to.Changes {
		changes[i] = fmt.Sprintf("%s %s → %s", change.Field, valueText(change.From), valueText(change.To))
	}
	fmt.Fprintf(text, "%s\n              then %s, %s", strings.Join(changes, ", "), to.Decision.Reason, to.Decision.Action)
}

// valueText is a value of a document as it is written there.
func valueText(value *inputs.Value) string {
	switch {
	case value == nil:
		return "absent"
	case value.Kind == inputs.KindNull:
		return "unknown"
	}
	return value.String()
}

// writeWithoutSignals tells that no change of signals turns the decision over, and what would.
func (e *explainer) writeWithoutSignals(text *bytes.Buffer, n *review.Counterfactual, verb string) {
	if n.Proof.Complete {
		text.WriteString("proved: no change of signals does\n")
	} else {
		fmt.Fprintf(text, "no change of signals that does was found: %s\n", n.Proof.Why)
	}
	for _, reason := range n.Fixed {
		var sources []string
		for _, source := range e.read(reason) {
			sources = append(sources, sourceText(source))
		}
		if sources != nil {
			fmt.Fprintf(text, "              %s is proved from %s\n", reason, strings.Join(sources, "; "))
		} else {
			fmt.Fprintf(text, "              %s reads no signal\n", reason)
		}
	}
	switch {
	case n.Fields != nil:
		text.WriteString("              with other fields: ")
		e.writeTurned(text, n.Fields)
		text.WriteString("\n")
	case n.Beyond != nil && n.Beyond.Complete:
		fmt.Fprintf(text, "              proved: no change of any fields does; these thresholds %s nothing\n", verb)
	case n.Beyond != nil:
		fmt.Fprintf(text, "              no change of any fields that does was found: %s\n", n.Beyond.Why)
	}
}

// read is what a violated check is proved from.
func (e *explainer) read(reason string) []engine.Source {
	at := slices.IndexFunc(e.last.Checks, func(c engine.Explained) bool { return c.Reason == reason && c.Outcome == engine.Violated })
	if at < 0 {
		return nil
	}
	return e.last.Checks[at].Reads
}
