package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// A decision that a table makes allocates nothing, nor does a verdict: of what is admitted, what is rejected for many
// reasons, and what is unknown.
func TestTablesAllocateNothing(t *testing.T) {
	program, err := Compile(t.Context(), shipped(t))
	require.NoError(t, err)
	for _, name := range program.Gates() {
		own := program.Table(name)
		admitted, several, unknown := 0, 0, 0
		for _, flat := range own.Directed(table.Effort{Draws: 2000, Most: 40}) {
			document, err := flat.Document(name)
			require.NoError(t, err)
			var d Decision
			require.NoError(t, own.Decide(document, &d))
			requireNoAllocations(t, own, document, &d)
			if d.Admit {
				admitted++
			}
			if len(d.Violations) > 1 {
				several++
			}
			if len(d.Unknown) > 0 {
				unknown++
			}
		}
		require.NotZero(t, admitted, name)
		require.NotZero(t, several, name)
		require.NotZero(t, unknown, name)
	}
}

func requireNoAllocations(t *testing.T, own *table.Gate, document inputs.Document, d *Decision) {
	t.Helper()
	for way, ask := range map[string]func(){
		"Verdict": func() { _, _ = own.Verdict(document) },
		"Judge":   func() { _, _ = own.Judge(document) },
		"Decide":  func() { _ = own.Decide(document, d) },
		"Answer":  func() { _ = own.Answer(document, d) },
	} {
		require.Zero(t, testing.AllocsPerRun(3, ask), "%s of %s", way, printed(document))
	}
}
