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
