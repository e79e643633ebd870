package review

import (
	"fmt"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
)

// bySolver asks a solver for a nearer document than was found, until there is none.
func (t *turning) bySolver(n *nearestOf) {
	session, err := solver.Start(t.ctx, t.options.Solver, t.options.Limit)
	if err != nil {
		t.proof = Proof{By: BySolver, Why: err.Error()}
		return
	}
	defer session.Close()
	t.proof = Proof{By: BySolver}
	ask := func(condition string) (solver.Answer, inputs.Flat) {
		t.proof.Cells++
		answer, values, err := session.Ask(condition, t.space.variables(one))
		if err != nil {
			t.proof.Why = err.Error()
			return solver.Unknown, inputs.Flat{}
		}
		return answer, t.space.flat(one, values)
	}
	session.Say(t.space.declared(one))
	text, coded, err := t.space.code(t.table, "d", one)
	if err != nil {
		t.proof.Why = err.Error()
		return
	}
	session.Say(text)
	session.Say(t.space.measured(one, &t.nominal))
	may := t.may()
	if answer, _ := ask(allOf(may, fmt.Sprintf("(= %s %d)", coded.result, table.Outside))); answer != solver.None {
		t.proof.Why = "some documents are left to OPA by the table"
	}
	condition := allOf(may, t.otherwise(coded.result))
	for range rounds {
		nearer := []string{condition}
		if n.found {
			nearer = []string{
				allOf(condition, t.space.atMost(n.distance.fields-1)),
				allOf(condition, t.space.atMost(n.distance.fields), fmt.Sprintf("(< sum %d)", n.distance.sum)),
			}
		}
		found := false
		for _, condition := range nearer {
			answer, flat := ask(condition)
			if answer == solver.Unknown && t.proof.Why == "" {
				t.proof.Why = "the solver could not tell in time whether there is a nearer document"
			}
			if answer != solver.Found {
				continue
			}
			if found = n.consider(flat); !found {
				t.proof.Why = "the solver found a document that is decided as before: report it, with the policies"
			}
			break
		}
		if !found {
			t.proof.Complete = t.proof.Why == ""
			return
		}
	}
	t.proof.Why = "nearer documents were found as long as anybody asked"
}

// may is that a document differs from the one asked about in what may change alone.
func (t *turning) may() string {
	parts := []string{"true"}
	for i := range t.space.places {
		switch {
		case !t.free(i):
			parts = append(parts, not(fmt.Sprintf("off%d", i)))
		case t.keeps && t.nominal.Known>>i&1 == 1:
			parts = append(parts, fmt.Sprintf("%sk%d", one, i))
		}
	}
	return allOf(parts...)
}

// otherwise is that a walk ends where documents are decided the other way.
func (t *turning) otherwise(result string) string {
	checks := len(t.table.Program().Checks)
	if t.was.Admit {
		return fmt.Sprintf("(< %s %d)", result, checks)
	}
	return fmt.Sprintf("(and (<= %d %s) (distinct %s %d))", checks, result, result, table.Outside)
}
