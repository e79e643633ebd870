package timing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/bench/timing"
)

func TestRoundsBeginWithAnotherTaskEach(t *testing.T) {
	var order string
	task := func(name string) timing.Task {
		return timing.Task{Name: name, Units: 1, Run: func() error { order += name; return nil }}
	}
	samples, err := timing.Rounds([]timing.Task{task("a"), task("b"), task("c")}, 4, 0)
	require.NoError(t, err)
	require.Equal(t, "abc"+"abc"+"bca"+"cab"+"abc", order, "warmed up first")
	for _, sample := range samples {
		require.Len(t, sample, 4)
	}
}

func TestMedianIsTheMiddle(t *testing.T) {
	middle, low, high := timing.Sample{9, 1, 4}.Median()
	require.Equal(t, []float64{4, 1, 9}, []float64{middle, low, high})
	middle, _, _ = timing.Sample{9, 1, 4, 2}.Median()
	require.Equal(t, 3.0, middle)
}

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	require.Equal(t, timing.Sample{2, 3}, timing.Sample{10, 30}.Over(timing.Sample{5, 10}))
}
