package contender

import (
	"context"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// Names of contenders that figures are about.
const (
	Decide       = "engine, Decide"
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
