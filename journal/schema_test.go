package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// published is the schema of records, as readers of docs/schemas find it.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	decision, err := os.ReadFile(filepath.Join("..", "docs", "schemas", "decision.schema.json"))
	require.NoError(t, err)
	const home = "https://github.com/admitctl/admitctl/docs/schemas/"
	for name, text := range map[string][]byte{"decision.schema.json": decision, "record.schema.json": Schema()} {
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, compiler.AddResource(home+name, parsed))
	}
	schema, err := compiler.Compile(home + "record.schema.json")
	require.NoError(t, err)
	return schema
}

func TestRecordsAreThoseOfTheSchema(t *testing.T) {
	schema := published(t)
	timed := retry(t, "A0")
	timed.Metrics = map[string]int64{"timer_rego_query_eval_ns": 410}
	unread, nameless := retry(t, "A0"), retry(t, "A0")
	unread.Document = nil
	unread.Decision.Refuse("fence.retry", "invalid_input", revision, errors.New("it says A0"))
	nameless.Document = nil
	nameless.Decision.Refuse("", "invalid_input", revision, errors.New("no gate"))
	for _, options := range []Options{
		{Clock: clock},
		{Clock: clock, Labels: map[string]string{"id": "host-1", "team/a": "x"}, Allow: &Allowlist{}},
	} {
		name := filepath.Join(t.TempDir(), "d.ndjson")
		w, err := Open(name, options)
		require.NoError(t, err)
		for _, entry := range []Entry{retry(t, "A0"), timed, unread, nameless} {
			require.NoError(t, w.Write(entry))
		}
		require.NoError(t, w.Close())
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			record, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			require.NoError(t, err)
			require.NoError(t, schema.Validate(record), "%s", line)
		}
	}
}

func TestTheSchemaRefusesWhatIsNoRecord(t *testing.T) {
	schema := published(t)
	text := bytes.TrimSpace(logged(t, 1))
	for old, broken := range map[string]string{
		`"decision_id":`: `"decision":`, `"admission/`: `"http/`, `"input":{"gate":"fence.retry",`: `"input":{"gate":"",`, `"labels":{}`: `"labels":{"a":1}`,
		`"gate":"fence.retry","attempt_id"`: `"attempt_id"`, `2026-12-01T`: `yesterday`, `"admit":false`: `"admit":true`,
		`"bundles":{"admitctl"`: `"bundles":{"other"`, `"labels":`: `"masked":["input"],"labels":`, `"path":`: `"erased":[],"path":`,
	} {
		require.Contains(t, string(text), old)
		record, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.Replace(text, []byte(old), []byte(broken), 1)))
		require.NoError(t, err)
		require.Error(t, schema.Validate(record), "%s", broken)
	}
}
