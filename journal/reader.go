package journal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// MaxRecord is how long a record may be, in bytes, unless [ReaderOptions] say otherwise.
const MaxRecord = 1 << 20

// ReaderOptions say how to read a log. The zero ReaderOptions will do.
type ReaderOptions struct {
	File      string // named in errors
	MaxRecord int    // how long a record may be, in bytes; 0 is [MaxRecord]
}

// Reader reads the records of a log: one a line, or JSON arrays of them, as OPA uploads them; plain, by gzip or by zstd.
// Which it is, the data say and not their name. What it holds in memory does not grow with the log, whatever that
// unpacks to. It is not safe for concurrent use.
type Reader struct {
	file   string
	most   int
	source *source
	unpack io.ReadCloser // nil where nothing is packed
	from   io.Reader

	buffer     []byte
	start, end int // of what is in the buffer and was not handed out
	line       int // that is read, from 1
	begun      bool
	array      bool // in an array; else it is lines
	after      bool // an element ended with a comma, and another must come
	torn       error
	final      error
}

// source keeps apart what the log's own bytes fail with from what unpacking them does.
type source struct {
	from  io.Reader
	err   error
	count int64
}

func (s *source) Read(into []byte) (int, error) {
	count, err := s.from.Read(into)
	s.count += int64(count)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return count, err
}

// NewReader reads a log from r, on which it need not be at a file's beginning. Close frees what unpacking takes.
func NewReader(r io.Reader, options ReaderOptions) *Reader {
	if options.MaxRecord <= 0 {
		options.MaxRecord = MaxRecord
	}
	return &Reader{file: options.File, most: options.MaxRecord, source: &source{from: r}, line: 1}
}

// Close frees what unpacking takes. It does not close what is read.
func (r *Reader) Close() {
	if r.unpack != nil {
		_ = r.unpack.Close() // what is wrong with the data, Next and Torn have told
	}
}

// Consumed is how many bytes of the log, packed as it is, were read so far.
func (r *Reader) Consumed() int64 { return r.source.count }

// Torn is an *[Error] that is an [ErrTorn], once Next has given io.EOF, where the log ends in the middle of a record or is
// damaged: the records before that place were given.
func (r *Reader) Torn() error { return r.torn }

// Next is the next record, whose text is the reader's own until Next is called again. An *[Error] that is an [ErrRecord] is
// about one record alone, and reading goes on. io.EOF is the end, see [Reader.Torn]; any other error is of what is read,
// and final.
func (r *Reader) Next() (Raw, error) {
	if r.final != nil {
		return Raw{}, r.final
	}
	if r.from == nil {
		if err := r.open(); err != nil {
			return Raw{}, r.ends(err)
		}
	}
	for {
		text, line, err := r.piece()
		switch {
		case errors.Is(err, ErrRecord):
			return Raw{}, err
		case err != nil:
			return Raw{}, r.ends(err)
		case text != nil:
			return Raw{File: r.file, Line: line, Text: text}, nil
		}
	}
}

// The most memory that unpacking may take.
const (
	maxWindow  = 8 << 20 // what zstd recommends that every decoder can read
	maxDecoder = 64 << 20
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// open looks at the first bytes, and unpacks what is packed.
func (r *Reader) open() error {
	packed := bufio.NewReaderSize(r.source, 64<<10)
	r.from = packed
	magic, err := packed.Peek(len(zstdMagic))
	if r.source.err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		unpack, err := gzip.NewReader(packed)
		if err != nil {
			return err
		}
		r.unpack = unpack
	case bytes.Equal(magic, zstdMagic), isSkippable(magic):
		unpack, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxDecoder))
		if err != nil {
			return err
		}
		r.unpack = unpack.IOReadCloser()
	default:
		return nil
	}
	r.from = r.unpack
	return nil
}

// isPacked reports whether these are the first bytes of packed data.
func isPacked(magic []byte) bool {
	return bytes.HasPrefix(magic, gzipMagic) || bytes.Equal(magic, zstdMagic) || isSkippable(magic)
}

// isSkippable reports whether zstd data begin with a frame that tells something else, as those of some tools do.
func isSkippable(magic []byte) bool {
	return len(magic) == 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})
}

// ends is what Next gives from now on: io.EOF, also where what is packed is damaged, or an error of the log's own bytes.
func (r *Reader) ends(err error) error {
	switch {
	case r.source.err != nil:
		r.final = fmt.Errorf("after line %d: %w", r.line-1, r.source.err)
		if r.file != "" {
			r.final = fmt.Errorf("%s: %w", r.file, r.final)
		}
	case errors.Is(err, io.EOF):
		r.final = io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		r.final = io.EOF
		r.tears("the packed data end too soon; what came before was read")
	default:
		r.final = io.EOF
		r.tears("the packed data are damaged (" + err.Error() + "); what came before was read")
	}
	return r.final
}

func (r *Reader) tears(problem string) {
	if r.torn == nil {
		r.torn = &Error{File: r.file, Line: r.line, Problem: problem, Kind: ErrTorn}
	}
}

func (r *Reader) wrong(line int, kind error, problem string) error {
	return &Error{File: r.file, Line: line, Problem: problem, Kind: kind}
}

func (r *Reader) tooLong(line int) error {
	return r.wrong(line, ErrTooLong, fmt.Sprintf("a record of more than %d bytes, which was passed over", r.most))
}
