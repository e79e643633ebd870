package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/admitctl/admitctl/bench/contender"
	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/bench/processes"
	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/bench/timing"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// stockDocuments are as many as stock OPA decides of a stream: it would take most of an hour for all of them.
const stockDocuments = 2000

// stream measures a file with a document a line: scanning its lines, deciding them with the command, and with stock OPA.
func (b *bench) stream() error {
	binaries, err := processes.Build(b.folder, b.root)
	if err != nil {
		return err
	}
	name := filepath.Join(b.folder, "documents.ndjson")
	if err := writeStream(name, b.documents); err != nil {
		return err
	}
	overlay := filepath.Join(b.folder, "planes.yaml")
	if err := os.WriteFile(overlay, []byte(mix.Overlay), 0o600); err != nil {
		return err
	}
	stock, err := stockStream(b.program, name, min(stockDocuments, b.documents))
	if err != nil {
		return err
	}
	samples, err := timing.Rounds([]timing.Task{
		{Name: "scan", Units: b.documents, Run: func() error { return scan(name, b.documents) }},
		{Name: "eval", Units: b.documents, Run: func() error { return evalStream(binaries, name, overlay) }},
		{Name: "stock", Units: min(stockDocuments, b.documents), Run: stock},
	}, min(b.rounds, 5), 0)
	if err != nil {
		return err
	}
	row := report.Row{Section: fmt.Sprintf("stream of %d documents", b.documents), Unit: report.Nanoseconds, Note: "a document, one core"}
	row.What, row.Figure, row.Beside, row.Against, row.Target = "admitctl eval -q -f reason", samples[1], "bufio.Scanner over the same lines", samples[0], report.AtMost(12)
	row.Why = "most of a line's time is decoding it strictly into a document of its own, and another part collecting the documents that were decided"
	b.add(row)
	row.Beside, row.Against, row.Faster, row.Target = "stock OPA in process", samples[2], true, report.AtLeast(150)
	row.Note = fmt.Sprintf("a document, one core; OPA from %d", min(stockDocuments, b.documents))
	b.add(row)
	return nil
}

// writeStream writes a file of documents of all gates in turn.
func writeStream(name string, documents int) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewWriter(file)
	source := mix.New(2)
	next := []func() inputs.Document{
		func() inputs.Document { return source.Fence() },
		func() inputs.Document { return source.Retry() },
		func() inputs.Document { return source.Bind() },
		func() inputs.Document { return source.Compaction() },
		func() inputs.Document { return source.Fanout() },
	}
	for i := range documents {
		text, err := json.Marshal(next[i%len(next)]())
		if err != nil {
			return err
		}
		if _, err := lines.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return lines.Flush()
}

// scan reads the lines on one core and does nothing with them.
func scan(name string, documents int) error {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines, count := bufio.NewScanner(file), 0
	for lines.Scan() {
		count++
	}
	if count != documents {
		return fmt.Errorf("%s has %d lines, want %d", name, count, documents)
	}
	return lines.Err()
}

// evalStream decides a stream with the command, on one core.
func evalStream(binaries *processes.Binaries, name, overlay string) error {
	_, _, err := binaries.Run([]string{"GOMAXPROCS=1"}, binaries.Admitctl, "eval", "-q", "-f", "reason", "-t", overlay, name)
	return err
}

// stockStream decides the first documents of a stream with stock OPA, on one core: each line is decoded as OPA does it,
// and the reason is written.
func stockStream(program *engine.Program, name string, documents int) (func() error, error) {
	queries := map[string]rego.PreparedEvalQuery{}
	var err error
	for _, gate := range inputs.Gates() {
		if queries[gate], err = contender.Prepare(policies.Files, program.Data(), "data.admission."+gate+".decision.reason"); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	return func() error {
		before := runtime.GOMAXPROCS(1)
		defer runtime.GOMAXPROCS(before)
		lines := bufio.NewScanner(bytes.NewReader(text))
		for count := 0; count < documents && lines.Scan(); count++ {
			var document map[string]any
			if err := util.UnmarshalJSON(lines.Bytes(), &document); err != nil {
				return err
			}
			gate, _ := document["gate"].(string)
			results, err := queries[gate].Eval(ctx, rego.EvalInput(document))
			if err != nil || len(results) != 1 {
				return fmt.Errorf("%d results: %w", len(results), err)
			}
			fmt.Fprintln(io.Discard, results[0].Expressions[0].Value)
		}
		return lines.Err()
	}, nil
}
