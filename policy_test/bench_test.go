package policy_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// BenchmarkDecide is a decision of an admitting document through the library, and beside it, in the same run, through
// plain OPA with a map as input:
//
//	go test ./policy_test -run '^$' -bench Decide -count 6 | benchstat -col /door -
func BenchmarkDecide(b *testing.B) {
	d := open(b, "")
	for _, gate := range gates() {
		text := textOf(b, nominal(gate)[0])
		b.Run("gate="+gate+"/door=library", func(b *testing.B) {
			document, err := inputs.Decode(text, inputs.Source{})
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if answer, err := d.program.Decide(context.Background(), document); err != nil || !answer.Admit {
					b.Fatal(answer, err)
				}
			}
		})
		b.Run("gate="+gate+"/door=opa", func(b *testing.B) {
			var input map[string]any
			require.NoError(b, json.Unmarshal(text, &input))
			query := d.raw[gate]
			b.ReportAllocs()
			for b.Loop() {
				if results, err := query.Eval(context.Background(), rego.EvalInput(input)); err != nil || len(results) != 1 {
					b.Fatal(results, err)
				}
			}
		})
	}
}
