package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/admitctl/admitctl/engine"
)

// tally is what came of documents.
type tally struct {
	admits  int
	rejects int
	refused int
	wrong   bool // an argument gave no documents
	counts  map[label]int
}

// label is what the summary counts decisions by.
type label struct{ gate, reason string }

func (t *tally) count(decision *engine.Decision) {
	if t.counts == nil {
		t.counts = map[label]int{}
	}
	t.counts[label{cmp.Or(decision.Gate, "-"), decision.Reason}]++
}

// add puts the counts of another tally to these.
func (t *tally) add(other tally) {
	t.admits += other.admits
	t.rejects += other.rejects
	t.refused += other.refused
	t.wrong = t.wrong || other.wrong
	if t.counts == nil {
		t.counts = map[label]int{}
	}
	for key, count := range other.counts {
		t.counts[key] += count
	}
}

func (t *tally) code() int {
	switch {
	case t.wrong || t.refused > 0:
		return exitNoVerdict
	case t.rejects > 0:
		return exitReject
	}
	return exitAdmit
}

// summarise prints the counts by gate and reason, most frequent first, and the sheds per hundred decided documents.
func (t *tally) summarise(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(table); err != nil {
		return err
	}
	labels := slices.SortedFunc(maps.Keys(t.counts), func(a, b label) int {
		return cmp.Or(cmp.Compare(a.gate, b.gate), cmp.Compare(t.counts[b], t.counts[a]), cmp.Compare(a.reason, b.reason))
	})
	for _, label := range labels {
		if _, err := fmt.Fprintf(table, "%s\t%s\t%d\n", label.gate, label.reason, t.counts[label]); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	sheds := "no document was decided"
	if decided := t.admits + t.rejects; decided > 0 {
		sheds = fmt.Sprintf("%.1f sheds per hundred", 100*float64(t.rejects)/float64(decided))
	}
	_, err := fmt.Fprintf(out, "%d documents: %d admitted, %d shed, %d not decided; %s\n",
		t.admits+t.rejects+t.refused, t.admits, t.rejects, t.refused, sheds)
	return err
}
