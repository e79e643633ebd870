package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/review"
)

// properties are what every gate must have, of the gates that change: what does not change loses nothing.
type properties struct {
	Proved int        `json:"proved"`
	Lost   []property `json:"lost"` // refuted, and they were not before
	Open   []property `json:"open"` // neither: unproved, refuted before too, or switched off by thresholds
}

// property is one that was not proved of the head.
type property struct {
	Gate string        `json:"gate"`
	Base review.Status `json:"base,omitempty"` // what it was before; "" where nobody asked, or it is new
	review.Finding
	changed bool // it is another one than before
}

// unclear reports whether the property may be lost, and nobody knows.
func (p property) unclear() bool {
	return p.Status != review.StatusRefuted && p.Status != review.StatusOff && p.Base != review.StatusRefuted
}

// examples are the documents that refute it, a line each.
func (p property) examples() []string {
	var lines []string
	switch {
	case p.After == nil:
	case p.Before == nil:
		lines = append(lines, jsonOf(p.After.Document)+": "+inShort(p.After.Decision))
	default:
		lines = append(lines, jsonOf(p.Before.Document)+": "+inShort(p.Before.Decision))
		differs := nextTo(&review.Witness{Document: p.Before.Document}, &review.Witness{Document: p.After.Document})
		lines = append(lines, "with "+differs+": "+inShort(p.After.Decision))
	}
	return lines
}

// proveProperties asks which properties the head has lost. The base is asked too where the head does not have all of them.
func proveProperties(ctx context.Context, c *review.Comparison, base, head review.Side, o review.Options) (properties, error) {
	made := properties{Lost: []property{}, Open: []property{}}
	changed, _ := byVerdict(c)
	if len(changed) == 0 {
		return made, nil
	}
	o.Gates = changed
	after, err := review.Prove(ctx, head, o)
	if err != nil {
		return made, err
	}
	before := review.Properties{}
	if after.Count(review.StatusRefuted)+after.Count(review.StatusUnproved) > 0 {
		if before, err = review.Prove(ctx, base, o); err != nil {
			return made, err
		}
	}
	for _, gate := range slices.Sorted(maps.Keys(after.Gates)) {
		for _, finding := range after.Gates[gate] {
			made.add(c, property{Gate: gate, Finding: finding, Base: statusOf(before.Gates[gate], finding)})
		}
	}
	return made, nil
}

// statusOf is what a claim was among findings, which may be told of the whole gate where nobody could tell more.
func statusOf(findings []review.Finding, claim review.Finding) review.Status {
	for _, finding := range findings {
		if finding.Claim == claim.Claim && (finding.Of == claim.Of && (finding.Action == claim.Action || finding.Action == "") || finding.Of == "") {
			return finding.Status
		}
	}
	return ""
}

func (all *properties) add(c *review.Comparison, own property) {
	switch own.Status {
	case review.StatusProved:
		all.Proved++
		return
	case review.StatusRefuted:
		if own.Base != review.StatusRefuted {
			all.Lost = append(all.Lost, own)
			return
		}
	case review.StatusOff:
		own.changed = slices.ContainsFunc(own.Off, func(path string) bool {
			return slices.ContainsFunc(c.Thresholds, func(change review.ThresholdChange) bool { return change.Path == path })
		})
	default:
		own.changed = own.Base != own.Status
	}
	all.Open = append(all.Open, own)
}

// fewer are those of which less is known than before, or that thresholds have switched off.
func (all properties) fewer() []property {
	return slices.DeleteFunc(slices.Clone(all.Open), func(own property) bool { return !own.changed })
}

// found is what became of --fail-on property.
func (all properties) found() finding {
	if len(all.Lost) > 0 {
		return present
	}
	return unclearIf(slices.ContainsFunc(all.Open, property.unclear))
}

// words say what the properties come to, "" where no gate changes.
func (all properties) words() string {
	if all.Proved+len(all.Lost)+len(all.Open) == 0 {
		return ""
	}
	words := []string{counted(all.Proved, "property", "properties") + " proved"}
	statuses := map[review.Status]int{}
	for _, own := range all.Open {
		statuses[own.Status]++
	}
	for _, one := range []struct {
		number int
		words  string
	}{{len(all.Lost), "lost"}, {statuses[review.StatusRefuted], "refuted as before"}, {statuses[review.StatusUnproved] + statuses[""], "unproved"}, {statuses[review.StatusOff], "switched off by thresholds"}} {
		if one.number > 0 {
			words = append(words, fmt.Sprintf("%d %s", one.number, one.words))
		}
	}
	return strings.Join(words, ", ")
}
