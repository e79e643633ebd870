package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// The table file in the binary is what the policies in it come to. With -update it is written anew; the binary that does
// so has the old one, which nothing reads that is not of its revision.
func TestTheShippedTablesAreThoseOfTheShippedPolicies(t *testing.T) {
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	require.Empty(t, program.Warnings(), "who decides by the tables is not told any")
	gates, err := tablesOf(program, nil)
	require.NoError(t, err)
	for i := range gates {
		gates[i] = gates[i].Below("policies")
	}
	var file bytes.Buffer
	require.NoError(t, table.Write(&file, gates...))
	name := filepath.Join("..", "..", "policies", "gates.table")
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(name, file.Bytes(), 0o644)) //nolint:gosec // a file of the repository, for everybody to read
		return
	}
	shipped, err := fs.ReadFile(policies.Files, "gates.table")
	require.NoError(t, err)
	require.True(t, bytes.Equal(file.Bytes(), shipped), "policies/gates.table is not what the policies come to: make update")
	quick, err := engine.Compile(t.Context(), policies.Files, engine.Tables(shipped))
	require.NoError(t, err)
	require.Equal(t, program.Revision(), quick.Revision())
	documents, err := filepath.Glob(filepath.Join("..", "..", "fixtures", "*", "*.json"))
	require.NoError(t, err)
	decided := 0
	for _, name := range documents {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		document, err := inputs.Decode(data, inputs.Source{File: name})
		if err != nil {
			continue // a decision that is wanted, or a document that is refused
		}
		want, wantErr := program.Decide(t.Context(), document)
		got, gotErr := quick.Decide(t.Context(), document)
		require.Equal(t, wantErr, gotErr, name)
		require.Equal(t, want, got, name)
		if !got.Admit {
			require.Equal(t, program.Title(got.Gate, got.Reason, got.Action), quick.Title(got.Gate, got.Reason, got.Action), name)
		}
		decided++
	}
	require.Greater(t, decided, 100)
	require.Equal(t, program.Evaluators(), quick.Evaluators(), "what tables do not hold is loaded when it is asked for")
	require.Equal(t, program.Thresholds(), quick.Thresholds())
}
