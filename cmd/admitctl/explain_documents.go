package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

// namesDocuments reports whether an argument that is no reason and no gate names documents.
func namesDocuments(subject string) bool {
	if subject == "-" || isDocument(subject) || strings.ContainsRune(subject, os.PathSeparator) {
		return true
	}
	_, err := os.Stat(subject)
	return err == nil
}

// explainDocuments says of every document of a file why it was decided so. It fails for those alone that could not be.
func explainDocuments(ctx context.Context, c *common, own *explainer, name string, io stdio) error {
	var total tally
	err := writeOutput(c, own.side.Name, []string{name}, io, func(out output) error {
		own.style = out.style
		program := own.side.Program
		e := &evaluation{decode: inputs.Decode, decide: own.decide, program: program, render: own.render, source: inputs.Source{Gate: c.gate, Schemas: program.Schemas()}}
		var err error
		total, err = e.run(ctx, 1, io, out, func(p *pipeline) error {
			source := &documents{in: interruptible{p.ctx, io.in}, written: []fs.FileInfo{fileOf(out.Writer)}, to: p}
			return source.read(p.ctx, []string{name})
		})
		return err
	})
	if err == nil && total.code() == exitNoVerdict {
		return &exitError{code: exitNoVerdict}
	}
	return err
}

// explainer explains one document after the other.
type explainer struct {
	side    review.Side
	options review.Options
	style   style
	json    bool

	told    bool // a document before this one
	last    engine.Explanation
	nearest review.Counterfactual
	failed  error // why there is no nearest
}

func (e *explainer) decide(ctx context.Context, document inputs.Document, into *engine.Decision) error {
	var err error
	if e.last, err = e.side.Program.Explain(ctx, document); err == nil {
		e.nearest, e.failed = review.Nearest(ctx, e.side, document, e.options)
	}
	*into = e.last.Decision
	return err
}

// render appends a block without its last newline, and an empty line before all but the first.
func (e *explainer) render(dst []byte, l *line) []byte {
	if e.told {
		dst = append(dst, '\n')
	}
	e.told = true
	var text bytes.Buffer
	if e.json {
		if err := encodeJSON(&text, e.explained(l)); err != nil {
			return fmt.Appendf(dst, "%q", err.Error()) // nothing that is encoded has a value that JSON does not
		}
	} else {
		e.write(&text, l)
	}
	return append(dst, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
