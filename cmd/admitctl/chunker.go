package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/admitctl/admitctl/inputs"
)

// Limits of a chunk of lines. They bound what is in memory, and one core decides a chunk.
const (
	chunkBytes = 2 * inputs.MaxBytes // more than the longest line with its end
	chunkLines = 2048                // an empty line is a byte, and its answer hundreds
	firstChunk = 4 << 10             // so that the first answers come soon, and few lines are many chunks too
)

// chunker cuts a stream into chunks of whole lines, each with no more than one Read gave, so that the lines of a slow
// writer are handed on as they come. A line that is longer than a document may be is passed over and not kept.
type chunker struct {
	from io.Reader
	size int    // the most that the next Read may give
	rest []byte // was read, and belongs to the next chunk
	err  error  // of from; final
	line int    // the number of the last line that was handed on, or broke off
}

func newChunker(from io.Reader) *chunker {
	return &chunker{from: from, size: firstChunk}
}

// next puts the next lines into a buffer of chunkBytes, and gives them and the number of the first, from 1. The last
// line of a stream may lack its newline. io.EOF is the end, any other error is of the stream, and both are final.
func (c *chunker) next(buffer []byte) (lines []byte, first int, err error) {
	filled := copy(buffer, c.rest)
	c.rest = c.rest[:0]
	first = c.line + 1
	for searched := 0; ; {
		if last := bytes.LastIndexByte(buffer[searched:filled], '\n'); last >= 0 {
			return c.cut(buffer[:filled], searched+last+1), first, nil
		}
		searched = filled
		switch {
		case c.err != nil && filled == 0:
			return nil, first, c.err
		case c.err != nil:
			c.line++
			if !errors.Is(c.err, io.EOF) {
				return nil, first, c.err
			}
			return buffer[:filled], first, nil
		case filled > inputs.MaxBytes+1: // with a carriage return at its end it is still too long
			filled, searched = c.skip(buffer), inputs.MaxBytes+2
		default:
			filled += c.read(buffer[filled:min(filled+c.size, len(buffer))])
		}
	}
}

// cut keeps for the next chunk what stands after the last newline, or after as many lines as a chunk may have.
func (c *chunker) cut(text []byte, end int) []byte {
	newline := []byte{'\n'}
	count := bytes.Count(text[:end], newline)
	if count > chunkLines {
		count, end = chunkLines, 0
		for range chunkLines {
			end += bytes.IndexByte(text[end:], '\n') + 1
		}
	}
	c.line += count
	c.rest = append(c.rest, text[end:]...)
	c.size = min(2*c.size, chunkBytes)
	return text[:end]
}

// skip reads to the end of a line that is too long, and keeps as much of it as shows that. It gives how much of the
// buffer is filled then.
func (c *chunker) skip(buffer []byte) int {
	const kept = inputs.MaxBytes + 2
	for c.err == nil {
		read := buffer[kept : kept+c.read(buffer[kept:])]
		if end := bytes.IndexByte(read, '\n'); end >= 0 {
			return kept + copy(buffer[kept:], read[end:])
		}
	}
	return kept
}

// read is a Read that keeps its error for later.
func (c *chunker) read(into []byte) int {
	const most = 100 // of Reads that give nothing, as bufio has it
	for range most {
		count, err := c.from.Read(into)
		c.err = err
		if count > 0 || err != nil {
			return count
		}
	}
	c.err = io.ErrNoProgress
	return 0
}
