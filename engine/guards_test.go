package engine_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// A bundle keeps the folders that its rules were built from, so the guards may lie deeper; but there is one file of them.
func TestTheGuardsMayLieDeeperAndAreOneFile(t *testing.T) {
	below := func() fstest.MapFS {
		files := fstest.MapFS{}
		for name, file := range edited(t, "thresholds.yaml", "fence:\n", "fence:\n") {
			if name != "thresholds.yaml" {
				name = "a/policies/" + name
			}
			files[name] = file
		}
		return files
	}
	const second = "a second file of package admission.guard, which could loosen every gate"
	loose := &fstest.MapFile{Data: []byte("package admission.guard\n\nless(_, _)\n")}
	_, err := engine.Compile(t.Context(), below())
	require.NoError(t, err)
	for _, name := range []string{"guard/guard.rego", "b/guard/guard.rego", "a/policies/guard/more.rego", "guard.rego"} {
		files := below()
		files[name] = loose
		_, err = engine.Compile(t.Context(), files)
		require.ErrorIs(t, err, engine.ErrForm, name)
		require.ErrorContains(t, err, second, name)
	}
	files := below()
	delete(files, "a/policies/guard/guard.rego")
	files["a/site.rego"] = loose
	_, err = engine.Compile(t.Context(), files)
	require.ErrorContains(t, err, second, "of another name")
}
