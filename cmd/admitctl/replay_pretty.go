package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// writeReplayed writes a replay in one of its formats.
func writeReplayed(out output, r *review.Replayed, flags *replayFlags) error {
	if flags.format == "json" {
		return encodeJSON(out, r)
	}
	p := &pretty{style: out.style, verbose: flags.verbose}
	p.replayed(r, flags.quiet)
	_, err := io.WriteString(out, p.String())
	return err
}

// replayed tells the three counts, then what they are made of.
func (p *pretty) replayed(r *review.Replayed, quiet bool) {
	base, changes := "the log", "are decided otherwise than other policies have, as logged"
	if r.Base != nil {
		base, changes = r.Base.Name, "are decided otherwise by head than by base"
	}
	fmt.Fprintf(&p.Builder, "%s, %d decided again  %s%s → %s%s\n", count(r.Records, "record"), r.Decided, p.style.dim, oneLine(base), oneLine(r.Head.Name), p.style.reset)
	if p.verbose {
		if r.Base != nil {
			p.line(1, "base "+r.Base.Revision)
		}
		p.line(1, "head "+r.Head.Revision)
	}
	p.total("drift", r.Drift.Count, fmt.Sprintf("of %d that name these policies, are logged otherwise than they decide", r.Drift.Compared))
	p.total("changed", r.Changed, fmt.Sprintf("of %d, %s", r.Decided, changes))
	p.total("unreplayable", r.Unreplayable.Count, fmt.Sprintf("of %d, cannot be decided again", r.Records))
	if r.Other > 0 {
		p.line(1, fmt.Sprintf("of %d, %d are of other revisions", r.Decided, r.Other))
	}
	for _, torn := range r.Torn {
		p.line(1, p.style.warn+"torn"+p.style.reset+" "+oneLine(torn))
	}
	for _, cell := range r.Drift.Cells {
		p.cell("drift", &cell)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Gates)) {
		gate := r.Gates[name]
		if !quiet || gate.Changed > 0 {
			p.replayedGate(name, &gate, quiet)
		}
	}
	for _, failure := range r.Unreplayable.Causes {
		p.line(0, fmt.Sprintf("unreplayable: %s, %s", causeOfReplay(failure.Cause), count(failure.Count, "record")))
		for _, example := range failure.Examples {
			p.line(1, fmt.Sprintf("%s:%d: %s", example.File, example.Line, example.Problem))
		}
	}
}

func (p *pretty) total(name string, count int, words string) {
	colour := p.style.good
	if count > 0 {
		colour = p.style.bad
	}
	fmt.Fprintf(&p.Builder, "  %s%-12s %8d%s  %s\n", colour, name, count, p.style.reset, words)
}

// replayedGate is the confusion table of a gate.
func (p *pretty) replayedGate(name string, gate *review.ReplayedGate, quiet bool) {
	fmt.Fprintf(&p.Builder, "%s: %s, %d changed; %.1f → %.1f sheds per hundred\n", oneLine(name), count(gate.Records, "record"), gate.Changed, gate.Sheds.BasePerHundred, gate.Sheds.HeadPerHundred)
	var aligned bytes.Buffer
	columns := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, cell := range gate.Cells {
		if quiet && cell.Changed == 0 {
			continue
		}
		note := ""
		switch {
		case cell.Changed == 0:
			note = "as before"
		case cell.Base == cell.Head:
			note = fmt.Sprintf("%d with something else in the decision", cell.Changed)
		case cell.Changed < cell.Count:
			note = fmt.Sprintf("%d changed", cell.Changed)
		}
		_, _ = fmt.Fprintf(columns, "  %s\t→ %s\t%d\t%s\n", oneLine(cell.Base), oneLine(cell.Head), cell.Count, note)
	}
	_ = columns.Flush() // to memory
	for line := range strings.Lines(aligned.String()) {
		p.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for _, cell := range gate.Cells {
		if cell.Changed > 0 {
			p.cell("changed", &cell)
		}
	}
}

// cell lists the examples of a cell.
func (p *pretty) cell(what string, cell *review.ReplayedCell) {
	for _, example := range cell.Examples {
		p.line(1, fmt.Sprintf("%s %s:%d: %s", what, example.File, example.Line, bothDecided(&example.Base, &example.Head)), compact(example.Input))
	}
}

// bothDecided is how the two sides of an example decide.
func bothDecided(base, head *table.Decision) string {
	was, is := decidedInShort(base), decidedInShort(head)
	if was == is {
		return was + ", and something else in the decision"
	}
	return was + " → " + is
}

func decidedInShort(d *table.Decision) string {
	text := d.Reason + " (" + d.Action + ")"
	if len(d.Violations) > 0 {
		text += measured(d.Violations[0])
	}
	return text
}

func compact(text json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return string(text)
	}
	return out.String()
}

// causeOfReplay says in words why records cannot be decided again.
func causeOfReplay(cause review.ReplayCause) string {
	words := map[review.ReplayCause]string{
		review.CauseBroken:  "no records",
		review.CauseGate:    "of no gate that these policies have",
		review.CauseNoInput: "without an input",
		review.CauseErased:  "a field that the gate needs was erased",
		review.CauseMasked:  "a field that decides was masked",
		review.CauseInput:   "no documents of the gate as it is",
		review.CauseResult:  "the result is no decision",
	}
	if said := words[cause]; said != "" {
		return said
	}
	return string(cause)
}
