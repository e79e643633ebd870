package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// documents puts every document that the arguments name into a pipeline, one bad one never in the way of the others.
type documents struct {
	ndjson  bool
	in      io.Reader
	written []fs.FileInfo // of the files that decisions go to, nil for none, which are no documents of their directory
	to      *pipeline
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
		return d.readDocument("-", d.in)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return d.none(name, err)
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
			failed := d.wrong(err)
			if failed == nil && entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return failed
		case name != root+string(filepath.Separator) && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !isDocument(entry.Name()):
			return nil
		}
		info, err := os.Stat(name)
		if err == nil && slices.ContainsFunc(d.written, func(own fs.FileInfo) bool { return own != nil && os.SameFile(info, own) }) {
			return nil
		}
		count++
		if err != nil {
			return d.none(name, err)
		}
		return d.readFile(ctx, name, info)
	})
	if err == nil && count == 0 {
		return d.wrong(fmt.Errorf("%s: there are no documents (*.json, *.ndjson, *.jsonl) below this directory", root))
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
		return d.none(name, errors.New("a directory behind a link; name it itself"))
	}
	if !info.Mode().IsRegular() {
		return d.none(name, errors.New("no regular file; pipe it in and name it -"))
	}
	file, err := os.Open(name)
	if err != nil {
		return d.none(name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if isLines(name) || d.ndjson {
		return d.readLines(ctx, name, file)
	}
	return d.readDocument(name, file)
}

// interruptible is a reader that a signal ends, where reading alone would wait for whoever writes.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (r interruptible) Read(into []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
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

// none tells of a document that cannot be read.
func (d *documents) none(name string, err error) error {
	b := d.to.take(name)
	b.err = err
	return d.to.put(b)
}

// wrong tells of an argument that gave no documents.
func (d *documents) wrong(err error) error {
	b := d.to.take("")
	b.wrong = err
	return d.to.put(b)
}

// readDocument reads one document, and of more than the largest no more than shows that.
func (d *documents) readDocument(name string, from io.Reader) error {
	b := d.to.take(name)
	size, err := io.ReadFull(from, b.buffer[:inputs.MaxBytes+1])
	b.text = b.buffer[:size]
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.err = fmt.Errorf("%s: %w", inputs.PrintableName(name), err)
		b.buffer = nil // a read that was given up can still write to it
	}
	return d.to.put(b)
}

func (d *documents) readLines(ctx context.Context, name string, from io.Reader) error {
	chunks := newChunker(from)
	for {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: stopped after line %d: %w", name, chunks.line, context.Cause(ctx))
		}
		b := d.to.take(name)
		var err error
		b.text, b.first, err = chunks.next(b.buffer)
		switch {
		case errors.Is(err, io.EOF) && chunks.line == 0:
			b.wrong = fmt.Errorf("%s: there are no documents in this file", name)
		case err != nil && !errors.Is(err, io.EOF):
			b.wrong = fmt.Errorf("%s: after line %d: %w", name, chunks.line, err)
			b.buffer = nil // a read that was given up can still write to it
		}
		if failed := d.to.put(b); failed != nil || err != nil {
			return failed
		}
	}
}
