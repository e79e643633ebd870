package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// batch is what one core reads, decides and renders in one go: lines of a file, or one document, or why there is none.
type batch struct {
	file   string // as the command line has it
	text   []byte // lies in buffer
	first  int    // the number of the first line of text, from 1; 0 where text is one document
	err    error  // why the document could not be read
	wrong  error  // of an argument that gave no documents: told, and no document
	buffer []byte // of chunkBytes, kept for the next batch

	// What came of it.
	out     []byte        // what is printed
	remarks []remark      // what is told between
	stopped error         // why documents are left
	records []byte        // what is logged
	tally   tally         // where it is logged; else the worker has it
	decided chan struct{} // receives once what came of it is there
}

// remark is a message that stands before what is printed from an offset on.
type remark struct {
	offset int
	text   string
}

func (b *batch) remark(text string) { b.remarks = append(b.remarks, remark{len(b.out), text}) }

// reset makes a batch ready for its next use.
func (b *batch) reset(file string) {
	if b.buffer == nil {
		b.buffer = make([]byte, chunkBytes)
	}
	*b = batch{file: file, buffer: b.buffer, out: b.out[:0], remarks: b.remarks[:0], records: b.records[:0], decided: b.decided}
}

// print writes what came of a batch, and what is told of it, in the order of the documents.
func (b *batch) print(io stdio, out io.Writer) error {
	from := 0
	for _, remark := range b.remarks {
		if err := printTo(out, b.out[from:remark.offset]); err != nil {
			return err
		}
		from = remark.offset
		complain(io, remark.text)
	}
	return printTo(out, b.out[from:])
}

func printTo(out io.Writer, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := out.Write(text); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// answer is one document of the command line, or why there is none.
type answer struct {
	document inputs.Document
	err      error
	file     string // printable
	line     int    // from 1, where the file holds a document a line; else 0
}

// worker decides batches, one after the other, and keeps what the exit code and the summary need.
type worker struct {
	*evaluation
	line  line // the last; the next takes its place
	tally tally
}

func (w *worker) work(ctx context.Context, b *batch) {
	if w.log != nil {
		defer func() { b.tally, w.tally = w.tally, tally{} }()
	}
	w.line.answer = answer{file: inputs.PrintableName(b.file)}
	source := w.source
	source.File, source.Line = b.file, b.first
	switch {
	case b.wrong != nil:
		w.tally.wrong = true
		b.remark("error: " + b.wrong.Error())
	case b.err != nil:
		w.line.err = b.err
		w.answer(ctx, b)
	case b.first > 0:
		w.lines(ctx, b, source)
	case ctx.Err() != nil:
		b.stopped = fmt.Errorf("stopped before %s: %w", b.file, context.Cause(ctx))
	default:
		w.line.document, w.line.err = w.decode(b.text, source)
		w.answer(ctx, b)
	}
}

// lines decides a document a line. Whoever interrupts waits for one decision, and not for those of the whole batch.
func (w *worker) lines(ctx context.Context, b *batch, source inputs.Source) {
	for text := b.text; len(text) > 0; source.Line++ {
		if ctx.Err() != nil {
			b.stopped = fmt.Errorf("%s: stopped after line %d: %w", b.file, source.Line-1, context.Cause(ctx))
			b.text = b.text[:len(b.text)-len(text)]
			return
		}
		data := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			data, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		if last := len(data) - 1; last >= 0 && data[last] == '\r' {
			data = data[:last]
		}
		w.line.line = source.Line
		w.line.document, w.line.err = w.decode(data, source)
		w.answer(ctx, b)
	}
}

// answer decides one document and renders the decision.
func (w *worker) answer(ctx context.Context, b *batch) {
	decision, err := &w.line.decision, w.line.err
	if err == nil {
		err = w.decide(ctx, w.line.document, decision)
	} else {
		*decision = w.program.Invalid(gateOf(err), err)
	}
	switch {
	case err != nil:
		w.tally.refused++
		decision.Error = inputs.Printable(located(&w.line.answer, err))
		b.remark("error: " + decision.Error)
	case decision.Admit:
		w.tally.admits++
	default:
		w.tally.rejects++
	}
	if w.counted {
		w.tally.count(decision)
	}
	if w.log != nil {
		w.record(b)
	}
	b.out = append(w.render(b.out, &w.line), '\n')
}

// gateOf is the gate of a document that could not be read, where at least that is known.
func gateOf(err error) string {
	var problem *inputs.Error
	if errors.As(err, &problem) {
		return problem.Gate
	}
	return ""
}

// located names the document, unless the error does already, as those of its text and of its file do.
func located(from *answer, err error) string {
	place := string(appendPlace(nil, from))
	var path *fs.PathError
	if strings.HasPrefix(err.Error(), place+":") || errors.As(err, &path) {
		return err.Error()
	}
	return place + ": " + err.Error()
}
