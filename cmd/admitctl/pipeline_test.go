package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// planted is a document that has its decision with it.
type planted struct {
	decision engine.Decision
	age      inputs.Value
}

func (*planted) Gate() string    { return "fanout" }
func (*planted) Validate() error { return nil }
func (p *planted) Fields() iter.Seq2[string, inputs.Value] {
	return func(yield func(string, inputs.Value) bool) {
		_ = yield("class", inputs.Value{Kind: inputs.KindText, Text: "tool_fanout"}) && yield("queue_age_ms", p.age)
	}
}

func number(n int64) inputs.Value { return inputs.Value{Kind: inputs.KindNumber, Number: n} }

// readily is an evaluation that takes no time: a line of an even length is admitted, one of an odd length is shed, and
// one of a byte, or of more than fit, is refused as ever.
func readily(format string) *evaluation {
	policy := engine.Policy{Revision: "sha256:" + strings.Repeat("0", 64)}
	documents := []*planted{
		{age: number(1200), decision: engine.Decision{
			Gate: "fanout", Admit: true, Reason: "admit", Action: "fan_out", Policy: policy,
			Violations: []engine.Violation{}, Effects: []engine.Effect{}, Unknown: []string{},
		}},
		{age: number(16000), decision: engine.Decision{
			Gate: "fanout", Reason: "slack_below_floor", Action: "shed", Policy: policy,
			Violations: []engine.Violation{
				{Reason: "slack_below_floor", Observed: number(4000), Limit: number(60000)},
				{Reason: "queue_age_over_limit", Observed: number(16000), Limit: number(15000)},
			},
			Effects: []engine.Effect{}, Unknown: []string{"inflight"},
		}},
	}
	title := func(string, string, string) string { return "Less time is left than the class needs" }
	return &evaluation{
		decode: func(data []byte, source inputs.Source) (inputs.Document, error) {
			if len(data) < 2 || len(data) > inputs.MaxBytes {
				return inputs.Decode(data, source)
			}
			return documents[len(data)%2], nil
		},
		decide: func(_ context.Context, document inputs.Document, into *engine.Decision) error {
			if planted, ok := document.(*planted); ok {
				*into = planted.decision
			}
			return nil
		},
		render: renderers(style{}, title)[format],
	}
}

// session is what a command printed.
type session struct {
	out, complaints string
	total           tally
	err             error
}

// decideLines decides a document a line, on some cores.
func decideLines(ctx context.Context, e *evaluation, cores int, in io.Reader) session {
	var out, complaints bytes.Buffer
	total, err := e.run(ctx, cores, stdio{err: &complaints}, &out, func(p *pipeline) error {
		return (&documents{ndjson: true, in: interruptible{p.ctx, in}, to: p}).read(p.ctx, []string{"-"})
	})
	return session{out.String(), complaints.String(), total, err}
}

// oneByOne is what decideLines must do, as a loop.
func oneByOne(e *evaluation, in io.Reader) session {
	var out, complaints bytes.Buffer
	w := &worker{evaluation: e}
	lines := inputs.NewReader(in, inputs.Source{File: "-"})
	wrong := func(text string) {
		complain(stdio{err: &complaints}, text)
		w.tally.wrong = true
	}
	for count := 0; ; count++ {
		document, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			if count == 0 {
				wrong("error: -: there are no documents in this file")
			}
			w.tally.add(tally{})
			return session{out.String(), complaints.String(), w.tally, nil}
		case err != nil && !errors.Is(err, inputs.ErrInvalid):
			wrong(fmt.Sprintf("error: -: after line %d: %v", lines.Line(), err))
			w.tally.add(tally{})
			return session{out.String(), complaints.String(), w.tally, nil}
		}
		var b batch
		w.line.answer = answer{document: document, err: err, file: "-", line: lines.Line()}
		w.answer(context.Background(), &b)
		out.Write(b.out)
		for _, remark := range b.remarks {
			complain(stdio{err: &complaints}, remark.text)
		}
	}
}

// The documents are real here, so that a buffer that is used again too soon shows.
func TestLinesAreAnsweredAsOneByOneOnAnyNumberOfCores(t *testing.T) {
	decoding := func(format string) *evaluation {
		e := readily(format)
		e.counted, e.decode = true, inputs.Decode
		e.decide = func(_ context.Context, document inputs.Document, into *engine.Decision) error {
			*into = engine.Decision{Gate: document.Gate(), Admit: true, Reason: "admit", Action: "go"}
			return nil
		}
		return e
	}
	lines := rapid.SliceOfN(rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 1<<40), func(age int) string { return with("queue_age_ms", fmt.Sprint(age)) }),
		rapid.SampledFrom([]string{"", good + "\r", fence, `{"gate":"fanout"}`, "\xff", "null", strings.Repeat(" ", inputs.MaxBytes+1)}),
	), 0, 60)
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(formats()).Draw(t, "format")
		text := strings.Join(lines.Draw(t, "lines"), "\n")
		ending := rapid.SampledFrom([]error{io.EOF, errors.New("broken pipe")}).Draw(t, "ending")
		in := func() io.Reader { return io.MultiReader(strings.NewReader(text), iotest.ErrReader(ending)) }
		cut := rapid.SampledFrom([]func(io.Reader) io.Reader{
			iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
			func(from io.Reader) io.Reader { return from },
			func(from io.Reader) io.Reader { return randomReader{t, from} },
		}).Draw(t, "reader")
		cores := rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "cores")
		want := oneByOne(decoding(format), in())
		require.Equal(t, want, decideLines(context.Background(), decoding(format), cores, cut(in())))
	})
}

// What is printed and what is told of a document stand together where both go to one terminal.
func TestComplaintsStandBeforeTheirLine(t *testing.T) {
	for _, cores := range []int{1, 2} {
		var both bytes.Buffer
		_, err := readily("reason").run(t.Context(), cores, stdio{err: &both}, &both, func(p *pipeline) error {
			return (&documents{ndjson: true, in: strings.NewReader("even\n\nodd\n\n"), to: p}).read(p.ctx, []string{"-", "nowhere.json"})
		})
		require.NoError(t, err)
		require.Regexp(t, "^admit\nadmitctl: error: -:2:1: .*\ninvalid_input\nslack_below_floor\nadmitctl: error: -:4:1: .*\ninvalid_input\n"+
			"admitctl: error: stat nowhere.json: .*\ninvalid_input\n$", both.String())
	}
}

// Whoever follows a log sees the answer to a line before the next one comes.
func TestALineIsAnsweredBeforeTheNextIsThere(t *testing.T) {
	for _, cores := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			in, lines := io.Pipe()
			answers, out := io.Pipe()
			done := make(chan error, 1)
			go func() {
				_, err := readily("reason").run(t.Context(), cores, stdio{err: io.Discard}, out, func(p *pipeline) error {
					return (&documents{ndjson: true, in: interruptible{p.ctx, in}, to: p}).read(p.ctx, []string{"-"})
				})
				done <- err
			}()
			for range 20 {
				_, err := io.WriteString(lines, "even\nod")
				require.NoError(t, err)
				answer := make([]byte, 100)
				count, err := answers.Read(answer)
				require.NoError(t, err)
				require.Equal(t, "admit\n", string(answer[:count]))
				_, err = io.WriteString(lines, "d\n")
				require.NoError(t, err)
				count, err = answers.Read(answer)
				require.NoError(t, err)
				require.Equal(t, "slack_below_floor\n", string(answer[:count]))
			}
			require.NoError(t, lines.Close())
			require.NoError(t, <-done)
		})
	}
}

// fullDisk takes some bytes.
type fullDisk struct{ left int }

func (d *fullDisk) Write(text []byte) (int, error) {
	if d.left -= len(text); d.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(text), nil
}

// The bubble fails where a goroutine is left behind.
func TestAnOutputThatFailsEndsAll(t *testing.T) {
	for _, cores := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(cores), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := readily("json").run(t.Context(), cores, stdio{err: io.Discard}, &fullDisk{100_000}, func(p *pipeline) error {
					return (&documents{ndjson: true, in: &endless{line: "even\n"}, to: p}).read(p.ctx, []string{"-"})
				})
				require.EqualError(t, err, "output: no space left on device")
			})
			synctest.Test(t, func(t *testing.T) { // while nobody writes to standard input
				in, lines := io.Pipe()
				go func() { _, _ = io.WriteString(lines, "even\n") }()
				_, err := readily("json").run(t.Context(), cores, stdio{err: io.Discard}, &fullDisk{}, func(p *pipeline) error {
					return (&documents{ndjson: true, in: interruptible{p.ctx, in}, to: p}).read(p.ctx, []string{"-"})
				})
				require.EqualError(t, err, "output: no space left on device")
				require.NoError(t, in.Close())
			})
		})
	}
}

// An interrupt tells after which line, and that line is the last that is printed.
func TestAnInterruptTellsTheLastLine(t *testing.T) {
	for _, cores := range []int{1, 2, 5} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			e := readily("reason")
			decide := e.decide
			e.decide = func(ctx context.Context, document inputs.Document, into *engine.Decision) error {
				if document.Gate() == "fanout" && document.(*planted).age == number(16000) {
					cancel(errors.New("interrupt signal received"))
				}
				return decide(ctx, document, into)
			}
			// Lines follow in the same chunk, or else the interrupt could also end the wait for more of them.
			in := io.MultiReader(strings.NewReader(strings.Repeat("even\n", 50_000)+"odd\n"+strings.Repeat("even\n", 100)), &endless{line: "even\n"})
			got := decideLines(ctx, e, cores, in)
			require.EqualError(t, got.err, fmt.Sprintf("-: stopped after line %d: interrupt signal received", strings.Count(got.out, "\n")))
		})
	}
}

// endless gives the same lines until left, where that is set, is used up.
type endless struct {
	line string
	left int
	at   int
	stop bool
}

func (r *endless) Read(into []byte) (int, error) {
	if r.stop && r.left <= 0 {
		return 0, io.EOF
	}
	if r.stop {
		into = into[:min(len(into), r.left)]
	}
	for filled := 0; filled < len(into); {
		count := copy(into[filled:], r.line[r.at:])
		filled, r.at = filled+count, (r.at+count)%len(r.line)
	}
	r.left -= len(into)
	return len(into), nil
}

// However many lines there are, eval makes the same few buffers.
func TestLinesTakeTheMemoryOfAFewChunks(t *testing.T) {
	line := strings.Repeat("x", 200) + "\n"
	for _, format := range []string{"pretty", "reason", "json"} { // the iterator over a document's fields costs logfmt an allocation
		for _, cores := range []int{1, 2} {
			allocated := func(lines int) uint64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				total, err := readily(format).run(t.Context(), cores, stdio{err: io.Discard}, io.Discard, func(p *pipeline) error {
					return (&documents{ndjson: true, in: &endless{line: line, left: lines * len(line), stop: true}, to: p}).read(p.ctx, []string{"-"})
				})
				require.NoError(t, err)
				require.Equal(t, lines, total.admits+total.rejects)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			require.Less(t, allocated(100_000), uint64(8<<20), "bytes for 20 MB of lines, %s on %d cores", format, cores)
		}
	}
}
