package engine

import (
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// exactEffects are the effects that an admitted document has, whatever the rules say: a shed on the borrowed plane
// never changes the primary plane's retry budget, since no edit of a policy can name another effect than these.
func exactEffects(document inputs.Document) ([]Effect, error) {
	switch d := document.(type) {
	case *inputs.Fence:
		effects := []Effect{{Plane: d.Primary.Name, Counter: CounterDepth, Delta: 1}}
		if borrow, _ := d.Borrow.Get(); borrow {
			effects = append(effects, Effect{Plane: d.Borrowed.Name, Counter: CounterDepth, Delta: 1})
		}
		return effects, nil
	case *inputs.Retry:
		if d.CreatedOn != d.Charge.Name {
			return nil, fmt.Errorf("%w: it admits a retry that %q created and %q would pay for", ErrEvaluation, d.CreatedOn, d.Charge.Name)
		}
		return []Effect{{Plane: d.Charge.Name, Counter: CounterRetryBudget, Delta: -1}}, nil
	}
	return nil, nil
}

// checkEffects wants the effects of a decision to be exactly those of its document.
func checkEffects(document inputs.Document, decision *Decision) error {
	var want []Effect
	if decision.Admit {
		var err error
		if want, err = exactEffects(document); err != nil {
			return err
		}
	}
	same := len(want) == len(decision.Effects)
	for _, effect := range want {
		same = same && slices.Contains(decision.Effects, effect)
	}
	if !same {
		return fmt.Errorf("%w: its effects are %v, and must be %v", ErrEvaluation, decision.Effects, want)
	}
	return nil
}
