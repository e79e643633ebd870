package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// summarise prints the counts by gate and reason, most frequent first, and the sheds per hundred decided documents.
func (e *evaluation) summarise(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(table); err != nil {
		return err
	}
	for _, gate := range slices.Sorted(maps.Keys(e.counts)) {
		reasons := slices.SortedFunc(maps.Keys(e.counts[gate]), func(a, b string) int {
			return cmp.Or(cmp.Compare(e.counts[gate][b], e.counts[gate][a]), cmp.Compare(a, b))
		})
		for _, reason := range reasons {
			if _, err := fmt.Fprintf(table, "%s\t%s\t%d\n", gate, reason, e.counts[gate][reason]); err != nil {
				return err
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	sheds := "no document was decided"
	if decided := e.admits + e.rejects; decided > 0 {
		sheds = fmt.Sprintf("%.1f sheds per hundred", 100*float64(e.rejects)/float64(decided))
	}
	_, err := fmt.Fprintf(out, "%d documents: %d admitted, %d shed, %d not decided; %s\n",
		e.admits+e.rejects+e.refused, e.admits, e.rejects, e.refused, sheds)
	return err
}
