package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/admitctl/admitctl/journal"
)

// Log is a decision log that can be read.
type Log struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// ReplayOptions say how to replay. The zero ReplayOptions will do.
type ReplayOptions struct {
	Workers   int                            // how many records are decided at once; 0 is one
	Most      int                            // how many examples of each cell are listed; 0 is 3
	MaxRecord int                            // see [journal.ReaderOptions]
	Progress  func(bytes int64, records int) // is called now and then with what was read so far, of all logs; may be nil
}

const defaultExamples = 3

// Replay decides the records of logs again, in constant memory. base may be nil: then the decisions of head are held against
// those that were logged. What is read after an error of the disk is not in the result, which stands beside the error.
func Replay(ctx context.Context, logs []Log, base *Side, head Side, options ReplayOptions) (Replayed, error) {
	if head.Program == nil || base != nil && base.Program == nil {
		return Replayed{}, errors.New("a replay needs policies that are loaded")
	}
	if options.Most <= 0 {
		options.Most = defaultExamples
	}
	r := newReplay(base, head, options)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	workers := make([]*replayer, max(options.Workers, 1))
	for i := range workers {
		workers[i] = r.worker()
		running.Go(func() {
			for b := range r.todo {
				workers[i].work(ctx, b)
				r.free <- b
			}
		})
	}
	err := r.read(ctx, logs)
	close(r.todo)
	running.Wait()
	for _, w := range workers {
		r.counts.add(&w.counts, options.Most)
	}
	return r.result(), err
}

// replay is what all that takes part knows.
type replay struct {
	options    ReplayOptions
	base       *replayedSide // nil: what was logged
	head       *replayedSide
	free, todo chan *rawBatch
	counts     counts   // of what the reader found, and in the end all
	torn       []string // how logs end that end in the middle of a record
	sequence   int      // of the last record
	consumed   int64    // of the logs before
}

func newReplay(base *Side, head Side, options ReplayOptions) *replay {
	batches := 2*max(options.Workers, 1) + 1
	r := &replay{options: options, counts: newCounts(), head: newReplayedSide(head), free: make(chan *rawBatch, batches), todo: make(chan *rawBatch, batches)}
	if base != nil {
		r.base = newReplayedSide(*base)
	}
	for range batches {
		r.free <- &rawBatch{}
	}
	return r
}

// Limits of a batch, which one core decides in one go.
const (
	batchBytes   = 256 << 10
	batchRecords = 512
)

// rawBatch are records that follow one another in a log.
type rawBatch struct {
	file     string
	text     []byte // of all
	records  []rawRecord
	sequence int // of the first
}

// rawRecord is where a record lies in its batch, or why there is none.
type rawRecord struct {
	line, end int
	err       error
}

// read hands the records of all logs out.
func (r *replay) read(ctx context.Context, logs []Log) error {
	for _, log := range logs {
		if err := r.readLog(ctx, log); err != nil {
			return err
		}
	}
	return nil
}

func (r *replay) readLog(ctx context.Context, log Log) error {
	from, err := log.Open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	reader := journal.NewReader(from, journal.ReaderOptions{File: log.Name, MaxRecord: r.options.MaxRecord})
	defer reader.Close()
	for err == nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: stopped after %d records: %w", log.Name, r.sequence, context.Cause(ctx))
		}
		b := <-r.free
		err = r.fill(b, reader, log.Name)
		r.todo <- b
		if r.options.Progress != nil {
			r.options.Progress(r.consumed+reader.Consumed(), r.sequence)
		}
	}
	r.consumed += reader.Consumed()
	if torn := reader.Torn(); torn != nil {
		r.torn = append(r.torn, torn.Error())
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// fill puts the next records into a batch.
func (r *replay) fill(b *rawBatch, reader *journal.Reader, file string) error {
	*b = rawBatch{file: file, text: b.text[:0], records: b.records[:0], sequence: r.sequence}
	for len(b.text) < batchBytes && len(b.records) < batchRecords {
		raw, err := reader.Next()
		var broken *journal.Error
		switch {
		case err == nil:
			b.text = append(b.text, raw.Text...)
			b.records = append(b.records, rawRecord{line: raw.Line, end: len(b.text)})
		case errors.As(err, &broken):
			b.records = append(b.records, rawRecord{line: broken.Line, end: len(b.text), err: err})
		default:
			return err
		}
		r.sequence++
	}
	return nil
}
