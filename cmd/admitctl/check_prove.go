package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/review"
)

// prove finds out which properties the gates have, one gate after the other, and adds a warning for each that one has not.
func (c *checked) prove(ctx context.Context, flags *common, options review.Options, to stdio) error {
	gates := c.Program.Gates()
	if flags.gate != "" {
		if !slices.Contains(gates, flags.gate) {
			return fmt.Errorf("--gate: there is no gate %q; one of %s", flags.gate, strings.Join(gates, ", "))
		}
		gates = []string{flags.gate}
	}
	c.proved = &review.Properties{Gates: map[string][]review.Finding{}}
	for i, gate := range gates {
		done := progress(to, flags, fmt.Sprintf("proving the properties of gate %s (%d of %s)", gate, i+1, count(len(gates), "gate")))
		options.Gates = []string{gate}
		found, err := review.Prove(ctx, review.Side{Name: c.from, Program: c.Program}, options)
		done()
		if err != nil {
			return fmt.Errorf("--prove: %w", err)
		}
		c.proved.Policies, c.proved.Gates[gate] = found.Policies, found.Gates[gate]
		for _, finding := range found.Gates[gate] {
			if finding.Status == review.StatusRefuted {
				c.Warnings = append(c.Warnings, c.lacks(gate, finding))
			}
		}
	}
	return nil
}

// lacks is the warning that a gate has not a property, at the row whose reason is dead, or at the gate.
func (c *checked) lacks(gate string, finding review.Finding) engine.Problem {
	own, _ := c.Program.Gate(gate)
	warning := engine.Problem{File: own.File, Line: own.Line, Column: 1, Problem: gate + ": " + finding.Words(), Kind: engine.ErrProperty}
	for _, check := range own.Checks {
		if finding.Claim == review.ClaimReason && check.Reason == finding.Of {
			warning.File, warning.Line = check.File, check.Line
			break
		}
	}
	if finding.Why != "" {
		warning.Problem += ": " + finding.Why
	}
	if finding.Before != nil {
		warning.Problem += fmt.Sprintf(": %s is rejected with %s, and %s is admitted with %s", jsonOf(finding.Before.Document), finding.Before.Decision.Reason, jsonOf(finding.After.Document), finding.After.Decision.Reason)
	} else if finding.After != nil {
		warning.Problem += ": " + jsonOf(finding.After.Document)
	}
	return warning
}

// refuted reports whether a property is refuted.
func (c checked) refuted() bool { return c.proved != nil && c.proved.Count(review.StatusRefuted) > 0 }

// unproved reports whether a property is neither proved nor refuted.
func (c checked) unproved() bool { return c.proved != nil && c.proved.Count(review.StatusUnproved) > 0 }

// properties is a line about the properties of each gate, and below it those that are neither proved nor refuted: what is
// refuted is a warning. With verbose every property has a line.
func (c checked) properties(verbose bool) string {
	if c.proved == nil {
		return ""
	}
	var text strings.Builder
	for _, gate := range c.Program.Gates() {
		findings, ok := c.proved.Gates[gate]
		if !ok {
			continue
		}
		counts := map[review.Status]int{}
		for _, finding := range findings {
			counts[finding.Status]++
		}
		fmt.Fprintf(&text, "gate %s: %d of %s proved", gate, counts[review.StatusProved], counted(len(findings), "property", "properties"))
		for _, status := range []review.Status{review.StatusOff, review.StatusUnproved, review.StatusRefuted} {
			if counts[status] > 0 {
				fmt.Fprintf(&text, ", %d %s", counts[status], status)
			}
		}
		text.WriteByte('\n')
		for _, finding := range together(findings, verbose) {
			text.WriteString("  " + finding.String() + "\n")
		}
	}
	return text.String()
}

// together are the findings that have a line, of those that nobody could prove one for all that are alike.
func together(findings []review.Finding, verbose bool) []review.Finding {
	if verbose {
		return findings
	}
	var all []review.Finding
	for _, finding := range findings {
		if finding.Status != review.StatusOff && finding.Status != review.StatusUnproved {
			continue
		}
		at := slices.IndexFunc(all, func(f review.Finding) bool {
			return finding.Status == review.StatusUnproved && f.Status == finding.Status && f.Claim == finding.Claim && f.Why == finding.Why
		})
		if at >= 0 {
			all[at].Of += ", " + finding.Of
			continue
		}
		all = append(all, finding)
	}
	return all
}

// counted is count of a noun whose plural is another word.
func counted(number int, noun, plural string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", number, plural)
}
