package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/inputs"
)

// randomReader gives as much as it likes at a time, and sometimes nothing.
type randomReader struct {
	t    *rapid.T
	from io.Reader
}

func (r randomReader) Read(into []byte) (int, error) {
	most := rapid.OneOf(rapid.IntRange(0, 200), rapid.Just(len(into))).Draw(r.t, "read")
	return r.from.Read(into[:min(most, len(into))])
}

// piece is some text that repeats a byte.
type piece struct {
	length int
	end    string
}

// pieces generates lines of every length that could matter, and the last can lack its newline.
func pieces() *rapid.Generator[[]piece] {
	const most = inputs.MaxBytes
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) piece {
		return piece{
			length: rapid.OneOf(rapid.IntRange(0, 300), rapid.SampledFrom([]int{
				0, most - 1, most, most + 1, most + 2, most + 3, 2*most - 1, 2 * most, 2*most + 1, 5 * most,
			})).Draw(t, "length"),
			end: rapid.SampledFrom([]string{"\n", "\r\n", "", strings.Repeat("\n", chunkLines), strings.Repeat("\n", 3*chunkLines)}).Draw(t, "end"),
		}
	}), 0, 12)
}

// known is a line as far as it must be known: of one that is too long, that it is.
func known(line string) string {
	text := strings.TrimSuffix(line, "\n")
	return text[:min(len(text), inputs.MaxBytes+2)]
}

func TestChunksAreTheLinesOfTheStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, piece := range pieces().Draw(t, "pieces") {
			text += strings.Repeat("x", piece.length) + piece.end
		}
		ending := rapid.SampledFrom([]error{io.EOF, errors.New("broken pipe")}).Draw(t, "ending")
		var want []string
		for line := range strings.Lines(text) {
			want = append(want, known(line))
		}
		broken := !errors.Is(ending, io.EOF) && text != "" && !strings.HasSuffix(text, "\n")
		chunks := newChunker(randomReader{t, io.MultiReader(strings.NewReader(text), iotest.ErrReader(ending))})
		buffer := make([]byte, chunkBytes)
		var got []string
		for {
			lines, first, err := chunks.next(buffer)
			require.Equal(t, len(got)+1, first)
			if err != nil {
				require.Equal(t, ending, err)
				break
			}
			require.NotEmpty(t, lines)
			require.LessOrEqual(t, bytes.Count(lines, []byte("\n")), chunkLines)
			for line := range strings.Lines(string(lines)) {
				got = append(got, known(line))
			}
			clear(buffer) // what is kept lies elsewhere
		}
		require.Equal(t, len(want), chunks.line)
		if broken {
			want = want[:len(want)-1]
		}
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i], "line %d", i+1)
		}
		_, _, err := chunks.next(buffer)
		require.Equal(t, ending, err, "the end is final")
	})
}

func TestALineIsHandedOnAsItComes(t *testing.T) {
	chunks := newChunker(iotest.OneByteReader(io.MultiReader(strings.NewReader("a\nbc\n\nd"), iotest.ErrReader(io.EOF))))
	buffer := make([]byte, chunkBytes)
	for i, want := range []string{"a\n", "bc\n", "\n", "d"} {
		lines, first, err := chunks.next(buffer)
		require.NoError(t, err)
		require.Equal(t, want, string(lines))
		require.Equal(t, i+1, first)
	}
	_, _, err := chunks.next(buffer)
	require.ErrorIs(t, err, io.EOF)
}

func TestAStreamThatGivesNothingEnds(t *testing.T) {
	_, _, err := newChunker(silentReader{}).next(make([]byte, chunkBytes))
	require.ErrorIs(t, err, io.ErrNoProgress)
}

type silentReader struct{}

func (silentReader) Read([]byte) (int, error) { return 0, nil }
