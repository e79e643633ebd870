package review

import (
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// Counterfactual is what it would take to turn the decision of a document over: of a reject, to admit, and of an admit, to
// reject.
type Counterfactual struct {
	Admit   bool     `json:"admit"`            // what it would turn to
	Signals *Turned  `json:"signals"`          // by the smallest change of signals; nil where none was found
	Proof   Proof    `json:"proof"`            // complete: that no change of signals is smaller, or, where none was found, that none turns it
	Fields  *Turned  `json:"fields"`           // where none was found: by the smallest change of any fields; nil where none was found either
	Beyond  *Proof   `json:"beyond,omitempty"` // of Fields, as Proof is of Signals; nil where nobody looked for any
	Fixed   []string `json:"fixed"`            // reasons of violated checks that read no signal: what they do read must change
}

// Turned is a document that is decided the other way, by OPA.
type Turned struct {
	Document inputs.Document `json:"document"`
	Decision engine.Decision `json:"decision"`
	Changes  []FieldChange   `json:"changes"`  // in the order of the gate's fields; as few as were found
	Distance int64           `json:"distance"` // sum of how far they go: of numbers that are known the difference, else 1 each
}

// FieldChange is a field that is not as in the document that was asked about.
type FieldChange struct {
	Field string        `json:"field"`
	From  *inputs.Value `json:"from,omitempty"` // null where it is unknown, nil where it is not there
	To    *inputs.Value `json:"to,omitempty"`
}

// turned lets OPA decide what was found.
func (t *turning) turned(flat *inputs.Flat) (*Turned, error) {
	made := &Turned{Document: t.space.document(flat), Distance: t.space.from(flat, &t.nominal).sum}
	var err error
	if made.Decision, err = t.side.Program.Ask(t.ctx, made.Document); err != nil {
		return nil, err
	}
	if made.Decision.Admit == t.was.Admit {
		return nil, fmt.Errorf("gate %s: a document that its table decides the other way is decided by OPA as before: report it, with the policies", t.gate.Name)
	}
	for i, place := range t.space.places {
		if !place.Object && t.space.off(flat, &t.nominal, i) {
			made.Changes = append(made.Changes, FieldChange{Field: place.Name, From: valueAt(&t.nominal, i, place), To: valueAt(flat, i, place)})
		}
	}
	return made, nil
}

// valueAt is what a document holds of a property, nil where it is not there.
func valueAt(flat *inputs.Flat, i int, place inputs.Place) *inputs.Value {
	bit := uint64(1) << i
	switch {
	case flat.Given&bit == 0:
		return nil
	case flat.Known&bit == 0:
		return &inputs.Value{}
	}
	made := inputs.Value{Kind: place.Kind}
	switch place.Kind {
	case inputs.KindNumber:
		made.Number = flat.Numbers[place.Slot]
	case inputs.KindText:
		made.Text = flat.Texts[place.Slot]
	case inputs.KindFlag:
		made.Flag = flat.True&bit != 0
	}
	return &made
}

// fixedReasons are those of the violations whose checks read no signal.
func (t *turning) fixedReasons() []string {
	fixed := []string{}
	for _, violation := range t.was.Violations {
		reads := slices.ContainsFunc(t.gate.Checks, func(check engine.Check) bool {
			return check.Reason == violation.Reason && slices.ContainsFunc(t.gate.Properties, func(p inputs.Property) bool { return p.Signal && slices.Contains(check.Fields, p.Name) })
		})
		if !reads {
			fixed = append(fixed, violation.Reason)
		}
	}
	return fixed
}
