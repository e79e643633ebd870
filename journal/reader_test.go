package journal

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// asArray is a log as OPA uploads it.
func asArray(log []byte) []byte {
	return []byte("[" + strings.Join(strings.Split(strings.TrimSpace(string(log)), "\n"), ",") + "]")
}

// gzipped packs a log; each line, or the whole where flush is false, can be read before what comes after it.
func gzipped(t testing.TB, log []byte, flush bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	for _, line := range bytes.SplitAfter(log, []byte("\n")) {
		_, err := w.Write(line)
		require.NoError(t, err)
		if flush {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func zstandard(t testing.TB, log []byte, flush bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	for _, line := range bytes.SplitAfter(log, []byte("\n")) {
		_, err := w.Write(line)
		require.NoError(t, err)
		if flush {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestALogIsReadWhateverItsForm(t *testing.T) {
	log := logged(t, 5)
	array := asArray(log)
	pretty := bytes.ReplaceAll(array, []byte(`,"`), []byte(",\r\n\t\""))
	unpacked := map[string][]byte{
		"lines": log, "array": array, "array over many lines": pretty, "no newline at the end": bytes.TrimSpace(log),
		"Windows": bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")), "blank lines": bytes.ReplaceAll(log, []byte("\n"), []byte("\n\n \n")),
		"blanks before an array": append([]byte("\n \n"), array...), "an array and a newline": append(bytes.Clone(array), '\n'),
		"uploads one after the other": append(append(asArray(bytes.Join(bytes.SplitAfter(log, []byte("\n"))[:2], nil)), "\n[]\n"...), asArray(bytes.Join(bytes.SplitAfter(log, []byte("\n"))[2:], nil))...),
	}
	for name, text := range unpacked {
		forms := map[string][]byte{"plain": text, "gzip": gzipped(t, text, false), "zstd": zstandard(t, text, false)}
		forms["two gzip members"] = append(gzipped(t, text[:len(text)/2], false), gzipped(t, text[len(text)/2:], false)...)
		forms["two zstd frames"] = append(zstandard(t, text[:len(text)/2], false), zstandard(t, text[len(text)/2:], false)...)
		for form, data := range forms {
			t.Run(name+", "+form, func(t *testing.T) {
				require.Equal(t, read{attempts: attempts(5)}, readAll(t, bytes.NewReader(data), ReaderOptions{}))
			})
			t.Run(name+", "+form+", byte by byte", func(t *testing.T) {
				require.Equal(t, read{attempts: attempts(5)}, readAll(t, oneByte{bytes.NewReader(data)}, ReaderOptions{}))
			})
		}
	}
}

type oneByte struct{ from io.Reader }

func (o oneByte) Read(into []byte) (int, error) { return o.from.Read(into[:min(1, len(into))]) }

func TestEmptyLogsHaveNoRecords(t *testing.T) {
	for _, text := range []string{"", "\n\n", " \t\r\n", "[]", " [ ] ", "[][]"} {
		for form, data := range map[string][]byte{"plain": []byte(text), "gzip": gzipped(t, []byte(text), false), "zstd": zstandard(t, []byte(text), false)} {
			require.Equal(t, read{}, readAll(t, bytes.NewReader(data), ReaderOptions{}), "%q, %s", text, form)
		}
	}
}

// A crash can end a log anywhere.
func TestALogThatEndsAnywhereInItsLastRecordGivesAllBefore(t *testing.T) {
	log := logged(t, 4)
	before := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1 // where the last record begins
	array := asArray(log)
	packed := map[string]struct {
		data []byte
		from int
	}{
		"lines": {log, before},
		"array": {array, before + 1},
		"gzip":  {gzipped(t, log, true), len(gzipped(t, log[:before], true)) - len(gzipEnd)},
		"zstd":  {zstandard(t, log, true), len(zstandard(t, log[:before], true)) - len(zstdEnd)},
	}
	for name, log := range packed {
		t.Run(name, func(t *testing.T) {
			for cut := log.from; cut < len(log.data); cut++ {
				got := readAll(t, bytes.NewReader(log.data[:cut]), ReaderOptions{File: "cut"})
				require.Empty(t, got.wrong, "at %d", cut)
				require.GreaterOrEqual(t, len(got.attempts), 3, "at %d", cut)
				require.Equal(t, attempts(4)[:len(got.attempts)], got.attempts)
				whole := name == "lines" && (cut == log.from || cut == len(log.data)-1)
				if whole {
					require.NoError(t, got.torn)
				} else {
					require.ErrorIs(t, got.torn, ErrTorn, "at %d of %d", cut, len(log.data))
					require.ErrorContains(t, got.torn, "cut:")
				}
			}
		})
	}
}

// What ends packed data, and does not come before the last record of longer ones.
var (
	gzipEnd = make([]byte, 13) // an empty block and 8 bytes of checksum and length
	zstdEnd = make([]byte, 7)  // an empty block and a checksum
)

// However a log is packed: nothing that is read of one that ends too soon is wrong, and that it did is told.
func TestPackedLogsThatEndAnywhereGiveABeginning(t *testing.T) {
	log := logged(t, 9)
	for name, data := range map[string][]byte{"gzip": gzipped(t, log, false), "zstd": zstandard(t, log, false), "gzip of an array": gzipped(t, asArray(log), false)} {
		for cut := 5; cut < len(data); cut++ {
			got := readAll(t, bytes.NewReader(data[:cut]), ReaderOptions{})
			require.Empty(t, got.wrong, "%s at %d", name, cut)
			require.ErrorIs(t, got.torn, ErrTorn, "%s at %d", name, cut)
			if len(got.attempts) > 0 {
				require.Equal(t, attempts(9)[:len(got.attempts)], got.attempts)
			}
		}
	}
}

func TestDamagedPackedLogsAreTold(t *testing.T) {
	log := logged(t, 9)
	for name, data := range map[string][]byte{"gzip": gzipped(t, log, false), "zstd": zstandard(t, log, false)} {
		t.Run(name, func(t *testing.T) {
			damaged := bytes.Clone(data)
			damaged[len(damaged)-3] ^= 0x40 // of the checksum, or the length
			got := readAll(t, bytes.NewReader(damaged), ReaderOptions{})
			require.ErrorIs(t, got.torn, ErrTorn)
			got = readAll(t, bytes.NewReader(append(bytes.Clone(data), "no packed data"...)), ReaderOptions{})
			require.ErrorIs(t, got.torn, ErrTorn)
			require.Equal(t, attempts(9), got.attempts)
		})
	}
}

func TestABrokenRecordStopsNoOther(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(logged(t, 2))), "\n")
	for _, broken := range []string{
		`{`, `{"decision_id":"1"`, `nonsense`, `null`, `7`, `[]`, `"text"`, `{}`, "\x00\x00", `{"decision_id":"1"}`,
		`{"decision_id":"1","timestamp":"yesterday"}`,
		`{"decision_id":1,"timestamp":"2026-12-01T00:00:00Z"}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","decision_id":"1"}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","d\u0065cision_id":"1"}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","input":{"a":1,"a":2}}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","path":["a"]}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","labels":{"a":1}}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","labels":{"a":"1","a":"2"}}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","labels":["a"]}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","masked":"all"}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","erased":[1]}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","metrics":7}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","bundles":{"a":{"revision":7}}}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z"} {}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z",}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","x":01}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","x":"` + "\xff" + `"}`,
		`{"decision_id":"1","timestamp":"2026-12-01T00:00:00Z","x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
	} {
		got := readAll(t, strings.NewReader(lines[0]+"\n"+broken+"\n"+lines[1]+"\n"), ReaderOptions{File: "d.ndjson"})
		require.Equal(t, attempts(2), got.attempts, broken)
		require.Len(t, got.wrong, 1, broken)
		require.ErrorContains(t, got.wrong[0], "d.ndjson:2: ", broken)
		require.NoError(t, got.torn)
	}
}

func TestBrokenElementsOfAnArrayStopNoOther(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(logged(t, 2))), "\n")
	for _, broken := range []string{`7`, ``, ` `, `{}`, `nonsense`, `{} {}`, `"a, ]"`, `[1, 2]`, `{"a":"\",\""}`, `}`, `{}}`, `[1}`} {
		got := readAll(t, strings.NewReader("["+lines[0]+",\n"+broken+"\n,"+lines[1]+"]"), ReaderOptions{File: "d.json"})
		require.Equal(t, attempts(2), got.attempts, broken)
		require.Len(t, got.wrong, 1, broken)
		require.ErrorContains(t, got.wrong[0], "d.json:", broken)
	}
	got := readAll(t, strings.NewReader("["+lines[0]+",]"), ReaderOptions{})
	require.Len(t, got.wrong, 1, "a comma before the end")
}

// endless gives a text again and again.
type endless struct {
	text []byte
	left int
}

func (e *endless) Read(into []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	count := copy(into, e.text[:min(len(e.text), e.left)])
	e.left -= count
	return count, nil
}

func TestALineThatIsTooLongIsToldAndNotHeld(t *testing.T) {
	line := bytes.Repeat([]byte{'a'}, 1<<16)
	log := logged(t, 2)
	middle := bytes.IndexByte(log, '\n') + 1
	for name, around := range map[string][2][]byte{
		"a line":                {log[:middle], append([]byte("\n"), log[middle:]...)},
		"an element":            {append(append([]byte("["), log[:middle]...), ','), append(append([]byte(","), log[middle:]...), ']')},
		"at the end":            {log, nil},
		"an element at the end": {append(append([]byte("["), bytes.Join(bytes.SplitAfter(bytes.TrimSpace(log), []byte("\n")), []byte(","))...), ','), nil},
	} {
		t.Run(name, func(t *testing.T) {
			size := 64 << 20
			if name == "a line" {
				size = 1 << 30
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := readAll(t, io.MultiReader(bytes.NewReader(around[0]), &endless{line, size}, bytes.NewReader(around[1])), ReaderOptions{File: "d.ndjson"})
			runtime.ReadMemStats(&after)
			require.Equal(t, attempts(2), got.attempts)
			require.Len(t, got.wrong, 1)
			require.ErrorIs(t, got.wrong[0], ErrTooLong)
			require.ErrorContains(t, got.wrong[0], "d.ndjson:")
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
}

func TestTheLimitOfARecordIsExact(t *testing.T) {
	log := logged(t, 1)
	record := len(bytes.TrimSpace(log))
	for _, text := range [][]byte{log, asArray(log), bytes.TrimSpace(log), append(bytes.TrimSpace(log), "\r\n"...)} {
		require.Equal(t, attempts(1), readAll(t, bytes.NewReader(text), ReaderOptions{MaxRecord: record}).attempts)
		got := readAll(t, bytes.NewReader(text), ReaderOptions{MaxRecord: record - 1})
		require.Empty(t, got.attempts)
		require.Len(t, got.wrong, 1)
		require.ErrorIs(t, got.wrong[0], ErrTooLong)
	}
}

func TestWhatUnpacksToMuchTakesLittleMemory(t *testing.T) {
	const size = 64 << 20
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(out io.Writer) io.WriteCloser { return gzip.NewWriter(out) },
		"zstd": func(out io.Writer) io.WriteCloser {
			w, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
			require.NoError(t, err)
			return w
		},
	} {
		for _, text := range []string{"\n", "a", "[", "[[\n"} {
			t.Run(fmt.Sprintf("%s of %q", name, text), func(t *testing.T) {
				var packed bytes.Buffer
				w := pack(&packed)
				_, err := io.Copy(w, &endless{bytes.Repeat([]byte(text), 1<<16), size})
				require.NoError(t, err)
				require.NoError(t, w.Close())
				require.Less(t, packed.Len(), 4<<20)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got := readAll(t, &packed, ReaderOptions{})
				runtime.ReadMemStats(&after)
				require.Empty(t, got.attempts)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
			})
		}
	}
}

func TestAWindowThatIsTooLargeIsRefused(t *testing.T) {
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	require.NoError(t, err)
	_, err = io.Copy(w, &endless{bytes.Repeat([]byte("a\n"), 1<<16), 80 << 20})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	got := readAll(t, &packed, ReaderOptions{})
	require.ErrorIs(t, got.torn, ErrTorn)
	require.ErrorContains(t, got.torn, "window size exceeded")
}

// failing fails after some text with an error that is not of the text.
type failing struct{ io.Reader }

var errDisk = errors.New("the disk is gone")

func (f failing) Read(into []byte) (int, error) {
	count, err := f.Reader.Read(into)
	if errors.Is(err, io.EOF) {
		err = errDisk
	}
	return count, err
}

func TestALogThatCannotBeReadOnIsAnErrorOfItsOwn(t *testing.T) {
	log := logged(t, 2)
	for name, text := range map[string][]byte{"lines": log[:len(log)-5], "array": asArray(log)[:len(log)-5], "gzip": gzipped(t, log, true)[:200], "zstd": zstandard(t, log, true)[:200], "nothing": nil} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(failing{bytes.NewReader(text)}, ReaderOptions{File: "d.ndjson"})
			var err error
			for err == nil {
				_, err = r.Next()
			}
			require.ErrorIs(t, err, errDisk)
			require.ErrorContains(t, err, "d.ndjson")
			require.NoError(t, r.Torn())
			_, again := r.Next()
			require.Equal(t, err, again)
		})
	}
}
