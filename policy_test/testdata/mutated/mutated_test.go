package mutated

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSum(t *testing.T) {
	require.Equal(t, 3, Sum([]int{1, 0, 2, 9, 5}))
	require.Equal(t, 0, Sum([]int{-1}))
}

func TestSearch(t *testing.T) {
	require.Equal(t, 1, Search([]int{3, 4, 5}, 4))
	require.Equal(t, 0, Search([]int{3, 4, 5}, 3))
	require.Equal(t, 1, Endless([]int{-1, 0}))
}

func TestBits(t *testing.T) {
	require.Equal(t, uint64(0xa7), Bits(0x55, 3))
}

func TestBoth(t *testing.T) {
	one, none := 1, 0
	require.True(t, Both(&one, true))
	require.False(t, Both(&none, true))
	require.False(t, Both(nil, true))
	require.True(t, Both(nil, false))
}

func TestNames(t *testing.T) {
	require.Equal(t, "low", Name(Low, false))
	require.Equal(t, "high", Name(High, false))
	require.Equal(t, "quick", Name(Low, true))
	require.Empty(t, Name(High+1, false))
	for _, each := range []Level{Low, High} {
		level, ok := LevelOf(Name(each, false))
		require.Equal(t, each, level)
		require.True(t, ok)
	}
	level, ok := LevelOf("")
	require.Equal(t, Low, level)
	require.False(t, ok)
}

func TestUntold(t *testing.T) {
	require.Equal(t, 3, Untold(3))
	require.Zero(t, Untold(-3))
}
