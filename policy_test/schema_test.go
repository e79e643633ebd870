package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// Every decision, of fixtures and of documents that cannot be decided, is as the published schema says.
func TestDecisionsAreAsThePublishedSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../docs/schemas/decision.schema.json")
	require.NoError(t, err)
	d := open(t, "")
	validate := func(decided any) {
		text, err := json.Marshal(decided)
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(value), "%s", text)
	}
	for _, f := range readFixtures(t, fixturesRoot) {
		document, err := inputs.Decode(f.text, inputs.Source{})
		require.NoError(t, err)
		decided, err := d.program.Decide(context.Background(), document)
		require.NoError(t, err)
		validate(decided)
	}
	_, err = inputs.Decode([]byte(`{}`), inputs.Source{})
	validate(d.program.Invalid("", err))
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	document, err := inputs.Decode(textOf(t, nominal("fence")[0]), inputs.Source{})
	require.NoError(t, err)
	decided, err := d.program.Decide(canceled, document)
	require.Error(t, err)
	validate(decided)
}
