package engine

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
)

func jsonNumber(number int64) json.Number { return json.Number(strconv.FormatInt(number, 10)) }

// readDecision turns what a gate answered into a Decision, and refuses one that is not of its shape or that
// contradicts itself.
func readDecision(gate string, term *ast.Term) (Decision, error) {
	object, ok := term.Value.(ast.Object)
	if !ok {
		return Decision{}, malformed("it is no object")
	}
	r := &decisionReader{}
	decision := Decision{
		Gate:       r.text(object, "gate"),
		Admit:      r.flag(object, "admit"),
		Reason:     r.text(object, "reason"),
		Action:     r.text(object, "action"),
		Violations: []Violation{},
		Effects:    []Effect{},
		Unknown:    []string{},
	}
	r.each(object, "violations", func(item *ast.Term) {
		decision.Violations = append(decision.Violations, r.violation(item))
	})
	r.each(object, "effects", func(item *ast.Term) {
		decision.Effects = append(decision.Effects, r.effect(item))
	})
	r.each(object, "unknown", func(item *ast.Term) {
		name, ok := item.Value.(ast.String)
		r.want(ok, "unknown names fields")
		decision.Unknown = append(decision.Unknown, string(name))
	})
	switch {
	case r.wrong != "":
		return Decision{}, malformed(r.wrong)
	case decision.Reason == ReasonUndefined:
		return Decision{}, fmt.Errorf("%w: a rule that every decision needs has no value for this document", ErrUndefined)
	case decision.Gate != gate:
		return Decision{}, malformed(fmt.Sprintf("it says it is of gate %q", decision.Gate))
	case decision.Reason == "" || decision.Action == "":
		return Decision{}, malformed("reason and action must be there")
	case decision.Admit != (len(decision.Violations) == 0):
		return Decision{}, malformed("a gate admits exactly when there are no violations")
	case !decision.Admit && decision.Reason != decision.Violations[0].Reason:
		return Decision{}, malformed("the reason of a reject is that of its first violation")
	}
	return decision, nil
}

func malformed(problem string) error {
	return fmt.Errorf("%w: the decision is malformed: %s", ErrEvaluation, problem)
}

// decisionReader keeps the first thing that is wrong.
type decisionReader struct{ wrong string }

func (r *decisionReader) want(ok bool, rule string) {
	if !ok && r.wrong == "" {
		r.wrong = rule
	}
}

func (r *decisionReader) field(object ast.Object, key string) inputs.Value {
	value, ok := valueOf(object.Get(ast.InternedTerm(key)))
	r.want(ok, key+" must be a scalar")
	return value
}

func (r *decisionReader) text(object ast.Object, key string) string {
	value := r.field(object, key)
	r.want(value.Kind == inputs.KindText, key+" must be a string")
	return value.Text
}

func (r *decisionReader) flag(object ast.Object, key string) bool {
	value := r.field(object, key)
	r.want(value.Kind == inputs.KindFlag, key+" must be true or false")
	return value.Flag
}

func (r *decisionReader) each(object ast.Object, key string, item func(*ast.Term)) {
	term := object.Get(ast.InternedTerm(key))
	if term == nil {
		r.want(false, key+" must be there")
		return
	}
	list, ok := term.Value.(*ast.Array)
	r.want(ok, key+" must be a list")
	if ok {
		list.Foreach(item)
	}
}

func (r *decisionReader) violation(item *ast.Term) Violation {
	object, ok := item.Value.(ast.Object)
	if !ok {
		r.want(false, "a violation must be an object")
		return Violation{}
	}
	return Violation{Reason: r.text(object, "reason"), Observed: r.field(object, "observed"), Limit: r.field(object, "limit")}
}

func (r *decisionReader) effect(item *ast.Term) Effect {
	object, ok := item.Value.(ast.Object)
	if !ok {
		r.want(false, "an effect must be an object")
		return Effect{}
	}
	delta := r.field(object, "delta")
	r.want(delta.Kind == inputs.KindNumber, "delta must be a whole number")
	return Effect{Plane: r.text(object, "plane"), Counter: r.text(object, "counter"), Delta: delta.Number}
}
