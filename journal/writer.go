package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrWrite is what every failure to log is: the decision must not be acted on, since nobody could find it again.
var ErrWrite = errors.New("the decision cannot be logged")

// Options say how to write a log. Clock must be there.
type Options struct {
	Clock    func() time.Time  // of the records' timestamps, and of the names of files that are put away
	Durable  bool              // Write returns once the record is on the disk; else once the operating system has it
	MaxBytes int64             // a file that would get longer is put away first; 0 never
	Keep     int               // how many files that were put away stay, the newest; 0 all
	Labels   map[string]string // of every record: "id" of who decides, its "version"
	Allow    *Allowlist        // nil allows everything
}

// Writer appends records to a file. It is safe for concurrent use: records that are written at the same time go to the
// file, and to the disk, together.
type Writer struct {
	name    string
	options Options
	encoder *encoder
	open    func(name string) (file, error)

	// Whoever holds turn writes.
	turn   sync.Mutex
	file   file
	size   int64
	torn   bool  // the file does not end with a newline
	broken error // nothing can be known of the file any more

	mutex   sync.Mutex
	waiting *group // that the next to write takes along
	closed  bool
}

// group are records that are written together.
type group struct {
	records []byte
	done    chan struct{}
	err     error
}

// file is what a Writer needs of an [os.File].
type file interface {
	Write(text []byte) (int, error)
	ReadAt(into []byte, offset int64) (int, error)
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Open opens a log to append to, and makes it where there is none; only its owner can read it. Where it ends in the middle
// of a record, as after a crash, the next begins on a line of its own. A log that is packed or an array is refused: readers
// would never see what is appended to it. A named pipe is opened once somebody reads it.
func Open(name string, options Options) (*Writer, error) {
	return openWith(name, options, func(name string) (file, error) {
		flags := os.O_RDWR | os.O_CREATE | os.O_APPEND
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			flags = os.O_WRONLY // who also reads a pipe is its own reader, and never learns that nobody else is
		}
		return os.OpenFile(name, flags, 0o600)
	})
}

func openWith(name string, options Options, open func(string) (file, error)) (*Writer, error) {
	if options.Clock == nil {
		return nil, fmt.Errorf("%w: a log needs a clock", ErrWrite)
	}
	w := &Writer{name: name, options: options, encoder: newEncoder(&options, newIDs()), open: open, waiting: newGroup()}
	if err := w.begin(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWrite, err)
	}
	if options.Durable {
		if err := syncDirectory(filepath.Dir(name)); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %w", ErrWrite, err), w.file.Close())
		}
	}
	return w, nil
}

func newGroup() *group { return &group{done: make(chan struct{})} }

// begin opens the file, and looks at how it ends.
func (w *Writer) begin() error {
	file, err := w.open(w.name)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	var last [1]byte
	if err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		_, err = file.ReadAt(last[:], info.Size()-1)
		w.torn = last[0] != '\n'
		err = errors.Join(err, takesLines(w.name, file))
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	w.file, w.size = file, info.Size()
	return nil
}

// takesLines refuses a file whose readers would not see lines that are appended to it.
func takesLines(name string, file io.ReaderAt) error {
	var first [4]byte
	count, err := file.ReadAt(first[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch text := first[:count]; {
	case isPacked(text):
		return fmt.Errorf("%s is packed: nothing can be appended to it; name another file", name)
	case bytes.HasPrefix(text, []byte{'['}):
		return fmt.Errorf("%s is a JSON array: nothing can be appended to it; name another file", name)
	}
	return nil
}

// Append appends the record of a decision, with its newline, to dst: for a caller that logs several at once by
// [Writer.WriteRecords].
func (w *Writer) Append(dst []byte, entry Entry) []byte { return w.encoder.append(dst, entry) }

// Write logs a decision. Its error is an [ErrWrite]; then nothing of the record is in the log, as far as that can still be
// had, and the decision must not be acted on.
func (w *Writer) Write(entry Entry) error {
	return w.WriteRecords(w.encoder.append(make([]byte, 0, 1024), entry))
}

// WriteRecords logs what [Writer.Append] made, all or none of it. Its error is that of [Writer.Write].
func (w *Writer) WriteRecords(records []byte) error {
	if len(records) == 0 {
		return nil
	}
	w.mutex.Lock()
	if w.closed {
		w.mutex.Unlock()
		return fmt.Errorf("%w: %s is closed", ErrWrite, w.name)
	}
	own := w.waiting
	first := len(own.records) == 0
	own.records = append(own.records, records...)
	w.mutex.Unlock()
	if first {
		w.lead(own)
	}
	<-own.done
	return own.err
}

// lead writes a group, once the one before it is written; until then others can join.
func (w *Writer) lead(own *group) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mutex.Lock()
	w.waiting = newGroup()
	w.mutex.Unlock()
	if err := w.write(own.records); err != nil {
		own.err = fmt.Errorf("%w: %w", ErrWrite, err)
	}
	close(own.done)
}

// write is called by whoever has the turn.
func (w *Writer) write(records []byte) error {
	switch {
	case w.broken != nil:
		return w.broken
	case w.file == nil:
		return fmt.Errorf("%s is closed", w.name)
	}
	if w.options.MaxBytes > 0 && w.size > 0 && w.size+int64(len(records)) > w.options.MaxBytes {
		if err := w.rotate(); err != nil {
			return err
		}
	}
	if w.torn {
		records = append([]byte{'\n'}, records...)
	}
	count, err := w.file.Write(records)
	if err == nil && count < len(records) {
		err = fmt.Errorf("%s: %d of %d bytes were written", w.name, count, len(records))
	}
	if err == nil && w.options.Durable {
		if err = w.file.Sync(); err != nil {
			// What a failed sync has left on the disk nobody knows, and the next one would not tell.
			w.broken = fmt.Errorf("%s: an earlier sync failed, so that it must be opened anew: %w", w.name, err)
		}
	}
	if err != nil {
		w.takeBack(count)
		return err
	}
	w.size += int64(count)
	w.torn = false
	return nil
}

// takeBack removes what a failed write left, unless somebody else wrote to the file too; then the next record begins on a
// new line.
func (w *Writer) takeBack(count int) {
	if count == 0 {
		return
	}
	info, err := w.file.Stat()
	alone := err == nil && info.Mode().IsRegular() && info.Size() == w.size+int64(count)
	if !alone || w.file.Truncate(w.size) != nil {
		w.torn = true
	}
}

// Close ends the log, once what is being written is. A Write that comes later, or still waits for its turn, is an
// [ErrWrite].
func (w *Writer) Close() error {
	w.mutex.Lock()
	w.closed = true
	w.mutex.Unlock()
	w.turn.Lock()
	defer w.turn.Unlock()
	if w.file == nil {
		return nil
	}
	file := w.file
	w.file = nil
	if err := file.Close(); err != nil {
		return fmt.Errorf("%w: %w", ErrWrite, err)
	}
	return nil
}
