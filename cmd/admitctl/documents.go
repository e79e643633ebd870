package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// answer is one document of the command line, or why there is none.
type answer struct {
	document inputs.Document
	err      error
	file     string
	line     int // from 1, where the file holds a document a line; else 0
}

// documents yields every document that the arguments name, one bad one never in the way of the others. The error is
// of a whole argument: a directory without documents, or a file that breaks off.
type documents struct {
	source inputs.Source // how to decode, but for file and line
	ndjson bool
	in     io.Reader
	output fs.FileInfo // of the file that decisions go to, if any, which is no document of its directory
	each   func(answer) error
	wrong  func(error)
}

func (d *documents) named(file string) inputs.Source {
	source := d.source
	source.File = file
	return source
}

func (d *documents) read(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := d.readArgument(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *documents) readArgument(ctx context.Context, name string) error {
	if name == "-" {
		if d.ndjson {
			return d.readLines(ctx, "-", d.in)
		}
		document, err := inputs.Read(d.in, d.named("-"))
		return d.each(answer{document: document, err: err, file: "-"})
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return d.each(answer{err: err, file: name})
	case info.IsDir():
		return d.readDirectory(ctx, name)
	}
	return d.readFile(ctx, name, info)
}

// readDirectory reads the documents below a directory, in the order of their names. Wanted decisions are none.
func (d *documents) readDirectory(ctx context.Context, root string) error {
	count := 0
	// With the slash a link to a directory is walked too.
	err := filepath.WalkDir(root+string(filepath.Separator), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			d.wrong(err)
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name != root+string(filepath.Separator) && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !isDocument(entry.Name()):
			return nil
		}
		info, err := os.Stat(name)
		if err == nil && d.output != nil && os.SameFile(info, d.output) {
			return nil
		}
		count++
		if err != nil {
			return d.each(answer{err: err, file: name})
		}
		return d.readFile(ctx, name, info)
	})
	if err == nil && count == 0 {
		d.wrong(fmt.Errorf("%s: there are no documents (*.json, *.ndjson, *.jsonl) below this directory", root))
	}
	return err
}

func isDocument(name string) bool {
	return isLines(name) || strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".want.json")
}

func isLines(name string) bool {
	return strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
}

func (d *documents) readFile(ctx context.Context, name string, info fs.FileInfo) error {
	if ctx.Err() != nil {
		return fmt.Errorf("stopped before %s: %w", name, context.Cause(ctx))
	}
	if info.IsDir() {
		return d.each(answer{err: errors.New("a directory behind a link; name it itself"), file: name})
	}
	if !info.Mode().IsRegular() {
		return d.each(answer{err: errors.New("no regular file; pipe it in and name it -"), file: name})
	}
	file, err := os.Open(name)
	if err != nil {
		return d.each(answer{err: err, file: name})
	}
	defer func() { _ = file.Close() }() // it was only read
	if isLines(name) || d.ndjson {
		return d.readLines(ctx, name, file)
	}
	document, err := inputs.Read(bufio.NewReader(file), d.named(name))
	return d.each(answer{document: document, err: err, file: name})
}

// interruptible is a reader that a signal ends, where reading alone would wait for whoever writes.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (r interruptible) Read(into []byte) (int, error) {
	if r.ctx.Done() == nil {
		return r.from.Read(into)
	}
	type result struct {
		count int
		err   error
	}
	done := make(chan result, 1)
	go func() {
		count, err := r.from.Read(into)
		done <- result{count, err}
	}()
	select {
	case read := <-done:
		return read.count, read.err
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx) // into is lost to the goroutine, and nobody reads on
	}
}

func (d *documents) readLines(ctx context.Context, name string, from io.Reader) error {
	lines := inputs.NewReader(from, d.named(name))
	for count := 0; ; count++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: stopped after line %d: %w", name, lines.Line(), context.Cause(ctx))
		}
		document, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			if count == 0 {
				d.wrong(fmt.Errorf("%s: there are no documents in this file", name))
			}
			return nil
		case err != nil && !errors.Is(err, inputs.ErrInvalid):
			d.wrong(fmt.Errorf("%s: after line %d: %w", name, lines.Line(), err))
			return nil
		}
		if err := d.each(answer{document: document, err: err, file: name, line: lines.Line()}); err != nil {
			return err
		}
	}
}
