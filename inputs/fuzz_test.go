package inputs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// FuzzDecode holds decoding against encoding/json: what is accepted is JSON of the same values, valid, and comes back
// from its own encoding; what is refused has a sentinel and a place.
func FuzzDecode(f *testing.F) {
	schemas := copies(f)
	for gate, texts := range documents() {
		for _, text := range texts {
			f.Add([]byte(text), "")
			f.Add([]byte(strings.Replace(text, `"gate":"`, `"gate":"copy.`, 1)), gate)
		}
	}
	fixtures, err := filepath.Glob(filepath.Join("..", "fixtures", "*", "*.json"))
	require.NoError(f, err)
	for i, name := range fixtures {
		if i%7 == 0 && !strings.HasSuffix(name, ".want.json") {
			text, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(text, "compaction")
		}
	}
	for _, text := range []string{"", "null", "{", `{"gate":"fence","gate":"fence"}`, `{"gate":"\u0066ence"}`, "\ufeff{}", `{"gate":"fanout","class":"\ud800"}`, "[[[[", `{"Gate":1}`, "{}{}",
		`{"gate":"fence.retry","attempt_id":"A1","created_on":"a","charge":{"name":"b","retry_budget":null},"charge.name":"a","charge.retry_budget":3}`} {
		f.Add([]byte(text), "fence")
	}
	f.Fuzz(func(t *testing.T, text []byte, gate string) {
		document, err := inputs.Decode(text, inputs.Source{File: "fuzz.json", Gate: gate, Schemas: schemas})
		if err != nil {
			var invalid *inputs.Error
			require.ErrorAs(t, err, &invalid)
			require.ErrorIs(t, err, inputs.ErrInvalid)
			require.GreaterOrEqual(t, invalid.Line, 1)
			require.GreaterOrEqual(t, invalid.Column, 1)
			require.True(t, strings.HasPrefix(invalid.Path, "$"), invalid.Path)
			require.NotEmpty(t, invalid.Problem)
			require.Less(t, len(err.Error()), 2000)
			return
		}
		require.NoError(t, document.Validate())
		require.Contains(t, inputs.Gates(), strings.TrimPrefix(document.Gate(), "copy."))
		encoded, err := json.Marshal(document)
		require.NoError(t, err)
		again, err := inputs.Decode(encoded, inputs.Source{Schemas: schemas})
		require.NoError(t, err, "%s", encoded)
		require.Equal(t, document, again)

		var loose, strict map[string]any
		require.NoError(t, json.Unmarshal(text, &loose))
		require.NoError(t, json.Unmarshal(encoded, &strict))
		loose["gate"] = document.Gate()
		require.Equal(t, loose, strict)
	})
}
