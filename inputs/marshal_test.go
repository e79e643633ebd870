package inputs_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// A document that a service logs by value is the document, and not its fields without their values.
func TestDocumentsAreMarshalledByValueToo(t *testing.T) {
	d := inputs.Retry{AttemptID: "A1", CreatedOn: "a", Charge: inputs.Charge{Name: "a", RetryBudget: inputs.Unknown()}}
	const want = `{"gate":"fence.retry","attempt_id":"A1","created_on":"a","charge":{"name":"a","retry_budget":null}}`
	for _, value := range []any{d, &d} {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		require.JSONEq(t, want, string(text))
	}
}

func TestFieldsPrintAsWhatTheyHold(t *testing.T) {
	require.Equal(t, `3 null absent "R4" true`, fmt.Sprint(inputs.Known(3), inputs.Unknown(), inputs.Number{}, inputs.KnownText("R4"), inputs.KnownFlag(true)))
	text, err := json.Marshal([]any{inputs.Known(3), inputs.Unknown(), inputs.Number{}})
	require.NoError(t, err)
	require.JSONEq(t, `[3, null, null]`, string(text))
}
