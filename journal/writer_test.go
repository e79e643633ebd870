package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

func TestARecordHasAllThatItTakesToDecideAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "d.ndjson")
	w, err := Open(name, Options{Clock: clock, Labels: map[string]string{"id": "host-1", "version": "v<1>"}})
	require.NoError(t, err)
	entry := retry(t, "A1")
	entry.Metrics = map[string]int64{"timer_rego_query_eval_ns": 412, "counter_x": 1}
	require.NoError(t, w.Write(entry))
	var refused table.Decision
	refused.Refuse("", table.ReasonInvalidInput, revision, errors.New(`$: "no" JSON`))
	require.NoError(t, w.Write(Entry{Decision: &refused}))
	require.NoError(t, w.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Len(t, lines, 3)
	id := lines[0][len(`{"decision_id":"`):][:36]
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id)
	require.Equal(t, `{"decision_id":"`+id+`","timestamp":"2026-12-01T01:44:59.123456789Z","path":"admission/fence/retry/decision",`+
		`"revision":"`+revision+`","bundles":{"admitctl":{"revision":"`+revision+`"}},"labels":{"id":"host-1","version":"v<1>"},`+
		`"input":{"gate":"fence.retry","attempt_id":"A1","created_on":"free-eval","charge":{"name":"gpu-a","retry_budget":1}},`+
		`"result":{"gate":"fence.retry","admit":false,"reason":"reject_cross_plane_retry","action":"compensate_on_creator",`+
		`"violations":[{"reason":"reject_cross_plane_retry","observed":"gpu-a","limit":"free-eval"}],"effects":[],"unknown":[],"policy":{"revision":"`+revision+`"}},`+
		`"metrics":{"counter_x":1,"timer_rego_query_eval_ns":412}}`, lines[0])
	require.Contains(t, lines[1], `"input":null,"result":{"gate":"","admit":false,"reason":"invalid_input"`)

	var record Record
	require.NoError(t, Parse(Raw{Text: []byte(lines[0])}, &record))
	require.Equal(t, id, record.DecisionID)
	require.Equal(t, clock(), record.Timestamp)
	require.Equal(t, "fence.retry", record.Gate())
	require.Equal(t, revision, record.Revision)
	document, err := inputs.Decode(record.Input, inputs.Source{})
	require.NoError(t, err)
	require.Equal(t, entry.Document, document)
	var decision table.Decision
	require.NoError(t, Decision(record.Result, &decision))
	require.Equal(t, *entry.Decision, decision)
	require.NoError(t, Parse(Raw{Text: []byte(lines[1])}, &record))
	require.Nil(t, record.Input)
	require.Equal(t, "admission", record.Path)
}

func TestIdentifiersAreNeverTheSame(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		next := newIDs()
		for range 1000 {
			seen[string(next(nil))] = true
		}
	}
	require.Len(t, seen, 3000)
}

func TestMaskingTakesOutWhatIsNotAllowed(t *testing.T) {
	document := retry(t, "someone@example.org")
	labels := map[string]string{"id": "host-1", "version": "v1", "user": "someone", "team/a~b": "x", "region": "eu"}
	for _, test := range []struct {
		name           string
		allow          *Allowlist
		input          string
		labels         map[string]string
		masked, erased []string
	}{
		{name: "no list", input: "someone@example.org", labels: labels},
		{name: "an empty list", allow: &Allowlist{}, input: "masked", labels: map[string]string{"id": "host-1", "version": "v1"},
			masked: []string{"/input/attempt_id"}, erased: []string{"/labels/region", "/labels/team~1a~0b", "/labels/user"}},
		{name: "a list", allow: &Allowlist{Fields: []string{"attempt_id"}, Labels: []string{"region"}}, input: "someone@example.org",
			labels: map[string]string{"id": "host-1", "version": "v1", "region": "eu"}, erased: []string{"/labels/team~1a~0b", "/labels/user"}},
		{name: "what decides", allow: &Allowlist{Labels: slices.Collect(maps.Keys(labels)), Decides: func(_, field string) bool { return field == "attempt_id" || field == "created_on" }},
			input: "someone@example.org", labels: labels, masked: []string{"/input/charge/name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "d.ndjson")
			w, err := Open(name, Options{Clock: clock, Labels: labels, Allow: test.allow})
			require.NoError(t, err)
			require.NoError(t, w.Write(document))
			require.NoError(t, w.Close())
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			var record Record
			require.NoError(t, Parse(Raw{Text: text}, &record))
			masked, err := inputs.Decode(record.Input, inputs.Source{})
			require.NoError(t, err)
			own, ok := masked.(*inputs.Retry)
			require.True(t, ok)
			require.Equal(t, test.input, own.AttemptID)
			var kept map[string]string
			require.NoError(t, json.Unmarshal(record.Labels, &kept))
			require.Equal(t, test.labels, kept)
			require.ElementsMatch(t, test.masked, record.Masked)
			require.ElementsMatch(t, test.erased, record.Erased)
			require.Equal(t, retry(t, "someone@example.org"), document, "the caller's own")
		})
	}
}

func TestARecordIsNeverGluedToATornOne(t *testing.T) {
	log := logged(t, 2)
	for cut := range len(log) {
		name := filepath.Join(t.TempDir(), "d.ndjson")
		require.NoError(t, os.WriteFile(name, log[:cut], 0o600))
		w, err := Open(name, Options{Clock: clock})
		require.NoError(t, err)
		require.NoError(t, w.Write(retry(t, "A7")))
		require.NoError(t, w.Close())
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		got := readAll(t, bytes.NewReader(text), ReaderOptions{})
		require.Equal(t, "A7", got.attempts[len(got.attempts)-1], "cut at %d", cut)
		require.LessOrEqual(t, len(got.wrong), 1)
		require.NoError(t, got.torn)
	}
}

func TestConcurrentWritersLoseAndSplitNothing(t *testing.T) {
	const writers, each = 8, 40
	for name, options := range map[string]Options{
		"with the system": {Clock: clock}, "durable": {Clock: clock, Durable: true}, "rotating": {Clock: clock, MaxBytes: 4000},
	} {
		t.Run(name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "d.ndjson")
			w, err := Open(name, options)
			require.NoError(t, err)
			var running sync.WaitGroup
			var errs [writers]error
			entries := [writers]Entry{}
			for i := range writers {
				entries[i] = retry(t, attempt(i))
			}
			for i := range writers {
				running.Go(func() {
					for range each {
						errs[i] = errors.Join(errs[i], w.Write(entries[i]))
					}
				})
			}
			running.Wait()
			require.NoError(t, errors.Join(errs[:]...))
			require.NoError(t, w.Close())
			files, err := Rotated(name)
			require.NoError(t, err)
			counts, ids := map[string]int{}, map[string]bool{}
			for _, file := range append(files, name) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				got := readAll(t, bytes.NewReader(text), ReaderOptions{})
				require.Empty(t, got.wrong)
				require.NoError(t, got.torn)
				for _, attempt := range got.attempts {
					counts[attempt]++
				}
				for line := range strings.Lines(string(text)) {
					ids[line[:60]] = true
				}
			}
			require.Len(t, ids, writers*each)
			for i := range writers {
				require.Equal(t, each, counts[attempt(i)])
			}
			if options.MaxBytes > 0 {
				require.Greater(t, len(files), 10)
			}
		})
	}
}

func TestRotationKeepsTheNewest(t *testing.T) {
	directory := t.TempDir()
	name := filepath.Join(directory, "d.ndjson")
	others := []string{"d-1.ndjson", "d-000000001-20261201T014459Z.json", "other-000000001-20261201T014459Z.ndjson", "d-00000000x-20261201T014459Z.ndjson"}
	for _, other := range others {
		require.NoError(t, os.WriteFile(filepath.Join(directory, other), nil, 0o600))
	}
	record := int64(len(logged(t, 1)))
	now := clock()
	backwards := func() time.Time { now = now.Add(-time.Hour); return now } // a clock that is set back
	for range 2 {                                                           // opened anew it counts on
		w, err := Open(name, Options{Clock: backwards, MaxBytes: 2 * record, Keep: 2})
		require.NoError(t, err)
		for i := range 6 {
			require.NoError(t, w.Write(retry(t, attempt(i))))
		}
		require.NoError(t, w.Close())
	}
	files, err := Rotated(name)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Contains(t, files[0], "d-000000004-")
	require.Contains(t, files[1], "d-000000005-")
	var all []string
	for _, file := range append(files, name) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, readAll(t, bytes.NewReader(text), ReaderOptions{}).attempts...)
	}
	require.Equal(t, attempts(6), all)
	for _, other := range others {
		require.FileExists(t, filepath.Join(directory, other))
	}
}

func TestAFullDiskIsAnErrorAndNoRecord(t *testing.T) {
	w, err := Open("/dev/full", Options{Clock: clock})
	require.NoError(t, err)
	for range 3 {
		err = w.Write(retry(t, "A1"))
		require.ErrorIs(t, err, ErrWrite)
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	require.NoError(t, w.Close())
}

func TestAClosedLogTakesNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "d.ndjson")
	w, err := Open(name, Options{Clock: clock})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Write(retry(t, "A1")), ErrWrite)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestALogThatCannotBeOpenedIsAnError(t *testing.T) {
	_, err := Open(t.TempDir(), Options{Clock: clock})
	require.ErrorIs(t, err, ErrWrite)
	_, err = Open(filepath.Join(t.TempDir(), "none", "d.ndjson"), Options{Clock: clock})
	require.ErrorIs(t, err, ErrWrite)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Open(filepath.Join(t.TempDir(), "d.ndjson"), Options{})
	require.ErrorIs(t, err, ErrWrite)
}

// faulty is a file on a disk that fails: once, after so many bytes, or in its sync.
type faulty struct {
	*os.File
	left     int // bytes that it takes; -1 all
	silent   bool
	sync     error
	truncate error
}

func (f *faulty) Write(text []byte) (int, error) {
	if f.left < 0 || f.left >= len(text) {
		return f.File.Write(text)
	}
	count, err := f.File.Write(text[:f.left])
	f.left = -1
	if err == nil && !f.silent {
		err = syscall.ENOSPC
	}
	return count, err
}

func (f *faulty) Sync() error { return f.sync }

func (f *faulty) Truncate(size int64) error {
	if f.truncate != nil {
		return f.truncate
	}
	return f.File.Truncate(size)
}

// opens is a log on such a disk.
func (f *faulty) opens(t *testing.T, durable bool) (*Writer, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "d.ndjson")
	w, err := openWith(name, Options{Clock: clock, Durable: durable}, func(name string) (file, error) {
		opened, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		f.File = opened
		return f, err
	})
	require.NoError(t, err)
	return w, name
}

func TestAWriteThatFailsLeavesNothingAndTheNextSucceeds(t *testing.T) {
	record := len(logged(t, 1))
	for _, silent := range []bool{false, true} {
		for _, truncate := range []error{nil, syscall.EPERM} {
			for cut := 0; cut < record; cut += 1 + cut/8*4 { // dense where a record begins
				f := &faulty{left: -1, silent: silent, truncate: truncate}
				w, name := f.opens(t, false)
				require.NoError(t, w.Write(retry(t, "A0")))
				f.left = cut
				require.ErrorIs(t, w.Write(retry(t, "A1")), ErrWrite)
				require.NoError(t, w.Write(retry(t, "A2")))
				require.NoError(t, w.Close())
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				got := readAll(t, bytes.NewReader(text), ReaderOptions{})
				if truncate == nil {
					require.Equal(t, read{attempts: []string{"A0", "A2"}}, got, "cut at %d", cut)
				} else if cut < record-1 { // else only its newline is not there
					require.Equal(t, []string{"A0", "A2"}, got.attempts, "cut at %d", cut)
				}
			}
		}
	}
}

func TestAfterAFailedSyncNothingIsTaken(t *testing.T) {
	f := &faulty{left: -1}
	w, name := f.opens(t, true)
	require.NoError(t, w.Write(retry(t, "A0")))
	f.sync = syscall.EIO
	require.ErrorIs(t, w.Write(retry(t, "A1")), syscall.EIO)
	f.sync = nil
	require.ErrorIs(t, w.Write(retry(t, "A2")), ErrWrite)
	require.NoError(t, w.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, []string{"A0"}, readAll(t, bytes.NewReader(text), ReaderOptions{}).attempts)
}

// slow is a disk whose syncs are let go one by one.
type slow struct {
	*os.File
	begun, release chan struct{}
}

func (s *slow) Sync() error {
	s.begun <- struct{}{}
	<-s.release
	return nil
}

func TestWritersThatWaitShareASync(t *testing.T) {
	const others = 20
	s := &slow{begun: make(chan struct{}), release: make(chan struct{})}
	w, err := openWith(filepath.Join(t.TempDir(), "d.ndjson"), Options{Clock: clock, Durable: true}, func(name string) (file, error) {
		opened, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		s.File = opened
		return s, err
	})
	require.NoError(t, err)
	entry := retry(t, "A1")
	written := make(chan error, others+1)
	go func() { written <- w.Write(entry) }()
	<-s.begun
	for range others {
		go func() { written <- w.Write(entry) }()
	}
	for waiting := 0; waiting < others; runtime.Gosched() {
		w.mutex.Lock()
		waiting = bytes.Count(w.waiting.records, []byte("\n"))
		w.mutex.Unlock()
	}
	require.Empty(t, written, "nothing returns before it is on the disk")
	s.release <- struct{}{}
	<-s.begun // one more, for all others
	s.release <- struct{}{}
	for range others + 1 {
		require.NoError(t, <-written)
	}
	require.NoError(t, w.Close())
}
