package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// A revision names what decides, not where its files lie or how their folder is spelt.
func TestARevisionDoesNotDependOnTheNameOfTheFolder(t *testing.T) {
	want := compile(t, policies.Files).Revision()
	for _, name := range []string{"policies", "./policies", "policies/", "policies/../policies", "/srv/policies", ".", "embedded"} {
		require.Equal(t, want, compile(t, policies.Files, engine.Named(name)).Revision(), name)
	}
	require.NotEqual(t, want, compile(t, policies.Files, engine.Overlay("o.yaml", []byte("compaction: {max_retries: 1}"))).Revision())
}

// A service that goes on without a program is told so, and rejects.
func TestNoProgramRejects(t *testing.T) {
	var program *engine.Program
	decision, err := program.Decide(t.Context(), &inputs.Bind{})
	requireReject(t, decision, engine.ReasonError)
	require.ErrorIs(t, err, engine.ErrEvaluation)
}
