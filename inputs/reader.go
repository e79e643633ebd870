package inputs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Read reads the one document of r, and of more than [MaxBytes] no more than that. Its errors are those of [Decode],
// and those of r.
func Read(r io.Reader, source Source) (Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		if source.File == "" {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", PrintableName(source.File), err)
	}
	return Decode(data, source)
}

// Reader reads documents that stand one a line (NDJSON), in constant memory.
type Reader struct {
	lines  *bufio.Reader
	source Source
}

// NewReader reads r from its first line on; source.Line is the number of that line.
func NewReader(r io.Reader, source Source) *Reader {
	source.Line = max(source.Line, 1) - 1
	return &Reader{lines: bufio.NewReaderSize(r, MaxBytes+2), source: source}
}

// Line is the number of the line that Next read last, from 1.
func (r *Reader) Line() int { return r.source.Line }

// Next reads the document of the next line. An *[Error] is about this line alone: reading can go on. io.EOF is the
// end; any other error is of the underlying reader, and final.
func (r *Reader) Next() (Document, error) {
	line, err := r.lines.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return nil, err
	}
	r.source.Line++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.lines.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		d := &decoder{source: r.source}
		return nil, d.place(at(0, tooLarge()))
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	return Decode(line, r.source)
}
