package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
)

// planTarget names OPA's target that gives the plan of a query and evaluates nothing.
const planTarget = "admitctl/plan"

// registered makes OPA know the target, once a process: OPA hands its plans to targets alone, and keeps a table of them
// (ADR 11). The target has no state; a plan goes to the context of whoever asks.
var registered = sync.OnceFunc(func() { rego.RegisterPlugin(planTarget, planning{}) })

type planning struct{}

type planKey struct{}

// IsTarget knows the one name.
func (planning) IsTarget(name string) bool { return name == planTarget }

// PrepareForEval puts the plan where the context says.
func (planning) PrepareForEval(ctx context.Context, plan *ir.Policy, _ ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	into, ok := ctx.Value(planKey{}).(**ir.Policy)
	if !ok {
		return nil, errors.New("the target " + planTarget + " is admitctl's own")
	}
	*into = plan
	return nil, nil
}

// planOf is OPA's plan of the decision of a gate.
func planOf(ctx context.Context, compiler *ast.Compiler, gate string) (*ir.Policy, error) {
	registered()
	var plan *ir.Policy
	ctx = context.WithValue(ctx, planKey{}, &plan)
	_, err := rego.New(rego.Compiler(compiler), rego.Target(planTarget), rego.Query("data.admission."+gate+".decision")).PrepareForEval(ctx)
	switch {
	case err != nil:
		return nil, err
	case plan == nil:
		return nil, errors.New("OPA gave no plan: its table of targets was reset")
	}
	return plan, nil
}
