package table_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

func TestWhatTheShippedGatesRead(t *testing.T) {
	text, err := policies.Files.ReadFile("gates.table")
	require.NoError(t, err)
	set, err := table.Read(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, []string{"charge.name", "charge.retry_budget", "created_on"}, set.Gate("fence.retry").Program().Reads())
	require.Equal(t, []string{"attempt_state", "current_revision", "score_revision"}, set.Gate("fence.bind").Program().Reads())
	fence := set.Gate("fence").Program().Reads()
	require.NotContains(t, fence, "intent_id")
	require.NotContains(t, fence, "revision")
	require.Subset(t, fence, []string{"borrow", "primary.name", "primary.depth", "primary.health_max_age_ms", "borrowed.name", "borrowed.retry_budget"})
	require.Subset(t, set.Gate("compaction").Program().Reads(), []string{"path", "cancelable", "latest_version", "transcript_version", "est_tokens", "transcript_chars"})
	require.Subset(t, set.Gate("fanout").Program().Reads(), []string{"class", "class_enabled", "siblings", "max_siblings", "meter_age_ms"})
}
