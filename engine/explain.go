package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Explanation is why a document was decided as it was.
type Explanation struct {
	Decision Decision
	Checks   []Explained // every row of the gate's decision table, in the order of precedence
}

// Explained is what one row of a decision table made of a document. A reason can have two rows, whose actions differ.
type Explained struct {
	Check                 // the row
	Outcome  Outcome      // what it came to
	Proved   string       // the title of its check, which says what must hold
	Because  string       // of a check that was not asked: what made it hold
	Observed inputs.Value // null where it is unknown, or the row shows none, or a literal that only tells of a violation
	Limit    inputs.Value
	// Margin is how far observed is within the limit, in the unit of both; negative is beyond. At 0 it is at the limit,
	// which a check that wants less than its limit does not allow. Null where the row does not order the two, or one is
	// no number.
	Margin  inputs.Value
	From    []Source // what the limit is computed from; of a literal none
	Unknown []string // signals that the row reads, and nobody knows
	Reads   []Source // thresholds that the row is proved from, and fields that are no signals
}

// Outcome says what a row came to. The zero Outcome says nothing.
type Outcome string

// The outcomes.
const (
	Violated Outcome = "violated"  // its check is not proved
	Excused  Outcome = "excused"   // it is violated, and the gate admits all the same, as it does a probe
	Held     Outcome = "holds"     // its check is proved
	NotAsked Outcome = "not asked" // its check holds without what was observed: of this document nobody asks for it
)

// Source is a threshold, or a field of the document, that a row is proved from.
type Source struct {
	Threshold string       // its path; "" of a field
	Field     string       // its dotted name; "" of a threshold
	Value     any          // int64, bool, string, or []any of them
	At        table.Origin // of a threshold: where it is set
}

// Explain decides a document by OPA, and says what each check of its gate made of it: the rows that are violated and those
// that are not, with what was observed and its limit as the rules have them. Its error is that of [Program.Decide];
// beside it the explanation has the decision, and no checks.
func (p *Program) Explain(ctx context.Context, document inputs.Document) (Explanation, error) {
	var e Explanation
	p = p.loaded()
	gate, document, err := p.open(ctx, document, &e.Decision)
	if err != nil {
		return e, err
	}
	if e.Decision, err = p.ask(ctx, gate, document); err != nil {
		return e, err
	}
	seen, err := p.see(ctx, gate.name, document)
	if err != nil {
		err = fmt.Errorf("gate %s: %w", gate.name, err)
		e.Decision = refuse(gate.name, reasonOf(err), p.revision, err)
		return e, err
	}
	limits := p.limitsOf(gate, document)
	for _, check := range p.byPrecedence(gate.name) {
		e.Checks = append(e.Checks, p.explain(check, seen, &e.Decision, document, limits))
	}
	return e, nil
}

// byPrecedence are the rows of a gate as guard.ranked orders them, those of one reason as they are written.
func (p *Program) byPrecedence(gate string) []Check {
	own := p.described[gate]
	rank := func(c Check) int {
		at := slices.Index(own.Precedence, c.Reason)
		switch {
		case c.Reason == ReasonInvalidInput:
			return -1
		case at < 0:
			return len(own.Precedence)
		}
		return at
	}
	all := slices.Clone(own.Checks)
	slices.SortStableFunc(all, func(a, b Check) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// explain puts together what is known of one row.
func (p *Program) explain(check Check, seen *evidence, d *Decision, document inputs.Document, limits map[row]table.Limit) Explained {
	own := row{check.Reason, check.Action}
	e := Explained{Check: check, Proved: seen.titles[own], Observed: seen.observed[check.Reason], Limit: seen.limit[check.Reason]}
	proof := seen.proofs[own]
	listed := slices.ContainsFunc(d.Violations, func(v Violation) bool { return v.Reason == check.Reason })
	switch {
	case seen.violated[own] && listed:
		e.Outcome = Violated
	case seen.violated[own]:
		e.Outcome = Excused
	default:
		e.Outcome, e.Because = proof.outcome(e.Observed)
		if proof != nil && proof.literal {
			e.Observed = inputs.Value{}
		}
	}
	if e.Outcome != NotAsked {
		e.Margin = proof.margin(e.Observed, e.Limit)
	}
	if check.Reason != ReasonInvalidInput { // which reads the whole document
		e.Reads = p.sourcesOf(check, document)
		e.Unknown = slices.DeleteFunc(slices.Clone(d.Unknown), func(name string) bool { return !slices.Contains(check.Fields, name) })
	}
	e.From = p.limitFrom(e, limits[own])
	return e
}

// evidence is what OPA says of the rows of a gate for one document.
type evidence struct {
	violated        map[row]bool
	observed, limit map[string]inputs.Value // by reason
	titles          map[row]string          // of the checks
	proofs          map[row]*proof
}

// see asks OPA for the rows that are violated, for what they show, and for how each check that holds is proved.
func (p *Program) see(ctx context.Context, gate string, document inputs.Document) (*evidence, error) {
	input := inputOf(document)
	seen := &evidence{violated: map[row]bool{}, observed: map[string]inputs.Value{}, limit: map[string]inputs.Value{}, titles: map[row]string{}, proofs: map[row]*proof{}}
	var terms []*ast.Term
	for _, rule := range []string{"violated", "observed", "limit"} {
		// Each in a list of its own, since a gate may have no such rule.
		terms = append(terms, ast.MustParseTerm("[x | x := data.admission."+gate+"."+rule+"]"))
	}
	term, err := p.askFor(ctx, input, nil, ast.ArrayTerm(terms...))
	if err != nil {
		return nil, err
	}
	lists, _ := term.Value.(*ast.Array)
	seen.rows(lists.Elem(0))
	shownIn(lists.Elem(1), seen.observed)
	shownIn(lists.Elem(2), seen.limit)
	return seen, p.prove(ctx, gate, input, seen)
}

// rows reads the set of the rows that are violated, which lies in a list.
func (s *evidence) rows(list *ast.Term) {
	ast.WalkTerms(list, func(term *ast.Term) bool {
		custom, ok := term.Value.(ast.Object)
		if ok {
			s.violated[row{textIn(custom, "reason"), textIn(custom, "action")}] = true
		}
		return ok
	})
}

// shownIn reads observed or limit, which lies in a list.
func shownIn(list *ast.Term, into map[string]inputs.Value) {
	ast.WalkTerms(list, func(term *ast.Term) bool {
		shown, ok := term.Value.(ast.Object)
		if ok {
			shown.Foreach(func(reason, value *ast.Term) {
				if name, ok := reason.Value.(ast.String); ok {
					into[string(name)], _ = valueOf(value)
				}
			})
		}
		return ok
	})
}
