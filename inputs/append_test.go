package inputs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

func TestADocumentIsAppendedAsItIsMarshalled(t *testing.T) {
	documents := []string{
		`{"gate":"fence","intent_id":"I<1>","revision":"R\"3","borrow":true,"primary":{"name":"gpu-ä","depth":0,"retry_budget":null,"health_age_ms":0},"borrowed":{"name":"free-eval","depth":4,"retry_budget":0,"health_age_ms":0}}`,
		`{"gate":"fence","intent_id":"I1","borrow":false,"primary":{"name":"gpu-a","depth":0,"retry_budget":3,"health_age_ms":0}}`,
		`{"gate":"fence.retry","attempt_id":"A1","created_on":"free-eval","charge":{"name":"free-eval","retry_budget":1}}`,
		`{"gate":"compaction","queue_age_ms":null,"slack_ms":-4000,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":7,"latest_version":9}`,
	}
	for _, text := range documents {
		document, err := inputs.Decode([]byte(text), inputs.Source{})
		require.NoError(t, err)
		require.Equal(t, text, string(inputs.AppendDocument(nil, document, nil)))
	}
}

func TestAMaskedDocumentStillIsOne(t *testing.T) {
	document, err := inputs.Decode([]byte(`{"gate":"fence.retry","attempt_id":"A1","created_on":"free-eval","charge":{"name":"free-eval","retry_budget":1}}`), inputs.Source{})
	require.NoError(t, err)
	text := inputs.AppendDocument([]byte("> "), document, func(field string) bool { return field == "attempt_id" || field == "charge.name" })
	require.Equal(t, `> {"gate":"fence.retry","attempt_id":"masked","created_on":"free-eval","charge":{"name":"masked","retry_budget":1}}`, string(text))
	_, err = inputs.Decode(text[2:], inputs.Source{})
	require.NoError(t, err)
}
