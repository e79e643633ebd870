package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

const revision = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func clock() time.Time { return time.Date(2026, 12, 1, 1, 44, 59, 123456789, time.UTC) }

// retry is a document and its decision.
func retry(t testing.TB, id string) Entry {
	t.Helper()
	document, err := inputs.Decode([]byte(`{"gate":"fence.retry","attempt_id":"`+id+`","created_on":"free-eval","charge":{"name":"gpu-a","retry_budget":1}}`), inputs.Source{})
	require.NoError(t, err)
	return Entry{Document: document, Decision: &table.Decision{
		Gate: "fence.retry", Reason: "reject_cross_plane_retry", Action: "compensate_on_creator",
		Violations: []table.Violation{{
			Reason:   "reject_cross_plane_retry",
			Observed: inputs.Value{Kind: inputs.KindText, Text: "gpu-a"}, Limit: inputs.Value{Kind: inputs.KindText, Text: "free-eval"},
		}},
		Effects: []table.Effect{}, Unknown: []string{}, Policy: table.Policy{Revision: revision},
	}}
}

// logged is a log of some retries, called A0, A1 and so on.
func logged(t testing.TB, count int) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "decisions.ndjson")
	w, err := Open(name, Options{Clock: clock})
	require.NoError(t, err)
	for i := range count {
		require.NoError(t, w.Write(retry(t, attempt(i))))
	}
	require.NoError(t, w.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

func attempt(i int) string { return "A" + string(rune('0'+i)) }

// read is all that a log gives: the attempts of its records, what is wrong with others, and how it ends.
type read struct {
	attempts []string
	wrong    []error
	torn     error
}

func readAll(t testing.TB, from io.Reader, options ReaderOptions) read {
	t.Helper()
	r := NewReader(from, options)
	defer r.Close()
	var all read
	var record Record
	for {
		raw, err := r.Next()
		if errors.Is(err, io.EOF) {
			all.torn = r.Torn()
			return all
		}
		if err == nil {
			err = Parse(raw, &record)
		}
		if err != nil {
			require.ErrorIs(t, err, ErrRecord)
			all.wrong = append(all.wrong, err)
			continue
		}
		document, err := inputs.Decode(record.Input, inputs.Source{})
		require.NoError(t, err)
		retried, ok := document.(*inputs.Retry)
		require.True(t, ok)
		all.attempts = append(all.attempts, retried.AttemptID)
	}
}

func attempts(count int) []string {
	var all []string
	for i := range count {
		all = append(all, attempt(i))
	}
	return all
}
