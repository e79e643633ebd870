package journal

import (
	"bytes"
	"errors"
	"io"
)

// firstBuffer is how much is read at once.
const firstBuffer = 256 << 10

// piece is the next line or element, and the line on which it begins. It is nil where there was nothing but white space.
func (r *Reader) piece() (text []byte, line int, err error) {
	if !r.begun {
		if err := r.begin(); err != nil {
			return nil, 0, err
		}
	}
	if r.array {
		return r.element()
	}
	return r.nextLine()
}

// begin finds out whether what comes is an array. White space before it counts lines.
func (r *Reader) begin() error {
	for {
		for ; r.start < r.end; r.start++ {
			switch r.buffer[r.start] {
			case '\n':
				r.line++
			case ' ', '\t', '\r':
			case '[':
				r.start++
				r.begun, r.array, r.after = true, true, false
				return nil
			default:
				r.begun, r.array = true, false
				return nil
			}
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// fill reads on behind what is in the buffer, which grows where it is full. It gives no error beside bytes.
func (r *Reader) fill() error {
	const most = 100 // of Reads that give nothing, as bufio has it
	if r.buffer == nil {
		r.buffer = make([]byte, min(firstBuffer, r.most+2))
	}
	switch {
	case r.start == r.end:
		r.start, r.end = 0, 0
	case r.end == len(r.buffer) && r.start > 0:
		r.end = copy(r.buffer, r.buffer[r.start:r.end])
		r.start = 0
	case r.end == len(r.buffer):
		bigger := make([]byte, min(2*len(r.buffer), r.most+2))
		copy(bigger, r.buffer)
		r.buffer = bigger
	}
	for range most {
		count, err := r.from.Read(r.buffer[r.end:])
		r.end += count
		if count > 0 {
			return nil // an error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// isFull reports whether what is in the buffer is longer than a record may be.
func (r *Reader) isFull() bool { return r.end-r.start > r.most+1 }

func (r *Reader) nextLine() (text []byte, line int, err error) {
	for searched := 0; ; {
		held := r.buffer[r.start:r.end]
		if end := bytes.IndexByte(held[searched:], '\n'); end >= 0 {
			text, line = held[:searched+end], r.line
			r.start += len(text) + 1
			r.line++
			return r.checked(text, line)
		}
		searched = len(held)
		if r.isFull() {
			return nil, 0, r.passLine()
		}
		if err := r.fill(); err != nil {
			return r.lastLine(err)
		}
	}
}

func (r *Reader) checked(text []byte, line int) ([]byte, int, error) {
	text = bytes.Trim(text, " \t\r")
	switch {
	case len(text) == 0:
		return nil, line, nil
	case len(text) > r.most:
		return nil, line, r.tooLong(line)
	}
	return text, line, nil
}

// lastLine is what stands after the last newline: a record that only lacks its newline, or a part of one.
func (r *Reader) lastLine(err error) ([]byte, int, error) {
	text, line, wrong := r.checked(r.buffer[r.start:r.end], r.line)
	r.start = r.end
	switch {
	case wrong != nil:
		return nil, line, wrong
	case text == nil || r.source.err != nil:
		return nil, line, err
	case errors.Is(err, io.EOF) && isJSON(text):
		return text, line, nil
	}
	r.tears("the log ends in the middle of this record, as after a crash; the records before it were read")
	return nil, line, err
}

// passLine passes over the rest of a line that is too long.
func (r *Reader) passLine() error {
	line := r.line
	for {
		if end := bytes.IndexByte(r.buffer[r.start:r.end], '\n'); end >= 0 {
			r.start += end + 1
			r.line++
			return r.tooLong(line)
		}
		r.start = r.end
		if r.fill() != nil { // which comes again
			return r.tooLong(line)
		}
	}
}

// element is the next element of an array: what stands up to the comma or bracket that ends it, whatever that is.
func (r *Reader) element() (text []byte, line int, err error) {
	e := element{}
	long := false
	if err := r.skipSpace(); err != nil {
		return r.lastElement(err)
	}
	line = r.line
	for {
		held := r.buffer[r.start:r.end]
		if e.scan(held) {
			break
		}
		if r.isFull() {
			long = true
			r.start, e.at = r.end, 0
		}
		if err := r.fill(); err != nil {
			r.line += e.lines
			if long {
				r.start = r.end
				return nil, line, r.tooLong(line)
			}
			return r.lastElement(err)
		}
	}
	ended := r.buffer[r.start+e.at]
	text = bytes.TrimRight(r.buffer[r.start:r.start+e.at], " \t\r\n")
	r.start += e.at + 1
	r.line += e.lines
	must := r.after || ended == ','
	r.after = ended == ','
	if ended == ']' {
		r.begun = false // another array may follow, or lines
	}
	switch {
	case long || len(text) > r.most:
		return nil, line, r.tooLong(line)
	case len(text) == 0 && must:
		return nil, line, r.wrong(line, ErrRecord, "a comma without a record on both of its sides")
	case len(text) == 0:
		return nil, line, nil
	}
	return text, line, nil
}

// skipSpace passes over white space, and counts lines.
func (r *Reader) skipSpace() error {
	for {
		for ; r.start < r.end; r.start++ {
			switch r.buffer[r.start] {
			case '\n':
				r.line++
			case ' ', '\t', '\r':
			default:
				return nil
			}
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// lastElement is what stands at the end of a log whose array has none.
func (r *Reader) lastElement(err error) ([]byte, int, error) {
	text := bytes.TrimRight(r.buffer[r.start:r.end], " \t\r\n")
	r.start = r.end
	if r.source.err != nil {
		return nil, r.line, err
	}
	line := r.line - bytes.Count(text, []byte{'\n'})
	if errors.Is(err, io.EOF) && len(text) > 0 && isJSON(text) {
		r.tears("the log ends before its array does; the records before that were read")
		return text, line, nil
	}
	r.tears("the log ends in the middle of an array; the records before that were read")
	return nil, r.line, err
}

// element follows JSON just so far that it finds where it ends.
type element struct {
	at     int // how far it was read
	depth  int
	lines  int
	quoted bool
	escape bool
}

// scan reads on, and reports whether it came to the comma or bracket that ends the element, which is then at e.at.
func (e *element) scan(text []byte) bool {
	for ; e.at < len(text); e.at++ {
		b := text[e.at]
		switch {
		case b == '\n':
			e.lines++
			e.escape = false
		case e.escape:
			e.escape = false
		case e.quoted:
			switch b {
			case '\\':
				e.escape = true
			case '"':
				e.quoted = false
			}
		case b == '"':
			e.quoted = true
		case b == '{', b == '[':
			e.depth++
		case e.depth == 0 && (b == ',' || b == ']'):
			return true
		case e.depth > 0 && (b == '}' || b == ']'): // one too many must not swallow what follows
			e.depth--
		}
	}
	return false
}
