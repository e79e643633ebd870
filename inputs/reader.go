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
	line, _, err := r.NextLine()
	if err != nil {
		return nil, err
	}
	return Decode(line, r.source)
}

// NextLine is the next line, without what ends it, and its number from 1, for a caller that decodes lines elsewhere: with
// [Decode], and a [Source] of the same File whose Line is that number. The bytes are the reader's own, until it is called
// again. Errors are those of [Reader.Next], but for what is wrong with a line other than its length.
func (r *Reader) NextLine() (line []byte, number int, err error) {
	line, err = r.lines.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return nil, r.source.Line, err
	}
	r.source.Line++
	switch {
	case err == nil:
		line = line[:len(line)-1]
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, r.source.Line, r.passOver()
	case !errors.Is(err, io.EOF):
		return nil, r.source.Line, err
	}
	return bytes.TrimSuffix(line, []byte("\r")), r.source.Line, nil
}

// passOver reads on to the end of a line that is too long, and is its error.
func (r *Reader) passOver() error {
	err := bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.lines.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	d := &decoder{source: r.source}
	return d.place(at(0, tooLarge()))
}
