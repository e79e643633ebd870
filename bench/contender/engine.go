package contender

import (
	"context"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// Names of contenders that figures are about.
const (
	Decide       = "engine, Decide"
	DecideInto   = "engine, DecideInto"
	Verdict      = "engine, Verdict"
	TableVerdict = "table, Verdict"
	Native       = "native"
	NativeUnsafe = "native, unvalidated"
	StockShipped = "stock OPA, shipped policies"
	StockBare    = "stock OPA, bare checks"
	CEL          = "cel-go, bare checks"
	Cedar        = "cedar-go, bare checks"
)

// decide is the embedded decision with everything that it says.
func decide(program *engine.Program, documents []inputs.Document) Contender {
	ctx := context.Background()
	return Contender{
		Name: Decide,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if decision, _ := program.Decide(ctx, document); decision.Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) {
			decision, err := program.Decide(ctx, documents[i])
			return decision.Admit, decision.Reason, err
		},
	}
}

// decideInto is the embedded decision that reuses the lists of the one before.
func decideInto(program *engine.Program, documents []inputs.Document) Contender {
	ctx := context.Background()
	return Contender{
		Name: DecideInto,
		Pass: func() int {
			var decision engine.Decision
			admits := 0
			for _, document := range documents {
				if _ = program.DecideInto(ctx, document, &decision); decision.Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) {
			var decision engine.Decision
			err := program.DecideInto(ctx, documents[i], &decision)
			return decision.Admit, decision.Reason, err
		},
	}
}

// verdict is the embedded decision without violations.
func verdict(program *engine.Program, documents []inputs.Document) Contender {
	ctx := context.Background()
	return Contender{
		Name: Verdict,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if verdict, _ := program.Verdict(ctx, document); verdict.Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) {
			verdict, err := program.Verdict(ctx, documents[i])
			return verdict.Admit, verdict.Reason, err
		},
	}
}

// tableVerdict is the decision by the table of one gate, which must have one.
func tableVerdict(program *engine.Program, gate string, documents []inputs.Document) Contender {
	table := program.Table(gate) // nil, which rejects, where the gate has none
	return Contender{
		Name: TableVerdict,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if verdict, _ := table.Verdict(document); verdict.Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) {
			verdict, err := table.Verdict(documents[i])
			return verdict.Admit, verdict.Reason, err
		},
	}
}
