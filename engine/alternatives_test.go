package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

func TestOtherThresholdsForTheSameRules(t *testing.T) {
	program := compile(t, edited(t, "", "", ""))
	other, err := program.With(t.Context(), []byte("compaction: {enabled: false}"))
	require.NoError(t, err)
	gate, _ := program.Gate("compaction")
	for p, want := range map[*engine.Program]string{program: "admit", other: "reject_disabled"} {
		decision, err := p.Decide(t.Context(), gate.Nominal)
		require.NoError(t, err)
		require.Equal(t, want, decision.Reason, "the program itself goes on as it is")
	}
	same, err := other.With(t.Context(), []byte("compaction: {enabled: true}"))
	require.NoError(t, err)
	require.Equal(t, program.Revision(), same.Revision())
	_, err = program.With(t.Context(), []byte("compaction: {enabled: 3}"))
	require.ErrorIs(t, err, engine.ErrThresholds)
	_, err = (*engine.Program)(nil).With(t.Context(), nil)
	require.ErrorIs(t, err, engine.ErrLoad)
}

func TestAlternativesAreOtherValuesThatTheSchemaAllows(t *testing.T) {
	program := compile(t, edited(t, "", "", ""))
	for _, test := range []struct {
		path []string
		want []any
	}{
		{[]string{"compaction", "enabled"}, []any{false}},
		{[]string{"compaction", "free_path"}, []any{"disabled"}},
		{[]string{"compaction", "token_ceiling"}, []any{int64(1099511627776), int64(0)}},
		{[]string{"classes", "interactive", "max_depth"}, []any{int64(1048576)}}, // it is 0
		{[]string{"classes", "tool_fanout", "enabled"}, []any{true, false}},      // it is not set
		{[]string{"classes", "new", "reject_when", "slack_ms_below"}, []any{int64(1099511627776), int64(-1099511627776)}},
		{[]string{"fanout", "precedence"}, nil},
		{[]string{"fanout"}, nil},
		{[]string{"nothing", "at", "all"}, nil},
		{nil, nil},
	} {
		require.Equal(t, test.want, program.Alternatives(test.path), "%v", test.path)
	}
	require.Nil(t, (*engine.Program)(nil).Alternatives([]string{"compaction"}))
}
