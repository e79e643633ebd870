package review_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/journal"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// replaySides are the shipped policies, and the same with other thresholds.
func replaySides(t testing.TB) (base, head review.Side) {
	t.Helper()
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	edited, err := program.With(t.Context(), []byte("compaction: {token_ceiling: 1000}\nfence: {default: {depth_limit: 6}}\n"))
	require.NoError(t, err)
	return review.Side{Name: "base", Program: program}, review.Side{Name: "head", Program: edited}
}

// fixtureDocuments are the documents of the fixtures, in the order of their names.
func fixtureDocuments(t testing.TB) []inputs.Document {
	t.Helper()
	var documents []inputs.Document
	require.NoError(t, filepath.WalkDir("../fixtures", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".want.json") {
			return err
		}
		text, err := os.ReadFile(name)
		if document, wrong := inputs.Decode(text, inputs.Source{}); wrong == nil {
			documents = append(documents, document)
		}
		return err
	}))
	require.Greater(t, len(documents), 50)
	return documents
}

// logOf is a log of documents as a program decides them.
func logOf(t testing.TB, program *engine.Program, documents []inputs.Document, allow *journal.Allowlist) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "d.ndjson")
	w, err := journal.Open(name, journal.Options{Clock: func() time.Time { return time.Unix(1e9, 0) }, Allow: allow})
	require.NoError(t, err)
	var decision table.Decision
	var records []byte
	for _, document := range documents {
		require.NoError(t, program.DecideInto(t.Context(), document, &decision))
		records = w.Append(records, journal.Entry{Document: document, Decision: &decision})
	}
	require.NoError(t, w.WriteRecords(records))
	require.NoError(t, w.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

// asLogs hands a text out as a log.
func asLogs(text ...[]byte) []review.Log {
	var all []review.Log
	for i, text := range text {
		all = append(all, review.Log{Name: fmt.Sprintf("log%d", i+1), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }})
	}
	return all
}

func replayed(t testing.TB, base *review.Side, head review.Side, options review.ReplayOptions, text ...[]byte) review.Replayed {
	t.Helper()
	got, err := review.Replay(t.Context(), asLogs(text...), base, head, options)
	require.NoError(t, err)
	return got
}

func TestAReplayCountsWhatDecidingOneByOneGives(t *testing.T) {
	base, head := replaySides(t)
	documents := fixtureDocuments(t)
	log := logOf(t, base.Program, documents, nil)
	type cell struct{ gate, base, head string }
	want, changed, sheds := map[cell]int{}, 0, [2]int{}
	first := map[cell]int{}
	for i, document := range documents {
		was, err := base.Program.Decide(t.Context(), document)
		require.NoError(t, err)
		is, err := head.Program.Decide(t.Context(), document)
		require.NoError(t, err)
		key := cell{was.Gate, was.Reason, is.Reason}
		want[key]++
		was.Policy, is.Policy = table.Policy{}, table.Policy{}
		if string(was.AppendJSON(nil)) != string(is.AppendJSON(nil)) {
			changed++
			if first[key] == 0 {
				first[key] = i + 1
			}
		}
		if !was.Admit {
			sheds[0]++
		}
		if !is.Admit {
			sheds[1]++
		}
	}
	require.Positive(t, changed)
	for _, workers := range []int{0, 1, 2, 7} {
		for name, text := range map[string][]byte{"lines": log, "array": []byte("[" + strings.Join(strings.Split(strings.TrimSpace(string(log)), "\n"), ",\n") + "]")} {
			got := replayed(t, &base, head, review.ReplayOptions{Workers: workers, Most: 1}, text)
			require.Equal(t, len(documents), got.Records, name)
			require.Equal(t, len(documents), got.Decided)
			require.Equal(t, changed, got.Changed)
			require.Equal(t, review.Drift{Compared: len(documents), Cells: []review.ReplayedCell{}}, got.Drift)
			require.Equal(t, review.Unreplayable{Causes: []review.ReplayedFailure{}}, got.Unreplayable)
			require.Zero(t, got.Other)
			cells, counted := map[cell]int{}, [2]int{}
			for gate, own := range got.Gates {
				counted[0] += own.Sheds.Base
				counted[1] += own.Sheds.Head
				require.InDelta(t, 100*float64(own.Sheds.Head)/float64(own.Records), own.Sheds.HeadPerHundred, 1e-9)
				for _, c := range own.Cells {
					key := cell{gate, c.Base, c.Head}
					cells[key] = c.Count
					if first[key] > 0 {
						require.Equal(t, first[key], c.Examples[0].Line)
						require.Equal(t, [2]string{c.Base, c.Head}, [2]string{c.Examples[0].Base.Reason, c.Examples[0].Head.Reason})
					}
				}
			}
			require.Equal(t, want, cells)
			require.Equal(t, sheds, counted)
		}
	}
}

func TestExamplesAreTheFirstOfAllLogsWhoeverFindsThem(t *testing.T) {
	base, head := replaySides(t)
	log := bytes.Repeat(logOf(t, base.Program, fixtureDocuments(t), nil), 20)
	want := replayed(t, &base, head, review.ReplayOptions{}, log, log)
	for range 5 {
		require.Equal(t, want, replayed(t, &base, head, review.ReplayOptions{Workers: 4}, log, log))
	}
	for _, gate := range want.Gates {
		for _, cell := range gate.Cells {
			for _, example := range cell.Examples {
				require.Equal(t, "log1", example.File)
			}
		}
	}
}

// Drift, change and what nobody can decide again are counted apart.
func TestDriftIsNoChange(t *testing.T) {
	base, head := replaySides(t)
	documents := fixtureDocuments(t)
	log := string(logOf(t, base.Program, documents, nil))
	drifted := strings.Replace(log, `"reason":"reject_stale","action":"drop_and_ack"`, `"reason":"reject_stale","action":"keep"`, 1)
	require.NotEqual(t, log, drifted)

	got := replayed(t, &base, base, review.ReplayOptions{}, []byte(drifted))
	require.Equal(t, 1, got.Drift.Count)
	require.Equal(t, len(documents), got.Drift.Compared)
	require.Zero(t, got.Changed)
	require.Equal(t, "reject_stale", got.Drift.Cells[0].Base)
	require.Equal(t, "keep", got.Drift.Cells[0].Examples[0].Base.Action)
	require.Equal(t, "drop_and_ack", got.Drift.Cells[0].Examples[0].Head.Action)

	// By one side alone the log is the base, but for records of that side's own revision.
	got = replayed(t, nil, base, review.ReplayOptions{}, []byte(drifted))
	require.Equal(t, [3]int{1, 0, 0}, [3]int{got.Drift.Count, got.Changed, got.Other})
	require.Nil(t, got.Base)
	both := replayed(t, &base, head, review.ReplayOptions{}, []byte(log))
	alone := replayed(t, nil, head, review.ReplayOptions{}, []byte(log))
	require.Equal(t, both.Changed, alone.Changed)
	require.Equal(t, len(documents), alone.Other)
	require.Zero(t, alone.Drift.Compared)
	for name, gate := range both.Gates {
		for i := range gate.Cells {
			gate.Cells[i].Examples = nil
			alone.Gates[name].Cells[i].Examples = nil
		}
		require.Equal(t, gate, alone.Gates[name])
	}

	// Of other revisions: still decided, and counted as such.
	other := strings.ReplaceAll(drifted, base.Program.Revision(), "sha256:"+strings.Repeat("7", 64))
	got = replayed(t, &base, head, review.ReplayOptions{}, []byte(other))
	require.Equal(t, [4]int{0, 0, len(documents), both.Changed}, [4]int{got.Drift.Count, got.Drift.Compared, got.Other, got.Changed})
}

// A decision of stock OPA has no policy, and its record the revision of its bundle.
func TestDecisionsOfStockOPAAgree(t *testing.T) {
	base, _ := replaySides(t)
	log := string(logOf(t, base.Program, fixtureDocuments(t), nil))
	log = strings.ReplaceAll(log, `,"policy":{"revision":"`+base.Program.Revision()+`"}`, "")
	log = strings.ReplaceAll(log, `"revision":"`+base.Program.Revision()+`","bundles":{"admitctl"`, `"bundles":{"shipped"`)
	require.NotContains(t, log, `"policy"`)
	got := replayed(t, &base, base, review.ReplayOptions{}, []byte(log))
	require.Equal(t, got.Records, got.Drift.Compared)
	require.Zero(t, got.Drift.Count)
}

func TestWhatCannotBeDecidedAgainIsTold(t *testing.T) {
	base, head := replaySides(t)
	document, err := inputs.Decode([]byte(`{"gate":"fence.retry","attempt_id":"A1","created_on":"free-eval","charge":{"name":"free-eval","retry_budget":1}}`), inputs.Source{})
	require.NoError(t, err)
	line := strings.TrimSpace(string(logOf(t, base.Program, []inputs.Document{document}, nil)))
	edit := func(pairs ...string) string {
		for i := 0; i < len(pairs); i += 2 {
			require.Contains(t, line, pairs[i])
		}
		return strings.NewReplacer(pairs...).Replace(line)
	}
	const end = `"labels":{}`
	for name, test := range map[string]struct {
		line  string
		cause review.ReplayCause
	}{
		"as it is":                            {line, ""},
		"masked, and nobody reads it":         {edit(`"A1"`, `"masked"`, end, `"masked":["/input/attempt_id"]`), ""},
		"masked, and the gate reads it":       {edit(end, `"masked":["/input/created_on"]`), review.CauseMasked},
		"masked in an object":                 {edit(end, `"masked":["/input/charge"]`), review.CauseMasked},
		"masked, so that it is no document":   {edit(`"A1"`, `"**"`, `"free-eval","charge"`, `null,"charge"`, end, `"masked":["/input/created_on"]`), review.CauseMasked},
		"masked elsewhere":                    {edit(end, `"masked":["/labels/id"]`), ""},
		"masked in the result":                {edit(`"reason":"retry_same_plane"`, `"reason":"masked"`, end, `"masked":["/result/reason"]`), review.CauseMasked},
		"erased, and it must be there":        {edit(`"attempt_id":"A1",`, ``, end, `"erased":["/input/attempt_id"]`), review.CauseErased},
		"erased altogether":                   {edit(`"input":{`, `"x":{`, end, `"erased":["/input"]`), review.CauseErased},
		"no input":                            {edit(`"input":{`, `"x":{`), review.CauseNoInput},
		"no gate":                             {edit(`admission/fence/retry/decision`, `http/example/authz/allow`), review.CauseGate},
		"an unknown gate":                     {edit(`admission/fence/retry/decision`, `admission/gone/decision`, `{"gate":"fence.retry",`, `{"gate":"gone",`), review.CauseGate},
		"another gate than its path":          {edit(`admission/fence/retry/decision`, `admission/fence/bind/decision`), review.CauseGate},
		"a gate that only the path names":     {edit(`{"gate":"fence.retry","attempt_id"`, `{"attempt_id"`), ""},
		"of an older schema":                  {edit(`"attempt_id":"A1"`, `"attempt":"A1"`), review.CauseInput},
		"a key twice":                         {edit(`"attempt_id":"A1"`, `"attempt_id":"A1","attempt_id":"A2"`), review.CauseBroken},
		"no record":                           {"{}", review.CauseBroken},
		"no JSON":                             {"nonsense", review.CauseBroken},
		"too long":                            {strings.Repeat("x", 2<<20), review.CauseBroken},
		"a result that is no decision":        {edit(`"admit":true`, `"admit":"yes"`), review.CauseResult},
		"no result, of a revision that it is": {edit(`"result":{`, `"y":{`), review.CauseResult},
	} {
		t.Run(name, func(t *testing.T) {
			got := replayed(t, &base, head, review.ReplayOptions{}, []byte(line+"\n"+test.line+"\n"+line+"\n"))
			require.Equal(t, 3, got.Records)
			require.Zero(t, got.Drift.Count)
			if test.cause == "" {
				require.Equal(t, 3, got.Decided)
				require.Zero(t, got.Unreplayable.Count)
				return
			}
			require.Equal(t, 2, got.Decided)
			require.Equal(t, 2, got.Gates["fence.retry"].Records)
			require.Equal(t, 1, got.Unreplayable.Count)
			require.Equal(t, test.cause, got.Unreplayable.Causes[0].Cause)
			require.Equal(t, 1, got.Unreplayable.Causes[0].Count)
			require.Equal(t, 2, got.Unreplayable.Causes[0].Examples[0].Line)
			require.NotEmpty(t, got.Unreplayable.Causes[0].Examples[0].Problem)
			require.NotContains(t, got.Unreplayable.Causes[0].Examples[0].Problem, "log1:")
		})
	}
}

func TestALogMaskedByItsAllowlistIsReplayed(t *testing.T) {
	base, head := replaySides(t)
	documents := fixtureDocuments(t)
	open := replayed(t, &base, head, review.ReplayOptions{}, logOf(t, base.Program, documents, nil))
	masked := logOf(t, base.Program, documents, &journal.Allowlist{Decides: func(gate, field string) bool {
		return strings.Contains(" "+strings.Join(base.Program.Table(gate).Program().Reads(), " ")+" ", " "+field+" ")
	}})
	require.Contains(t, string(masked), `"masked":["/input/intent_id"`)
	got := replayed(t, &base, head, review.ReplayOptions{}, masked)
	require.Equal(t, [3]int{open.Decided, open.Changed, 0}, [3]int{got.Decided, got.Changed, got.Drift.Count})
}

func TestALogCutAnywhereInItsLastRecordIsReplayed(t *testing.T) {
	base, head := replaySides(t)
	documents := fixtureDocuments(t)[:5]
	log := logOf(t, base.Program, documents, nil)
	last := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1
	for cut := last; cut <= len(log); cut++ {
		got := replayed(t, &base, head, review.ReplayOptions{Workers: 2}, log[:cut])
		whole := 4
		if cut >= len(log)-1 {
			whole = 5
		}
		require.Equal(t, [2]int{whole, whole}, [2]int{got.Records, got.Decided}, "cut at %d", cut)
		if torn := cut > last && whole == 4; torn {
			require.Len(t, got.Torn, 1)
			require.Contains(t, got.Torn[0], "log1:5: ")
		} else {
			require.Empty(t, got.Torn)
		}
	}
}

// endlessText gives a text again and again.
type endlessText struct {
	text []byte
	left int
	at   int
}

func (e *endlessText) Read(into []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	rest := e.text[e.at:]
	count := copy(into, rest[:min(len(rest), e.left)])
	e.left -= count
	e.at = (e.at + count) % len(e.text)
	return count, nil
}

func TestHostileLogsAreToldAndNotHeld(t *testing.T) {
	base, head := replaySides(t)
	good := logOf(t, base.Program, fixtureDocuments(t)[:1], nil)
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, err := io.Copy(packed, &endlessText{text: bytes.Repeat([]byte("["), 1<<16), left: 256 << 20})
	require.NoError(t, err)
	require.NoError(t, packed.Close())
	for name, from := range map[string]io.Reader{
		"a line of a gigabyte": io.MultiReader(bytes.NewReader(good), &endlessText{text: bytes.Repeat([]byte("x"), 1<<16), left: 1 << 30}, strings.NewReader("\n"), bytes.NewReader(good)),
		"a bomb":               &bomb,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := review.Replay(t.Context(), []review.Log{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(from), nil }}}, &base, head, review.ReplayOptions{})
			require.NoError(t, err)
			require.Equal(t, 1, got.Unreplayable.Count)
			require.Contains(t, got.Unreplayable.Causes[0].Examples[0].Problem, "more than 1048576 bytes")
		})
	}
}

func TestAReplayThatCannotGoOnSaysWhy(t *testing.T) {
	base, head := replaySides(t)
	log := logOf(t, base.Program, fixtureDocuments(t), nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := review.Replay(ctx, asLogs(log), &base, head, review.ReplayOptions{})
	require.ErrorContains(t, err, "enough")
	_, err = review.Replay(t.Context(), []review.Log{{Name: "gone", Open: func() (io.ReadCloser, error) { return nil, fs.ErrNotExist }}}, &base, head, review.ReplayOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = review.Replay(t.Context(), asLogs(log), nil, review.Side{}, review.ReplayOptions{})
	require.Error(t, err)
}

func TestAReplayIsPlainData(t *testing.T) {
	base, head := replaySides(t)
	got := replayed(t, &base, head, review.ReplayOptions{}, logOf(t, base.Program, fixtureDocuments(t), nil), []byte("{"))
	text, err := json.Marshal(got)
	require.NoError(t, err)
	var back review.Replayed
	require.NoError(t, json.Unmarshal(text, &back))
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.JSONEq(t, string(text), string(again))
	require.NotContains(t, string(text), "null,\"examples\"")
}
