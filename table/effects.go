package table

import (
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// CheckEffects wants the effects of a decision to be exactly those of its document, whatever the rules say: a shed on the
// borrowed plane never changes the primary plane's retry budget, since no edit of a policy can name another effect than
// these. Its error is an [ErrEffects].
func CheckEffects(document inputs.Document, admit bool, effects []Effect) error {
	if !admit {
		return wanted(effects)
	}
	switch d := document.(type) {
	case *inputs.Fence:
		deeper := Effect{Plane: d.Primary.Name, Counter: CounterDepth, Delta: 1}
		if borrow, _ := d.Borrow.Get(); borrow && d.Borrowed != nil {
			return wanted(effects, deeper, Effect{Plane: d.Borrowed.Name, Counter: CounterDepth, Delta: 1})
		}
		return wanted(effects, deeper)
	case *inputs.Retry:
		if d.CreatedOn != d.Charge.Name {
			return fmt.Errorf("%w: it admits a retry that %q created and %q would pay for", ErrEffects, d.CreatedOn, d.Charge.Name)
		}
		return wanted(effects, Effect{Plane: d.Charge.Name, Counter: CounterRetryBudget, Delta: -1})
	}
	return wanted(effects)
}

// usual says which documents have the effects of a way to admit, where that can be told without comparing them: then
// nothing has to be compared for each document.
type usual uint8

const (
	unusual  usual = iota // compare
	none                  // documents of gates without effects
	alone                 // fences that borrow nothing
	borrowed              // fences that borrow
	paid                  // retries that their creator pays for
)

// usually is what documents a way to admit fits.
func usually(gate string, places []inputs.Place, effects []EffectOfRow) usual {
	deepens := func(effect EffectOfRow, name string) bool {
		return effect == EffectOfRow{Text: slotOf(places, name), Counter: CounterDepth, Delta: 1}
	}
	switch {
	case gate == "fence" && len(effects) == 1 && deepens(effects[0], "primary.name"):
		return alone
	case gate == "fence" && len(effects) == 2 && deepens(effects[0], "primary.name") && deepens(effects[1], "borrowed.name"):
		return borrowed
	case gate == "fence.retry" && len(effects) == 1 && effects[0] == EffectOfRow{Text: slotOf(places, "charge.name"), Counter: CounterRetryBudget, Delta: -1}:
		return paid
	case gate != "fence" && gate != "fence.retry" && len(effects) == 0:
		return none
	}
	return unusual
}

func slotOf(places []inputs.Place, name string) uint16 {
	for _, place := range places {
		if place.Name == name {
			return uint16(place.Slot)
		}
	}
	return MaxNodes
}

// fits reports that a document has the effects of such a way; where it is false they must be compared.
func (u usual) fits(document inputs.Document) bool {
	switch d := document.(type) {
	case *inputs.Fence:
		borrow, _ := d.Borrow.Get()
		return u == alone && !borrow || u == borrowed && borrow && d.Borrowed != nil
	case *inputs.Retry:
		return u == paid && d.CreatedOn == d.Charge.Name
	}
	return u == none
}

// wanted holds effects against those that must be there, in any order.
func wanted(effects []Effect, want ...Effect) error {
	same := len(want) == len(effects)
	for i := range want {
		same = same && (effects[i] == want[i] || slices.Contains(effects, want[i]))
	}
	if !same {
		return fmt.Errorf("%w: its effects are %v, and must be %v", ErrEffects, slices.Clone(effects), slices.Clone(want))
	}
	return nil
}
