package inputs_test

import (
	"bufio"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// read reads all lines, and tells of each its number and the sentinel of its error.
func read(t *testing.T, text string) (lines []int, kinds []error) {
	t.Helper()
	reader := inputs.NewReader(iotest.HalfReader(strings.NewReader(text)), inputs.Source{File: "lines.ndjson"})
	for {
		document, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return lines, kinds
		}
		require.Equal(t, err == nil, document != nil)
		var invalid *inputs.Error
		if errors.As(err, &invalid) {
			require.Equal(t, reader.Line(), invalid.Line)
			err = invalid.Kind
		}
		lines, kinds = append(lines, reader.Line()), append(kinds, err)
	}
}

func TestLinesAreReadOneByOne(t *testing.T) {
	good := documents()["fanout"][0]
	long := good + strings.Repeat(" ", inputs.MaxBytes-len(good))
	tests := []struct {
		name, text string
		want       []error
	}{
		{"nothing", "", nil},
		{"one line", good + "\n", []error{nil}},
		{"no final newline", good + "\n" + good, []error{nil, nil}},
		{"carriage returns", good + "\r\n" + good + "\r\n", []error{nil, nil}},
		{"empty line in the middle", good + "\n\n" + good + "\n", []error{nil, inputs.ErrMalformed, nil}},
		{"empty line at the end", good + "\n\n", []error{nil, inputs.ErrMalformed}},
		{"bad line in the middle", good + "\n{\n" + good + "\n", []error{nil, inputs.ErrMalformed, nil}},
		{"two documents on a line", good + good + "\n" + good + "\n", []error{inputs.ErrMalformed, nil}},
		{"document over two lines", "{\n\"gate\":\"fanout\"}\n" + good, []error{inputs.ErrMalformed, inputs.ErrMalformed, nil}},
		{"longest line", long + "\n" + good + "\n", []error{nil, nil}},
		{"longest line with a carriage return", long + "\r\n" + good + "\n", []error{nil, nil}},
		{"longest line without a newline", long, []error{nil}},
		{"line a byte too long", good + "\n" + long + " \n" + good + "\n", []error{nil, inputs.ErrTooLarge, nil}},
		{"line two bytes too long", good + "\n" + long + "  \n" + good + "\n", []error{nil, inputs.ErrTooLarge, nil}},
		{"line of megabytes", good + "\n" + strings.Repeat("[", 3<<20) + "\n" + good + "\n", []error{nil, inputs.ErrTooLarge, nil}},
		{"last line of megabytes", good + "\n" + strings.Repeat("[", 3<<20), []error{nil, inputs.ErrTooLarge}},
		{"byte order mark", "\ufeff" + good + "\n" + good, []error{inputs.ErrMalformed, nil}},
		{"NUL", "\x00\n" + good, []error{inputs.ErrMalformed, nil}},
		{"invalid UTF-8", "\xff\n" + good, []error{inputs.ErrMalformed, nil}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines, kinds := read(t, test.text)
			require.Equal(t, test.want, kinds)
			for i, line := range lines {
				require.Equal(t, i+1, line)
			}
		})
	}
}

func TestLinesCountFromWhereTheySay(t *testing.T) {
	reader := inputs.NewReader(strings.NewReader("{"), inputs.Source{File: "part.ndjson", Line: 1000})
	_, err := reader.Next()
	require.ErrorContains(t, err, "part.ndjson:1000:2: ")
	require.Equal(t, 1000, reader.Line())
}

// Whoever decodes lines elsewhere gets for each the document or the error of Next.
func TestLinesCanBeDecodedElsewhere(t *testing.T) {
	good := documents()["fanout"][0]
	long := good + strings.Repeat(" ", inputs.MaxBytes-len(good))
	for _, text := range []string{"", "\n", "\r\n", good, good + "\n", good + "\r\n\r\n" + good + "\r", "{\n\n" + good + "\n[", long + "\r\n" + long + " \n" + long + "\n" + long + "  ", strings.Repeat("[", 3<<20) + "\n" + good} {
		source := inputs.Source{File: "lines.ndjson", Line: 5}
		whole, lines := inputs.NewReader(strings.NewReader(text), source), inputs.NewReader(strings.NewReader(text), source)
		for {
			want, wantErr := whole.Next()
			line, number, err := lines.NextLine()
			require.Equal(t, whole.Line(), number)
			require.Equal(t, number, lines.Line())
			if errors.Is(err, io.EOF) {
				require.Equal(t, wantErr, err)
				break
			}
			var got inputs.Document
			if err == nil {
				require.NotContains(t, string(line), "\n")
				got, err = inputs.Decode(line, inputs.Source{File: source.File, Line: number})
			}
			require.Equal(t, want, got)
			require.Equal(t, wantErr, err)
		}
	}
}

func TestABrokenStreamIsNoDocument(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, before := range []string{"", documents()["fanout"][0] + "\n", strings.Repeat("[", 3<<20)} {
		reader := inputs.NewReader(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), inputs.Source{})
		_, err := reader.Next()
		if err == nil {
			_, err = reader.Next()
		}
		require.ErrorIs(t, err, broken)
		require.NotErrorIs(t, err, inputs.ErrInvalid)
	}
}

// The memory of a stream is that of its longest allowed line, however many and however long its lines are.
func TestLinesTakeConstantMemory(t *testing.T) {
	line := documents()["fanout"][0] + "\n"
	allocated := func(text io.Reader) uint64 {
		reader := inputs.NewReader(bufio.NewReader(text), inputs.Source{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for {
			if _, err := reader.Next(); errors.Is(err, io.EOF) {
				break
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const many = 2000
	perLine := allocated(strings.NewReader(strings.Repeat(line, many))) / many
	require.Less(t, perLine, uint64(16<<10), "bytes for a line of %d", len(line))
	oneLong := allocated(io.LimitReader(&endless{with: '['}, 64<<20))
	require.Less(t, oneLong, uint64(1<<20), "a line of 64 MiB is passed over, not kept")
}
