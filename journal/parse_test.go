package journal

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/table"
)

// A record of OPA's own, as its documentation has it.
const ofOPA = `{
  "labels": {"app": "my-example-app", "id": "1780d507-aea2-45cc-ae50-fa153c8e4a5a", "version": "v1.22.3"},
  "decision_id": "4ca636c1-55e4-417a-b1d8-4aceb67960d1",
  "bundles": {"authz": {"revision": "W3sibCI6InN5cy9jYXRhbG9nIiwicyI6NDA3MX1d"}},
  "path": "admission/fence/bind/decision",
  "input": {"score_revision": "R3"},
  "result": {"gate": "fence.bind", "admit": false},
  "requested_by": "[::1]:59943", "req_id": 7, "erased": ["/input/password"], "custom": {"a": [1.5e3, null, {"\u0062": "\ud83d\ude42"}]},
  "timestamp": "2018-01-01T00:00:00.000000Z"
}`

func TestRecordsOfOPAAreRead(t *testing.T) {
	var r Record
	require.NoError(t, Parse(Raw{Text: []byte(ofOPA)}, &r))
	require.Equal(t, "fence.bind", r.Gate())
	require.Equal(t, "W3sibCI6InN5cy9jYXRhbG9nIiwicyI6NDA3MX1d", r.Revision)
	require.Equal(t, []string{"/input/password"}, r.Erased)
	require.JSONEq(t, `{"score_revision": "R3"}`, string(r.Input))
	require.ErrorIs(t, Decision(r.Result, new(table.Decision)), ErrRecord)
}

func TestTheRevisionIsThatOfTheRecordOrOfItsBundle(t *testing.T) {
	const rest = `"decision_id":"1","timestamp":"2026-12-01T00:00:00Z"}`
	for text, want := range map[string]string{
		`{`:                "",
		`{"revision":"a",`: "a",
		`{"bundles":{"x":{"revision":"b"}},"revision":"a",`:                                   "a",
		`{"bundles":{"x":{"revision":"b"}},`:                                                  "b",
		`{"bundles":{"x":{"revision":"b"},"y":{"revision":"c"}},`:                             "",
		`{"bundles":{"x":{"revision":"b"},"admitctl":{"revision":"c"},"z":{"revision":"d"}},`: "c",
		`{"bundles":{"x":{}},`:                                                                "",
	} {
		r := Record{Revision: "of the one before", Path: "p", DecisionID: "2", Masked: []string{"/x"}}
		require.NoError(t, Parse(Raw{Text: []byte(text + rest)}, &r))
		require.Equal(t, want, r.Revision, text)
		require.Empty(t, r.Path)
		require.Empty(t, r.Masked)
	}
}

func TestGatesAreThoseOfDecisions(t *testing.T) {
	for path, gate := range map[string]string{
		"admission/fence/retry/decision": "fence.retry", "/admission/compaction/decision": "compaction",
		"admission/fence": "", "http/example/authz/allow": "", "": "", "admission/decision": "", "admission//decision": "",
	} {
		require.Equal(t, gate, (&Record{Path: path}).Gate(), path)
	}
	require.Equal(t, "fence.retry", (&Record{Path: pathOf("fence.retry")}).Gate())
}

func TestResultsAreDecisions(t *testing.T) {
	const whole = `{"gate":"g","admit":true,"reason":"r","action":"a","violations":[],"effects":[{"plane":"p","counter":"depth","delta":-1}],"unknown":["x"]}`
	var d table.Decision
	require.NoError(t, Decision([]byte(whole), &d))
	require.Equal(t, table.Decision{Gate: "g", Admit: true, Reason: "r", Action: "a", Violations: []table.Violation{}, Effects: []table.Effect{{Plane: "p", Counter: "depth", Delta: -1}}, Unknown: []string{"x"}}, d)
	for _, edit := range [][2]string{
		{`"gate":"g",`, ``}, {`true`, `"true"`}, {`"r"`, `null`}, {`[]`, `null`}, {`[]`, `[{"reason":"x","more":1}]`}, {`[]`, `[{"reason":"x","observed":1.5}]`},
		{`[]`, `[{"reason":"x","limit":[]}]`}, {`-1`, `"-1"`}, {`-1`, `-1e0`}, {`["x"]`, `[1]`}, {`{"gate"`, `{"more":1,"gate"`}, {`"unknown":["x"]}`, `"unknown":["x"]} x`},
		{`{"gate"`, `{"policy":{"version":"1"},"gate"`}, {`{"gate"`, `{"gate":"g","gate"`}, {whole, `true`}, {whole, ``}, {`"r"`, "\"\xff\""},
	} {
		text := strings.Replace(whole, edit[0], edit[1], 1)
		require.NotEqual(t, whole, text)
		require.ErrorIs(t, Decision([]byte(text), &d), ErrRecord, text)
	}
}

func TestAppendedDecisionsAreReadAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Make[table.Decision]().Draw(t, "decision")
		text, err := json.Marshal(want)
		require.NoError(t, err)
		var of, got table.Decision // by the library
		require.NoError(t, json.Unmarshal(jsonLists(text), &of))
		require.NoError(t, Decision(jsonLists(text), &got))
		require.Equal(t, string(of.AppendJSON(nil)), string(got.AppendJSON(nil)))
	})
}

// jsonLists has an empty list where a decision has none.
func jsonLists(text []byte) []byte {
	for _, name := range []string{"violations", "effects", "unknown"} {
		text = []byte(strings.Replace(string(text), `"`+name+`":null`, `"`+name+`":[]`, 1))
	}
	return text
}

// FuzzParse holds the scanner against the library: what is read as a record is strict JSON, and what is strict JSON and a
// record is read.
func FuzzParse(f *testing.F) {
	f.Add(ofOPA)
	f.Add(string(logged(f, 1)))
	f.Add(`{"decision_id":"","timestamp":"2026-12-01T00:00:00Z","x":{"\u0061":1,"a":2}}`)
	f.Add(`{"decision_id":"","timestamp":"2026-12-01T00:00:00Z","x":[-0.5E+7,"\"\\\ud800"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r Record
		err := Parse(Raw{Text: []byte(text)}, &r)
		strict := jsontext.Value(text).IsValid()
		if err == nil && !strings.Contains(text, `\u`) { // of surrogates that have lost their other half we do not care
			require.True(t, strict, "%q was read", text)
		}
		if strict && err != nil {
			var fields map[string]json.RawMessage
			if json.Unmarshal([]byte(text), &fields) == nil && fields["decision_id"] != nil && len(text) < 4000 && strings.Count(text, "[")+strings.Count(text, "{") < maxDepth {
				require.NotErrorIs(t, err, errSyntax, "%q", text)
			}
		}
	})
}

// FuzzRead reads whatever there is, packed or not, to its end.
func FuzzRead(f *testing.F) {
	log := logged(f, 2)
	f.Add(log)
	f.Add(asArray(log))
	f.Add(gzipped(f, log, true))
	f.Add(zstandard(f, log, true))
	f.Add([]byte("[{},\n[1,\"]\"],,"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader(strings.NewReader(string(text)), ReaderOptions{MaxRecord: 4096})
		defer r.Close()
		var record Record
		var total, line int
		for {
			raw, err := r.Next()
			if err != nil {
				var own *Error
				if !errors.As(err, &own) {
					break
				}
				require.GreaterOrEqual(t, own.Line, line)
				line = own.Line
				continue
			}
			require.NotEmpty(t, raw.Text)
			require.LessOrEqual(t, len(raw.Text), 4096)
			require.GreaterOrEqual(t, raw.Line, line)
			line = raw.Line
			total += len(raw.Text)
			if Parse(raw, &record) == nil {
				_ = Decision(record.Result, new(table.Decision))
			}
		}
		if len(text) > 4 && text[0] != 0x1f && text[0] != 0x28 && text[0]&0xf0 != 0x50 {
			require.LessOrEqual(t, total, len(text), "nothing is read twice")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	log := logged(b, 1)
	var r Record
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Parse(Raw{Text: log}, &r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for name, data := range map[string][]byte{"lines": logged(b, 9), "array": asArray(logged(b, 9))} {
		b.Run(name, func(b *testing.B) {
			log := strings.Repeat(string(data)+"\n", 1000)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(strings.NewReader(log), ReaderOptions{})
				count := 0
				for _, err := r.Next(); err == nil; _, err = r.Next() {
					count++
				}
				if count != 9000 {
					b.Fatal(count)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for name, durable := range map[string]bool{"system": false, "durable": true} {
		b.Run(name, func(b *testing.B) {
			w, err := Open(b.TempDir()+string(os.PathSeparator)+"d.ndjson", Options{Clock: clock, Durable: durable})
			require.NoError(b, err)
			entry := retry(b, "A1")
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := w.Write(entry); err != nil {
						b.Error(err)
						return
					}
				}
			})
			require.NoError(b, w.Close())
		})
	}
}

func TestStringsAreReadAsTheLibraryHasThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z"\\/\n\x{7f}\x{e9}\x{2028}]{0,30}`)).Draw(t, "id")
		text, err := json.Marshal(id)
		require.NoError(t, err)
		var want string
		require.NoError(t, json.Unmarshal(text, &want))
		var r Record
		require.NoError(t, Parse(Raw{Text: []byte(`{"decision_id":` + string(text) + `,"timestamp":"2026-12-01T00:00:00Z"}`)}, &r))
		require.Equal(t, want, r.DecisionID)
	})
}
