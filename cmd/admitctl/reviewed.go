package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// reviewed is everything that review has to tell.
type reviewed struct {
	review.Comparison
	Meanings   map[string]string `json:"meanings"`           // of changed thresholds, from the comments beside them
	Effects    map[string]string `json:"effects"`            // which decisions a changed threshold changes, in words
	Properties properties        `json:"properties"`         // of the gates that change
	Fixtures   *fixtureFlips     `json:"fixtures,omitempty"` // nil where none were decided
	Recorded   []recorded        `json:"recorded"`           // a log each
	Failed     []string          `json:"failed"`             // what --fail-on named, and is there
	Unclear    []string          `json:"unclear"`            // what --fail-on named, and nobody could prove that it is not there

	fails failOn
	gates map[string]table.Origin // where the gates of the head are written
}

// fixtureFlips are the fixtures that both sides decided.
type fixtureFlips struct {
	Decided int           `json:"decided"`
	Failing []string      `json:"failing"` // files that the head does not decide as they want it
	Flips   []fixtureFlip `json:"flips"`
}

// fixtureFlip is a fixture that the two sides decide differently.
type fixtureFlip struct {
	File   string      `json:"file"`
	Gate   string      `json:"gate"`
	Kind   review.Kind `json:"kind"` // "" where the base gives no decision
	Change string      `json:"change"`
}

// recorded is what became of the decisions of a log.
type recorded struct {
	Log     string         `json:"log"`
	Records int            `json:"records"`
	Unread  int            `json:"unread"` // records that could not be decided again
	Drift   int            `json:"drift"`  // records whose result is not what the policies that they name decide
	Flips   []recordedFlip `json:"flips"`  // the most frequent first
}

// recordedFlip is one way in which recorded decisions change.
type recordedFlip struct {
	Gate  string         `json:"gate"`
	Kind  review.Kind    `json:"kind"`
	Base  review.Outcome `json:"base"`
	Head  review.Outcome `json:"head"`
	Count int            `json:"count"`
	Line  int            `json:"line"` // of the first of them
}

// kindOf is how a decision changes.
func kindOf(before, after bool) review.Kind {
	switch {
	case before == after:
		return review.KindRelabelled
	case after:
		return review.KindLoosened
	}
	return review.KindTightened
}

// conclude notes what --fail-on named and found.
func (r *reviewed) conclude() {
	r.Failed, r.Unclear = []string{}, []string{}
	for _, word := range r.fails {
		switch r.found(word) {
		case present:
			r.Failed = append(r.Failed, word)
		case unclear:
			r.Unclear = append(r.Unclear, word)
		}
	}
}

// found is what became of one word of --fail-on, in the comparison and in everything that was decided beside it.
func (r *reviewed) found(word string) finding {
	if word == failProperty {
		return r.Properties.found()
	}
	result := found(word, &r.Comparison)
	if result == present {
		return present
	}
	for _, kind := range r.flips() {
		if word == failAny || word == string(kind) || word == failUnproved && kind == "" {
			return present
		}
	}
	if word == failAny && r.Properties.found() == present {
		return present
	}
	return result
}

// flips are the kinds of everything that flipped beside the comparison.
func (r *reviewed) flips() []review.Kind {
	kinds := map[review.Kind]bool{}
	if r.Fixtures != nil {
		for _, flip := range r.Fixtures.Flips {
			kinds[flip.Kind] = true
		}
	}
	for _, log := range r.Recorded {
		for _, flip := range log.Flips {
			kinds[flip.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// flipWords tell one way in which recorded decisions change.
func flipWords(flip recordedFlip) string {
	return fmt.Sprintf("%d × %s: %s: %s", flip.Count, flip.Gate, flip.Kind, turn(review.Change{Base: flip.Base, Head: flip.Head}))
}

// logWords say what a log came to.
func logWords(log recorded) string {
	flips := 0
	for _, flip := range log.Flips {
		flips += flip.Count
	}
	words := fmt.Sprintf("%d of %s change", flips, count(log.Records, "recorded decision"))
	if log.Unread > 0 {
		words += fmt.Sprintf("; %d could not be decided again", log.Unread)
	}
	if log.Drift > 0 {
		words += fmt.Sprintf("; %d are not what the policies that they name decide", log.Drift)
	}
	return words
}

// fixtureWords say what the fixtures came to.
func fixtureWords(f *fixtureFlips) string {
	words := fmt.Sprintf("%d of %s flip", len(f.Flips), count(f.Decided, "fixture"))
	if len(f.Failing) > 0 {
		words += fmt.Sprintf("; %d not decided as wanted", len(f.Failing))
	}
	return words
}

// failWords say what --fail-on came to, "" where it named nothing.
func (r *reviewed) failWords() string {
	switch {
	case len(r.fails) == 0:
		return ""
	case len(r.Failed) > 0:
		return "fails, since this was asked for and is there: " + joined(r.Failed)
	case len(r.Unclear) > 0:
		return "no verdict, since nobody could prove that this is not there: " + joined(r.Unclear)
	}
	return "passes: there is nothing of " + joined(r.fails)
}
