package main

import (
	"fmt"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

// pretty writes comparisons for tired eyes.
type pretty struct {
	strings.Builder
	style   style
	verbose bool
}

// colour is that of a verdict: red lets more in, yellow keeps more out or is not known.
func (p *pretty) colour(verdict review.Verdict) string {
	switch verdict {
	case review.Equal:
		return p.style.good
	case review.Loosened, review.Mixed:
		return p.style.bad
	case review.Relabelled:
		return p.style.dim
	}
	return p.style.warn
}

// line writes one line; whatever it echoes stays on it.
func (p *pretty) line(indent int, text string, dim ...string) {
	p.WriteString(strings.Repeat("  ", indent) + oneLine(text))
	for _, more := range dim {
		if more != "" {
			p.WriteString("  " + p.style.dim + oneLine(more) + p.style.reset)
		}
	}
	p.WriteString("\n")
}

// oneLine is a text that goes on a line with others, whatever is in it.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(inputs.Printable(text))
}

// verdict is the first line: what it all comes to, and between whom.
func (p *pretty) verdict(c *review.Comparison) {
	fmt.Fprintf(&p.Builder, "%s%s%s: %s  %s%s → %s%s\n", p.colour(c.Verdict), strings.ToUpper(told(c.Verdict)), p.style.reset,
		oneLine(verdictOver(c)), p.style.dim, oneLine(c.Base.Name), oneLine(c.Head.Name), p.style.reset)
	if p.verbose {
		p.line(1, "base "+c.Base.Revision)
		p.line(1, "head "+c.Head.Revision)
	}
}

// edits are what was edited, of thresholds with what they mean and what they change where that is known.
func (p *pretty) edits(c *review.Comparison, effects, meanings map[string]string) {
	threshold := func(change review.ThresholdChange) {
		p.line(1, change.Path+" "+valueWords(change.From, change.To), places(change.Base, change.Head))
		if effect := effects[change.Path]; effect != "" {
			p.line(2, effect)
		}
		if said := meanings[change.Path]; said != "" {
			p.line(2, "", said)
		}
	}
	rule := func(change review.RuleChange) { p.line(1, ruleWords(change), places(change.Base, change.Head)) }
	many := func(words string) { p.line(1, words) }
	if len(c.Thresholds) > 0 {
		p.line(0, "thresholds")
	}
	if p.verbose {
		each(c.Thresholds, threshold)
	} else {
		listThresholds(c.Thresholds, threshold, many)
	}
	if len(c.Rules) > 0 {
		p.line(0, "rules")
	}
	if p.verbose {
		each(c.Rules, rule)
	} else {
		listRules(c.Rules, rule, many)
	}
}

func each[C any](all []C, one func(C)) {
	for _, change := range all {
		one(change)
	}
}

// gates are a block a gate that changes, and a line of those that do not.
func (p *pretty) gates(c *review.Comparison, quiet bool) {
	changed, equal := byVerdict(c)
	for _, name := range changed {
		gate := c.Gates[name]
		fmt.Fprintf(&p.Builder, "\n%s: %s%s%s\n", oneLine(name), p.colour(gate.Verdict), told(gate.Verdict), p.style.reset)
		for _, change := range gate.Changes {
			if change.Kind == review.KindRelabelled && gate.Verdict != review.Relabelled && !p.verbose {
				continue
			}
			p.change(change)
		}
		if !p.verbose && gate.Verdict != review.Relabelled {
			p.relabelled(gate.Changes)
		}
		p.line(1, because(proofWords(gate), gate.Proof.Why))
	}
	if len(equal) == 0 || quiet {
		return
	}
	if len(changed) > 0 {
		p.WriteString("\n")
	}
	if !p.verbose {
		fmt.Fprintf(&p.Builder, "%sequal%s, proved: %s\n", p.style.good, p.style.reset, oneLine(strings.Join(equal, ", ")))
		return
	}
	for _, name := range equal {
		fmt.Fprintf(&p.Builder, "%s: %sequal%s, %s\n", oneLine(name), p.style.good, p.style.reset, oneLine(proofWords(c.Gates[name])))
	}
}

// relabelled are, in a line each, the changes that let nobody in or out, beside those that do.
func (p *pretty) relabelled(changes []review.Change) {
	told := false
	for _, change := range changes {
		if change.Kind != review.KindRelabelled {
			continue
		}
		if !told {
			p.line(1, "relabelled besides, which lets nobody in or out (-v shows examples)")
			told = true
		}
		p.line(2, turn(change), kindWords(change))
	}
}

func because(words, why string) string {
	if why == "" {
		return words
	}
	return words + ": " + why
}

// change is a block: how the decision changes, the smallest example, its neighbour, and what was edited.
func (p *pretty) change(change review.Change) {
	fmt.Fprintf(&p.Builder, "  %s%s%s: %s  %s%s%s%s\n", p.colour(review.Verdict(change.Kind)), change.Kind, p.style.reset, oneLine(turn(change)), p.style.dim, kindWords(change), smallest(change), p.style.reset)
	p.witness(change)
	for i, cause := range change.Cause {
		label := ""
		if i == 0 {
			label = "cause"
		}
		p.line(2, fmt.Sprintf("%-8s %s", label, causeWords(cause)), places(cause.Base, cause.Head))
	}
	if len(change.Cause) == 0 {
		p.line(2, "cause    none of the edits alone")
	}
}

// witness is the inside and the outside of a change.
func (p *pretty) witness(change review.Change) {
	if change.Inside == nil {
		p.line(2, "inside   no example was found")
		return
	}
	p.line(2, "inside   "+offWords(change.Inside)+": "+decided(change.Inside))
	if p.verbose {
		p.line(2, "         "+jsonOf(change.Inside.Document))
	}
	if change.Outside == nil {
		p.line(2, "outside  none: every document next to it changes so too")
		return
	}
	p.line(2, "outside  "+nextTo(change.Inside, change.Outside)+": "+decided(change.Outside))
	if p.verbose {
		p.line(2, "         "+jsonOf(change.Outside.Document))
	}
}
