package contender_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/bench/contender"
	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

func open(tb testing.TB) *engine.Program {
	tb.Helper()
	program, err := engine.Compile(context.Background(), policies.Files, engine.Overlay("planes.yaml", []byte(mix.Overlay)))
	require.NoError(tb, err)
	return program
}

func TestContendersAgree(t *testing.T) {
	program := open(t)
	whole, err := contender.Whole(program, 100)
	require.NoError(t, err)
	bare, err := contender.Bare(program, 100)
	require.NoError(t, err)
	for _, lineup := range append(whole, bare...) {
		t.Run(lineup.Mix+"/"+lineup.Gate, func(t *testing.T) {
			require.NoError(t, lineup.Sound())
			reasons := map[string]int{}
			for i := range lineup.Documents {
				_, reason, err := lineup.Contenders[0].Judge(i)
				require.NoError(t, err)
				reasons[reason]++
			}
			t.Log(reasons)
		})
	}
}

func TestNativeAllocatesNothing(t *testing.T) {
	lineups, err := contender.Whole(open(t), 100)
	require.NoError(t, err)
	for _, lineup := range lineups {
		for _, name := range []string{contender.Native, contender.NativeUnsafe} {
			native, found := lineup.Find(name)
			require.True(t, found)
			require.Zero(t, testing.AllocsPerRun(10, func() { native.Pass() }), lineup.Gate)
		}
	}
}

// BenchmarkDecision is a document through every contender:
//
//	go test ./contender -run '^$' -bench Decision -count 6 | benchstat -col /by -
func BenchmarkDecision(b *testing.B) {
	program := open(b)
	whole, err := contender.Whole(program, 1024)
	require.NoError(b, err)
	bare, err := contender.Bare(program, 1024)
	require.NoError(b, err)
	for _, lineup := range append(whole, bare...) {
		for _, by := range lineup.Contenders {
			b.Run("mix="+lineup.Mix+"/gate="+lineup.Gate+"/by="+by.Name, func(b *testing.B) {
				b.ReportAllocs()
				passes := 0
				for b.Loop() {
					by.Pass()
					passes++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(passes*len(lineup.Documents)), "ns/document")
			})
		}
	}
}
