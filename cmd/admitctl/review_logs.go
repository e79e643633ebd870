package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/admitctl/admitctl/review"
)

// replayLogs decides recorded decisions by both sides, a log at a time.
func (r *reviewed) replayLogs(ctx context.Context, logs []review.Log, base, head review.Side) error {
	for _, log := range logs {
		replayed, err := review.Replay(ctx, []review.Log{log}, &base, head, review.ReplayOptions{Workers: runtime.GOMAXPROCS(0), Most: 1})
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		if replayed.Decided == 0 {
			return fmt.Errorf("--log: %s: no record could be decided again", log.Name)
		}
		r.Recorded = append(r.Recorded, recordedIn(log.Name, &replayed))
	}
	return nil
}

// recordedIn is what a replay says that a report needs.
func recordedIn(name string, replayed *review.Replayed) recorded {
	own := recorded{Log: name, Records: replayed.Records, Unread: replayed.Unreplayable.Count, Drift: replayed.Drift.Count, Flips: []recordedFlip{}}
	for gate, of := range replayed.Gates {
		for _, cell := range of.Cells {
			if cell.Changed == 0 || len(cell.Examples) == 0 {
				continue
			}
			first := cell.Examples[0]
			own.Flips = append(own.Flips, recordedFlip{
				Gate: gate, Kind: kindOf(first.Base.Admit, first.Head.Admit), Count: cell.Changed, Line: first.Line,
				Base: review.Outcome{Admit: first.Base.Admit, Reason: first.Base.Reason, Action: first.Base.Action},
				Head: review.Outcome{Admit: first.Head.Admit, Reason: first.Head.Reason, Action: first.Head.Action},
			})
		}
	}
	slices.SortFunc(own.Flips, func(a, b recordedFlip) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Line, b.Line))
	})
	return own
}

// recordedWords say how many recorded decisions flip as a threshold makes them, and what is proved of the rest; "" where
// there is nothing to say.
func (r *reviewed) recordedWords(path string) string {
	words := ""
	let := map[review.Kind]int{}
	caused, complete := false, true
	for name, gate := range r.Gates {
		for _, change := range causedBy(gate, path) {
			caused, complete = true, complete && gate.Proof.Complete
			for _, log := range r.Recorded {
				for _, flip := range log.Flips {
					if change.Part == "" && flip.Gate == name && flip.Kind == change.Kind && flip.Base.Reason == change.Base.Reason && flip.Head.Reason == change.Head.Reason {
						let[change.Kind] += flip.Count
					}
				}
			}
		}
	}
	records := 0
	for _, log := range r.Recorded {
		records += log.Records
	}
	for _, kind := range []review.Kind{review.KindLoosened, review.KindTightened} {
		if caused && records > 0 && (let[kind] > 0 || r.causes(path, kind)) {
			words += fmt.Sprintf("; %d of %s flip to %s", let[kind], count(records, "recorded decision"), map[review.Kind]string{review.KindLoosened: "admit", review.KindTightened: "reject"}[kind])
		}
	}
	if caused && complete {
		words += "; proved: nobody else is let in or out"
	}
	return words
}

// causes reports whether a threshold makes decisions change so.
func (r *reviewed) causes(path string, kind review.Kind) bool {
	for _, gate := range r.Gates {
		if slices.ContainsFunc(causedBy(gate, path), func(change review.Change) bool { return change.Kind == kind }) {
			return true
		}
	}
	return false
}
