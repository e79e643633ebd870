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
	"github.com/admitctl/admitctl/table"
)

// Decide decides one document. It is safe for concurrent use, never panics, and rejects whenever it cannot decide.
//
// It returns an error exactly when no gate decided, always together with a reject: an invalid document
// ([ReasonInvalidInput], an [inputs.ErrInvalid]), a gate without an answer ([ErrUndefined]), with two
// ([ErrConflict]), that failed or overreached ([ErrEvaluation]), or that ran out of time or whose ctx ended
// ([ErrTimeout]). A document that a gate rejects is no error.
func (p *Program) Decide(ctx context.Context, document inputs.Document) (Decision, error) {
	var d Decision
	err := p.DecideInto(ctx, document, &d)
	return d, err
}

// DecideInto is [Program.Decide] that writes into d and reuses its lists: where the gate has a table (see
// [Program.Evaluators]), the second decision into the same d allocates nothing.
func (p *Program) DecideInto(ctx context.Context, document inputs.Document, d *Decision) (err error) {
	gate := p.ready(ctx, document)
	if gate == nil {
		if gate, document, err = p.open(ctx, document, d); err != nil {
			return err
		}
	}
	if gate.table != nil {
		err := gate.table.Answer(document, d)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, table.ErrOutside):
			err = fmt.Errorf("gate %s: %w: %w", gate.name, ErrEvaluation, err)
			d.Refuse(gate.name, ReasonError, p.revision, err)
			return err
		}
	}
	*d, err = p.ask(ctx, gate, document)
	return err
}

// Verdict is [Program.Decide] for a caller that wants no more than whether, why and what to do: where the gate has a
// table it allocates nothing.
func (p *Program) Verdict(ctx context.Context, document inputs.Document) (Verdict, error) {
	gate := p.ready(ctx, document)
	if gate == nil {
		var d Decision
		var err error
		if gate, document, err = p.open(ctx, document, &d); err != nil {
			return d.Verdict(), err
		}
	}
	if gate.table != nil {
		v, err := gate.table.Judge(document)
		switch {
		case err == nil:
			return v, nil
		case !errors.Is(err, table.ErrOutside):
			return v, fmt.Errorf("gate %s: %w: %w", gate.name, ErrEvaluation, err)
		}
	}
	d, err := p.ask(ctx, gate, document)
	return d.Verdict(), err
}

// ready is the gate of a valid document of a core gate while ctx lasts, and nil for whatever needs a closer look.
func (p *Program) ready(ctx context.Context, document inputs.Document) *gate {
	if p == nil || document == nil || ctx.Err() != nil {
		return nil
	}
	gate := p.core.of(document)
	if gate == nil || document.Validate() != nil {
		return nil
	}
	return gate
}

// of is the gate of a document of a core gate, nil for any other.
func (c *coreGates) of(document inputs.Document) *gate {
	switch document.(type) {
	case *inputs.Fence:
		return c.fence
	case *inputs.Retry:
		return c.retry
	case *inputs.Bind:
		return c.bind
	case *inputs.Compaction:
		return c.compaction
	case *inputs.Fanout:
		return c.fanout
	}
	return nil
}

// open finds the gate of a document, and wants the document to be valid. Beside an error, d is the reject.
func (p *Program) open(ctx context.Context, document inputs.Document, d *Decision) (*gate, inputs.Document, error) {
	if p == nil {
		err := fmt.Errorf("%w: there is no program: Compile failed, or was not called", ErrEvaluation)
		d.Refuse("", ReasonError, "", err)
		return nil, nil, err
	}
	gate, document, err := p.enter(document)
	name := ""
	if gate != nil {
		name = gate.name
	}
	if err != nil {
		d.Refuse(name, reasonOf(err), p.revision, err)
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		err = fmt.Errorf("gate %s: %w: %w", name, ErrTimeout, err)
		d.Refuse(name, ReasonTimeout, p.revision, err)
		return nil, nil, err
	}
	return gate, document, nil
}

// enter is the gate that decides a document, and the document, held against its schema. Its gate is there beside an
// error too where the document names one.
func (p *Program) enter(document inputs.Document) (own *gate, valid inputs.Document, err error) {
	defer func() { // whoever implements a Document can panic
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%w: the document panicked: %v", ErrEvaluation, caught)
		}
	}()
	if document == nil {
		return nil, nil, fmt.Errorf("%w: there is no document", inputs.ErrInvalid)
	}
	name := document.Gate()
	if own = p.gates[name]; own == nil && p.whole != nil {
		whole, err := p.whole()
		if err != nil {
			return &gate{name: name}, nil, fmt.Errorf("%w: %w", ErrEvaluation, err)
		}
		return whole.enter(document)
	}
	if own == nil {
		return &gate{name: name}, nil, fmt.Errorf("%w: the policies have no gate %q", inputs.ErrUnknownGate, name)
	}
	valid, err = p.accept(name, document)
	return own, valid, err
}

// ask lets OPA decide a valid document.
func (p *Program) ask(ctx context.Context, gate *gate, document inputs.Document, more ...rego.EvalOption) (decision Decision, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%w: gate %s panicked: %v", ErrEvaluation, gate.name, caught)
			decision = refuse(gate.name, ReasonError, p.revision, err)
		}
	}()
	if p.whole != nil {
		whole, err := p.whole()
		if err != nil {
			err = fmt.Errorf("gate %s: %w: %w", gate.name, ErrEvaluation, err)
			return refuse(gate.name, ReasonError, p.revision, err), err
		}
		return whole.ask(ctx, whole.gates[gate.name], document, more...)
	}
	term, err := evaluate(ctx, gate.query, inputOf(document), p.timeout, more...)
	if err == nil {
		decision, err = readDecision(gate.name, term)
	}
	if err == nil {
		if wrong := table.CheckEffects(document, decision.Admit, decision.Effects); wrong != nil {
			err = fmt.Errorf("%w: %w", ErrEvaluation, wrong)
		}
	}
	if err != nil {
		err = fmt.Errorf("gate %s: %w", gate.name, err)
		return refuse(gate.name, reasonOf(err), p.revision, err), err
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
	case errors.Is(err, inputs.ErrInvalid):
		return ReasonInvalidInput
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
