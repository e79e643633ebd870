package review_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

// BenchmarkReplay holds a replay by two revisions against stock OPA that decides the same records by the same two, on one
// core each. OPA is spared the log: its inputs are decoded already. An operation is one record.
func BenchmarkReplay(b *testing.B) {
	base, head := replaySides(b)
	documents := fixtureDocuments(b)
	log := logOf(b, base.Program, documents, nil)
	records := len(documents)
	nanoseconds := map[string]float64{}
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("by=admitctl/workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			from := &endlessText{text: log, left: (b.N/records + 1) * len(log)} // whole logs
			logs := []review.Log{{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(from), nil }}}
			b.ResetTimer()
			got, err := review.Replay(b.Context(), logs, &base, head, review.ReplayOptions{Workers: workers})
			require.NoError(b, err)
			require.Equal(b, got.Records, got.Decided)
			require.Zero(b, got.Drift.Count)
			if workers == 1 {
				nanoseconds["admitctl"] = float64(b.Elapsed().Nanoseconds()) / float64(got.Records)
			}
		})
	}
	b.Run("by=opa/workers=1", func(b *testing.B) {
		queries := [2]map[string]rego.PreparedEvalQuery{stockQueries(b, base.Program), stockQueries(b, head.Program)}
		maps := make([]map[string]any, records)
		for i, document := range documents {
			maps[i] = asMap(b, document)
		}
		at := 0
		for b.Loop() {
			for _, side := range queries {
				results, err := side[documents[at%records].Gate()].Eval(b.Context(), rego.EvalInput(maps[at%records]))
				if err != nil || len(results) != 1 {
					b.Fatal(results, err)
				}
			}
			at++
		}
		if own := nanoseconds["admitctl"]; own > 0 {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/own, "times-admitctl")
		}
	})
}

// stockQueries are the decisions of the shipped gates, prepared as OPA's documentation says.
func stockQueries(b *testing.B, program *engine.Program) map[string]rego.PreparedEvalQuery {
	b.Helper()
	modules := map[string]string{}
	require.NoError(b, fs.WalkDir(policies.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".rego") {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		modules[name] = string(text)
		return err
	}))
	compiler, err := ast.CompileModulesWithOpt(modules, ast.CompileOpts{ParserOptions: ast.ParserOptions{ProcessAnnotation: true}})
	require.NoError(b, err)
	queries := map[string]rego.PreparedEvalQuery{}
	for _, gate := range program.Gates() {
		query, err := rego.New(rego.Compiler(compiler), rego.Store(inmem.NewFromReader(bytes.NewReader(program.Data()))),
			rego.Query("data.admission."+gate+".decision")).PrepareForEval(b.Context())
		require.NoError(b, err)
		queries[gate] = query
	}
	return queries
}

// asMap is a document as OPA takes it from code.
func asMap(b *testing.B, document inputs.Document) map[string]any {
	b.Helper()
	text, err := json.Marshal(document)
	require.NoError(b, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var fields map[string]any
	require.NoError(b, decoder.Decode(&fields))
	return fields
}
