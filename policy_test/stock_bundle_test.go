//go:build stock

package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/revision"
)

// What the stock binary builds and signs loads here, and holds the same rules and thresholds.
func TestStockOPABuildsBundlesThatLoad(t *testing.T) {
	directory, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	folder := t.TempDir()
	plain, signed, key := filepath.Join(folder, "plain.tar.gz"), filepath.Join(folder, "signed.tar.gz"), filepath.Join(folder, "key")
	const secret = "a secret of thirty-two characters or more"
	require.NoError(t, os.WriteFile(key, []byte(secret), 0o600))
	t.Chdir("..") // of ../policies opa writes names that lead out of the bundle
	stockOPA(t, "", "build", "policies", "-o", plain)
	stockOPA(t, "", "build", "-b", plain, "--signing-key", key, "--signing-alg", "HS256", "--verification-key-id", "ours", "-o", signed)
	for name, verify := range map[string]func(map[string][]byte) error{
		plain:  nil,
		signed: engine.BundleKey{Key: []byte(secret), ID: "ours", Algorithm: "HS256"}.Verify,
	} {
		opened, err := revision.Open(t.Context(), name, revision.Options{Verify: verify})
		require.NoError(t, err)
		program, err := engine.Compile(t.Context(), opened.FS, engine.Named(opened.Root))
		require.NoError(t, err)
		require.Empty(t, program.Warnings())
		require.JSONEq(t, string(directory.Data()), string(program.Data()))
		require.Equal(t, directory.Gates(), program.Gates())
	}
	_, err = revision.Open(t.Context(), signed, revision.Options{Verify: engine.BundleKey{Key: []byte("another secret of thirty-two characters"), Algorithm: "HS256"}.Verify})
	require.ErrorIs(t, err, engine.ErrSignature)
}
