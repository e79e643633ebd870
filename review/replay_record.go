package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/journal"
	"github.com/admitctl/admitctl/table"
)

// replayer decides records, one after the other, into places that it uses again.
type replayer struct {
	*replay
	counts             counts
	record             journal.Record
	base, head, logged table.Decision
	text               []byte
	file               string
	line               int
	sequence           int
}

func (r *replay) worker() *replayer { return &replayer{replay: r, counts: newCounts()} }

func (w *replayer) work(ctx context.Context, b *rawBatch) {
	from := 0
	w.file = b.file
	for i, raw := range b.records {
		w.sequence, w.line = b.sequence+i, raw.line
		w.counts.records++
		if err := raw.err; err != nil {
			w.fails(CauseBroken, err)
		} else if cause, err := w.one(ctx, b.text[from:raw.end]); err != nil {
			w.fails(cause, err)
		}
		from = raw.end
	}
}

// fails counts a record that cannot be decided again.
func (w *replayer) fails(cause ReplayCause, err error) {
	problem := err.Error()
	var broken *journal.Error
	if errors.As(err, &broken) {
		problem = broken.Problem // without the place, which stands beside it
	}
	w.counts.fails(cause, UnreplayableEntry{File: w.file, Line: w.line, Problem: problem, sequence: w.sequence}, w.options.Most)
}

// one decides one record again, and counts what came of it, or says why that cannot be.
func (w *replayer) one(ctx context.Context, text []byte) (ReplayCause, error) {
	if err := journal.Parse(journal.Raw{File: w.file, Line: w.line, Text: text}, &w.record); err != nil {
		return CauseBroken, err
	}
	gate := w.record.Gate()
	switch {
	case w.record.Input == nil && slices.Contains(w.record.Erased, "/input"):
		return CauseErased, errors.New("its input was erased")
	case w.record.Input == nil:
		return CauseNoInput, errors.New("it has no input: the document could not be read when it was decided")
	case gate == "" && w.record.Path != "":
		return CauseGate, fmt.Errorf("%.80q is not the path of a gate's decision", w.record.Path)
	}
	document, cause, err := w.decide(ctx, w.replay.head, nil, &w.head)
	if err != nil {
		return cause, err
	}
	if w.replay.base != nil {
		if _, cause, err = w.decide(ctx, w.replay.base, document, &w.base); err != nil {
			return cause, err
		}
	}
	return w.compare()
}

// decide decides the document of the record by one side. The document of a core gate is the same for both, and read once.
func (w *replayer) decide(ctx context.Context, side *replayedSide, document inputs.Document, d *table.Decision) (inputs.Document, ReplayCause, error) {
	r := &w.record
	if _, custom := document.(*inputs.Custom); custom || document == nil {
		var err error
		if document, err = inputs.Decode(r.Input, inputs.Source{Gate: r.Gate(), Schemas: side.schemas}); err != nil {
			return nil, w.undecodable(err), side.wrong(err)
		}
	}
	gate := document.Gate()
	switch _, there := side.gates[gate]; {
	case !there:
		return nil, CauseGate, side.wrong(fmt.Errorf("there is no gate %q", gate))
	case r.Path != "" && gate != r.Gate():
		return nil, CauseGate, fmt.Errorf("its path is that of %s, and its input is one of %s", r.Gate(), gate)
	}
	for _, pointer := range r.Erased {
		if side.reads(gate, pointer) {
			return nil, CauseErased, side.wrong(fmt.Errorf("%.80s was erased, and the gate reads it", pointer))
		}
	}
	for _, pointer := range r.Masked {
		if side.reads(gate, pointer) {
			return nil, CauseMasked, side.wrong(fmt.Errorf("%.80s was masked, and the gate reads it", pointer))
		}
	}
	// A reject that nobody decided (see [engine.Program.Decide]) is a decision too: it is what a service would answer.
	_ = side.program.DecideInto(ctx, document, d)
	if ctx.Err() != nil {
		return nil, CauseInput, context.Cause(ctx) // the replay ends, and tells why
	}
	return document, "", nil
}

// undecodable is why the input is no document: what was taken out of it, if anything was.
func (w *replayer) undecodable(err error) ReplayCause {
	isInput := func(pointer string) bool { return strings.HasPrefix(pointer, "/input/") }
	switch {
	case errors.Is(err, inputs.ErrUnknownGate):
		return CauseGate
	case slices.ContainsFunc(w.record.Erased, isInput):
		return CauseErased
	case slices.ContainsFunc(w.record.Masked, isInput):
		return CauseMasked
	}
	return CauseInput
}

// compare holds the decisions against each other, and against what was logged.
func (w *replayer) compare() (ReplayCause, error) {
	own := w.named()
	base := &w.base
	agrees := true
	if own != nil || w.replay.base == nil {
		held := own
		if held == nil {
			held = &w.head
		}
		var cause ReplayCause
		var err error
		if agrees, cause, err = w.agrees(held); err != nil {
			return cause, err
		}
		if w.replay.base == nil {
			base = &w.head
			if !agrees {
				base = &w.logged
			}
		}
	}
	changed := !sameDecision(base, &w.head)
	if own == nil {
		w.counts.other++
	} else {
		w.counts.compared++
		if !agrees {
			w.counts.drift.count(w, &w.logged, own, true)
		}
		if w.replay.base == nil {
			changed = false // what differs has drifted, and no policies have changed
		}
	}
	w.counts.decided(w, base, changed)
	return "", nil
}

// named is the decision of the side whose revision the record names, nil where it names neither.
func (w *replayer) named() *table.Decision {
	switch {
	case w.record.Revision == w.replay.head.revision:
		return &w.head
	case w.replay.base != nil && w.record.Revision == w.replay.base.revision:
		return &w.base
	}
	return nil
}

// agrees reports whether what was logged is the decision d, but for the revision. What was logged is read where it is not
// what d is written as.
func (w *replayer) agrees(d *table.Decision) (bool, ReplayCause, error) {
	r := &w.record
	revision := d.Policy.Revision
	d.Policy.Revision = r.Revision
	w.text = d.AppendJSON(w.text[:0])
	d.Policy.Revision = revision
	if bytes.Equal(w.text, r.Result) {
		return true, "", nil
	}
	if pointer := takenFrom(r, "/result"); pointer != "" {
		return false, CauseMasked, fmt.Errorf("%.80s of its result was taken out", pointer)
	}
	if r.Result == nil {
		return false, CauseResult, errors.New("it has no result")
	}
	if err := journal.Decision(r.Result, &w.logged); err != nil {
		return false, CauseResult, err
	}
	return sameDecision(&w.logged, d), "", nil
}

// takenFrom is the first part of a record's input or result that was masked or erased; the text of an error is none.
func takenFrom(r *journal.Record, part string) string {
	for _, pointers := range [2][]string{r.Erased, r.Masked} {
		for _, pointer := range pointers {
			if rest, ok := strings.CutPrefix(pointer, part); ok && (rest == "" || rest[0] == '/') && rest != "/error" {
				return pointer
			}
		}
	}
	return ""
}

// sameDecision compares decisions but for the policies that they name and the texts of errors.
func sameDecision(a, b *table.Decision) bool {
	return a.Admit == b.Admit && a.Reason == b.Reason && a.Action == b.Action && a.Gate == b.Gate &&
		slices.Equal(a.Violations, b.Violations) && slices.Equal(a.Effects, b.Effects) && slices.Equal(a.Unknown, b.Unknown)
}
