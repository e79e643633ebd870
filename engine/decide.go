package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/admitctl/admitctl/inputs"
)

// Decide decides one document. It is safe for concurrent use, never panics, and rejects whenever it cannot decide.
//
// It returns an error exactly when no gate decided, always together with a reject: an invalid document
// ([ReasonInvalidInput], an [inputs.ErrInvalid]), a gate without an answer ([ErrUndefined]), with two
// ([ErrConflict]), that failed or overreached ([ErrEvaluation]), or that ran out of time or whose ctx ended
// ([ErrTimeout]). A document that a gate rejects is no error.
func (p *Program) Decide(ctx context.Context, document inputs.Document) (Decision, error) {
	return p.decide(ctx, document)
}

func (p *Program) decide(ctx context.Context, document inputs.Document, more ...rego.EvalOption) (decision Decision, err error) {
	if p == nil {
		err := fmt.Errorf("%w: there is no program: Compile failed, or was not called", ErrEvaluation)
		return refuse("", ReasonError, "", err), err
	}
	name := ""
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%w: gate %s panicked: %v", ErrEvaluation, name, caught)
			decision = refuse(name, ReasonError, p.revision, err)
		}
	}()
	if document == nil {
		err := fmt.Errorf("%w: there is no document", inputs.ErrInvalid)
		return p.Invalid("", err), err
	}
	name = document.Gate()
	gate, ok := p.gates[name]
	if !ok {
		err := fmt.Errorf("%w: the policies have no gate %q", inputs.ErrUnknownGate, name)
		return p.Invalid(name, err), err
	}
	if document, err = p.accept(name, document); err != nil {
		return p.Invalid(name, err), err
	}
	term, err := evaluate(ctx, gate, inputOf(document), p.timeout, more...)
	if err == nil {
		decision, err = readDecision(name, term)
	}
	if err == nil {
		err = checkEffects(document, &decision)
	}
	if err != nil {
		err = fmt.Errorf("gate %s: %w", name, err)
		return refuse(name, reasonOf(err), p.revision, err), err
	}
	decision.Policy.Revision = p.revision
	return decision, nil
}

// accept is the document, if it is valid by the schema of its gate.
func (p *Program) accept(gate string, document inputs.Document) (inputs.Document, error) {
	if schema, ok := p.schemas[gate]; ok {
		return schema.Accept(document)
	}
	return document, document.Validate()
}

func reasonOf(err error) string {
	switch {
	case errors.Is(err, ErrUndefined):
		return ReasonUndefined
	case errors.Is(err, ErrConflict):
		return ReasonConflict
	case errors.Is(err, ErrTimeout):
		return ReasonTimeout
	}
	return ReasonError
}

// evaluate runs OPA, with a time limit, and gives the term that the entrypoint evaluates to.
func evaluate(ctx context.Context, gate rego.PreparedEvalQuery, input ast.Value, limit time.Duration, more ...rego.EvalOption) (*ast.Term, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	cancel := topdown.NewCancel()
	timer := time.AfterFunc(limit, cancel.Cancel)
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, cancel.Cancel)
		defer stop()
	}
	options := [8]rego.EvalOption{rego.EvalParsedInput(input), rego.EvalExternalCancel(cancel), rego.EvalMetrics(metrics.NoOp())}
	results, err := gate.Eval(context.WithoutCancel(ctx), append(options[:3], more...)...)
	inTime := timer.Stop()
	switch {
	case err != nil:
		return nil, evaluationError(ctx, err, limit)
	case !inTime: // it came, and after the limit all the same
		return nil, fmt.Errorf("%w: no decision within %s", ErrTimeout, limit)
	}
	if len(results) != 1 || len(results[0].Expressions) != 1 {
		return nil, fmt.Errorf("%w: it has no decision for this document", ErrUndefined)
	}
	term, ok := results[0].Expressions[0].Value.(*ast.Term)
	if !ok {
		return nil, fmt.Errorf("%w: it has no decision for this document", ErrUndefined)
	}
	return term, nil
}

func evaluationError(ctx context.Context, err error, limit time.Duration) error {
	var failed *topdown.Error
	if errors.As(err, &failed) {
		switch failed.Code {
		case topdown.CancelErr:
			if ctx.Err() != nil {
				return fmt.Errorf("%w: %w", ErrTimeout, context.Cause(ctx))
			}
			return fmt.Errorf("%w: no decision within %s", ErrTimeout, limit)
		case topdown.ConflictErr:
			return fmt.Errorf("%w: %w", ErrConflict, err)
		}
	}
	return fmt.Errorf("%w: %w", ErrEvaluation, err)
}

// keepTerm hands OPA's own term through, where rego would turn it into maps and slices.
func keepTerm(term *ast.Term, _ *rego.EvalContext) (any, error) { return term, nil }
