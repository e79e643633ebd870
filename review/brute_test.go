package review_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

// alteration is how the decision of a document changes: what a [review.Change] names. Of what is only listed or shown
// differently the outcomes stay empty.
type alteration struct {
	kind       review.Kind
	part       review.Part
	base, head review.Outcome
}

// altered compares two decisions whole, but for the revision that they name; false where they are the same.
func altered(base, head engine.Decision) (alteration, bool) {
	outcome := func(d engine.Decision) review.Outcome {
		return review.Outcome{Admit: d.Admit, Reason: d.Reason, Action: d.Action}
	}
	reasons := func(d engine.Decision) []string {
		var all []string
		for _, v := range d.Violations {
			all = append(all, v.Reason)
		}
		return all
	}
	a := alteration{kind: review.KindRelabelled, base: outcome(base), head: outcome(head)}
	switch {
	case !base.Admit && head.Admit:
		a.kind = review.KindLoosened
	case base.Admit && !head.Admit:
		a.kind = review.KindTightened
	case base.Reason != head.Reason:
		a.part = review.PartReason
	case base.Action != head.Action:
		a.part = review.PartAction
	case !slices.Equal(base.Effects, head.Effects):
		a.part = review.PartEffects
	case !slices.Equal(reasons(base), reasons(head)):
		return alteration{kind: a.kind, part: review.PartViolations}, true
	case !slices.Equal(base.Unknown, head.Unknown):
		return alteration{kind: a.kind, part: review.PartUnknown}, true
	case !slices.Equal(base.Violations, head.Violations) || base.Error != head.Error:
		return alteration{kind: a.kind, part: review.PartValues}, true
	default:
		return alteration{}, false
	}
	return a, true
}

// opinions are what OPA decides, kept so that no document is decided twice by the same policies.
type opinions map[string]engine.Decision

func (o opinions) ask(t *testing.T, program *engine.Program, document inputs.Document) engine.Decision {
	t.Helper()
	text, err := json.Marshal(document)
	require.NoError(t, err)
	key := program.Revision() + string(text)
	decision, ok := o[key]
	if !ok {
		decision, err = program.Ask(t.Context(), document)
		require.Equal(t, err != nil, decision.Error != "")
		o[key] = decision
	}
	return decision
}

// truth is what every document of a small domain comes to.
type truth struct {
	documents int
	nearest   map[alteration]off
}

// verdict is the word for all of it.
func (b truth) verdict() review.Verdict {
	seen := map[review.Kind]bool{}
	for a := range b.nearest {
		seen[a.kind] = true
	}
	switch {
	case seen[review.KindLoosened] && seen[review.KindTightened]:
		return review.Mixed
	case seen[review.KindLoosened]:
		return review.Loosened
	case seen[review.KindTightened]:
		return review.Tightened
	case seen[review.KindRelabelled]:
		return review.Relabelled
	}
	return review.Equal
}

// bruteForce lets OPA decide all documents on both sides.
func bruteForce(t *testing.T, o opinions, base, head *engine.Program, documents []inputs.Document, nominal inputs.Document) truth {
	t.Helper()
	b := truth{documents: len(documents), nearest: map[alteration]off{}}
	for _, document := range documents {
		a, changes := altered(o.ask(t, base, document), o.ask(t, head, document))
		if !changes {
			continue
		}
		at := offOf(document, nominal)
		if known, ok := b.nearest[a]; !ok || at.less(known) {
			b.nearest[a] = at
		}
	}
	return b
}
