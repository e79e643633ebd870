package scale_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/bench/scale"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

func TestAddedChecksChangeNoReason(t *testing.T) {
	ctx := context.Background()
	files, err := scale.Checks(policies.Files, 14)
	require.NoError(t, err)
	added, err := engine.Compile(ctx, files)
	require.NoError(t, err)
	shipped, err := engine.Compile(ctx, policies.Files)
	require.NoError(t, err)
	require.Len(t, added.Checks("compaction"), len(shipped.Checks("compaction"))+14)
	for _, document := range mix.Take(100, mix.New(1).Compaction) {
		want, err := shipped.Decide(ctx, document)
		require.NoError(t, err)
		got, err := added.Decide(ctx, document)
		require.NoError(t, err)
		require.Equal(t, want.Reason, got.Reason)
	}
}

func TestEveryPlaneHasARow(t *testing.T) {
	program, err := engine.Compile(context.Background(), policies.Files, engine.Overlay("planes.yaml", scale.Overlay(50)))
	require.NoError(t, err)
	names := scale.Planes(50)
	for _, document := range mix.Take(50, mix.Over(1, names).Fence) {
		require.Contains(t, names, document.Primary.Name)
		require.Contains(t, string(program.Data()), `"`+document.Primary.Name+`"`)
	}
}
