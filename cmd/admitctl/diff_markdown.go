package main

import (
	"fmt"
	"strings"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// verdict is the heading, and between whom.
func (m *markdown) verdict(c *review.Comparison) {
	words := sentence(verdictWords(c.Verdict)) + "."
	if more, ok := strings.CutPrefix(verdictOver(c), verdictWords(c.Verdict)+"; "); ok {
		words += " " + code(more)
	}
	m.add("## Admission policies: %s\n\n%s\n\nFrom %s to %s.\n", told(c.Verdict), words, code(c.Base.Name), code(c.Head.Name))
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// edits are what was edited: thresholds with what they come to, and rules.
func (m *markdown) edits(c *review.Comparison, meanings map[string]string) {
	if len(c.Thresholds) > 0 {
		m.add("\n### Thresholds\n\n| threshold | change | effect | written |\n|---|---|---|---|\n")
	}
	listThresholds(c.Thresholds, func(change review.ThresholdChange) {
		threshold := code(change.Path)
		if said := meanings[change.Path]; said != "" {
			threshold += "<br>" + code(said)
		}
		m.add("| %s | %s | %s | %s |\n", threshold, code(valueWords(change.From, change.To)), code(effectWords(c, change.Path)), written(change.Base, change.Head))
	}, func(words string) { m.add("| %s | | | |\n", code(words)) })
	if len(c.Rules) > 0 {
		m.add("\n### Rules\n\n")
	}
	listRules(c.Rules, func(change review.RuleChange) {
		m.add("- %s %s\n", code(ruleWords(change)), written(change.Base, change.Head))
	}, func(words string) { m.add("- %s\n", code(words)) })
}

// written are the places of an edit, "" where nobody knows them.
func written(base, head table.Origin) string {
	if at := places(base, head); at != "" {
		return code(at)
	}
	return ""
}

// gates are a part a gate that changes, and a line of those that do not.
func (m *markdown) gates(c *review.Comparison) {
	changed, equal := byVerdict(c)
	for _, name := range changed {
		gate := c.Gates[name]
		m.add("\n### Gate %s: %s\n\n%s\n", code(name), told(gate.Verdict), proof(gate))
		for _, change := range gate.Changes {
			m.change(change)
		}
	}
	if len(equal) > 0 {
		names := make([]string, len(equal))
		for i, name := range equal {
			names[i] = code(name)
		}
		m.add("\nEqual, proved: %s.\n", strings.Join(names, ", "))
	}
}

// proof is what is known of the decisions that are not listed, as a sentence.
func proof(gate review.GateComparison) string {
	if gate.Proof.Why == "" {
		return sentence(proofWords(gate)) + "."
	}
	return sentence(proofWords(gate)) + ": " + code(gate.Proof.Why)
}

// change is one block, its document folded away; of a relabelling, which lets nobody in or out, everything is.
func (m *markdown) change(change review.Change) {
	text := &strings.Builder{}
	relabelled := change.Kind == review.KindRelabelled
	switch {
	case relabelled && m.brief:
		fmt.Fprintf(text, "\n**%s**: %s (%s)\n", change.Kind, code(turn(change)), kindWords(change))
	case relabelled:
		fmt.Fprintf(text, "\n<details><summary><b>%s</b>: %s (%s)</summary>\n\n", change.Kind, element(turn(change)), kindWords(change))
		writeExample(text, change)
	default:
		fmt.Fprintf(text, "\n**%s**: %s (%s)\n\n", change.Kind, code(turn(change)), kindWords(change))
		writeExample(text, change)
	}
	if document := change.Inside; document != nil && !m.brief {
		if !relabelled {
			text.WriteString("\n<details><summary>The whole document</summary>\n")
		}
		text.WriteString("\n" + fenced("json", jsonOf(document.Document)) + "\n")
	}
	if !m.brief && (relabelled || change.Inside != nil) {
		text.WriteString("\n</details>\n")
	}
	m.blocks = append(m.blocks, text.String())
}

// writeExample lists the example of a change, its neighbour, and what was edited.
func writeExample(text *strings.Builder, change review.Change) {
	if w := change.Inside; w != nil {
		fmt.Fprintf(text, "- inside: %s: %s%s\n", code(offWords(w)), code(decided(w)), smallest(change))
		if next := change.Outside; next != nil {
			fmt.Fprintf(text, "- outside: %s: %s\n", code(nextTo(w, next)), code(decided(next)))
		}
	} else {
		text.WriteString("- inside: no example was found\n")
	}
	for _, cause := range change.Cause {
		fmt.Fprintf(text, "- cause: %s %s\n", code(causeWords(cause)), written(cause.Base, cause.Head))
	}
}

// fenced is a block of code that nothing in it ends.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}
