package inputs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// documents has for each gate a document with as little as may be, and one with everything.
func documents() map[string][]string {
	plane := func(name string) string {
		return `{"name":"` + name + `","depth":1048576,"retry_budget":0,"health_age_ms":1099511627776,"depth_limit":0,"health_max_age_ms":1}`
	}
	return map[string][]string{
		"fence": {
			`{"gate":"fence","intent_id":"I1","borrow":false,"primary":{"name":"a","depth":null,"retry_budget":null,"health_age_ms":null}}`,
			`{"gate":"fence","intent_id":"ü","revision":"R 3","borrow":true,"primary":` + plane("a") + `,"borrowed":` + plane("b") + `}`,
		},
		"fence.retry": {
			`{"gate":"fence.retry","attempt_id":"A1","created_on":"a","charge":{"name":"b","retry_budget":null}}`,
			`{"gate":"fence.retry","attempt_id":"A\"<>&1","created_on":"a","charge":{"name":"a","retry_budget":7}}`,
		},
		"fence.bind": {
			`{"gate":"fence.bind","attempt_id":"A1","score_revision":"R3","current_revision":null,"attempt_state":null}`,
			`{"gate":"fence.bind","attempt_id":"A1","score_revision":"R3","current_revision":"R4","attempt_state":"expired"}`,
		},
		"compaction": {
			`{"gate":"compaction","queue_age_ms":null,"slack_ms":null,"est_gen_ms":0,"transcript_chars":0,"retry_count":0,"token_ceiling":0,"transcript_version":0,"latest_version":null}`,
			`{"gate":"compaction","queue_age_ms":1,"slack_ms":-1099511627776,"est_gen_ms":2,"est_tokens":3,"retry_count":4,"token_ceiling":5,"transcript_version":9007199254740991,"latest_version":6,"path":"free","jobs_this_turn":7,"last_compacted_version":8,"cancelable":true,"same_turn":false,"console_age_ms":9}`,
			`{"gate":"compaction","queue_age_ms":1,"slack_ms":1,"est_gen_ms":2,"est_tokens":3,"retry_count":4,"token_ceiling":5,"transcript_version":1,"latest_version":6,"cancelable":null,"same_turn":null,"console_age_ms":null}`,
		},
		"fanout": {
			`{"gate":"fanout","class":"c","queue_age_ms":null,"deadline_slack_ms":null,"tokens_in_window":null,"successes_in_window":null,"tool_depth":null,"retries_in_window":null}`,
			`{"gate":"fanout","class":"c","queue_age_ms":1,"deadline_slack_ms":-2,"tokens_in_window":3,"successes_in_window":4,"tool_depth":5,"retries_in_window":6,"siblings":7,"inflight":8,"meter_age_ms":9,"class_enabled":false,"max_depth":10,"max_siblings":11}`,
			`{"gate":"fanout","class":"c","queue_age_ms":1,"deadline_slack_ms":-2,"tokens_in_window":3,"successes_in_window":4,"tool_depth":5,"retries_in_window":6,"siblings":null,"inflight":null,"meter_age_ms":null}`,
		},
	}
}

// empty is a zero document of a gate.
func empty(gate string) inputs.Document {
	return map[string]inputs.Document{
		"fence": &inputs.Fence{}, "fence.retry": &inputs.Retry{}, "fence.bind": &inputs.Bind{}, "compaction": &inputs.Compaction{}, "fanout": &inputs.Fanout{},
	}[gate]
}

func decode(t *testing.T, text string) inputs.Document {
	t.Helper()
	document, err := inputs.Decode([]byte(text), inputs.Source{})
	require.NoError(t, err, text)
	return document
}

func TestDocumentsAreEncodedAsTheyWereDecoded(t *testing.T) {
	for gate, texts := range documents() {
		for _, text := range texts {
			document := decode(t, text)
			require.Equal(t, gate, document.Gate())
			encoded, err := json.Marshal(document)
			require.NoError(t, err)
			require.JSONEq(t, text, string(encoded))
			require.Equal(t, document, decode(t, string(encoded)))
			into := empty(gate)
			require.NoError(t, json.Unmarshal(encoded, into))
			require.Equal(t, document, into)
		}
	}
}

func TestUnmarshalIsAsStrictAsDecode(t *testing.T) {
	for gate, texts := range documents() {
		without := strings.Replace(texts[0], `"gate":"`+gate+`",`, "", 1)
		into := empty(gate)
		require.NoError(t, json.Unmarshal([]byte(without), into), "the type says the gate")
		require.Equal(t, decode(t, texts[0]), into)
		for _, bad := range []string{
			strings.Replace(without, "{", `{"no_such_field":1,`, 1), strings.Replace(without, "null", "1.5", 1), strings.Replace(without, "_", "-", 1), strings.Replace(without, `":`, `S":`, 1), "null", "{}", "[]",
		} {
			into := empty(gate)
			require.ErrorIs(t, json.Unmarshal([]byte(bad), into), inputs.ErrInvalid, bad)
			require.Equal(t, empty(gate), into, "nothing is kept of what is refused")
		}
	}
	other := &inputs.Fanout{}
	require.ErrorIs(t, json.Unmarshal([]byte(documents()["fence"][0]), other), inputs.ErrUnknownGate)
}

func TestTheGateMayStandAnywhereAndWinsOverTheCallers(t *testing.T) {
	last := `{"attempt_id":"A1","created_on":"a","charge":{"name":"b","retry_budget":null},"gate":"fence.retry"}`
	for _, gate := range []string{"", "fence.retry", "fanout", "no such gate"} {
		document, err := inputs.Decode([]byte(last), inputs.Source{Gate: gate})
		require.NoError(t, err)
		require.Equal(t, "fence.retry", document.Gate())
	}
	_, err := inputs.Decode([]byte(`{"gate":""}`), inputs.Source{Gate: "fence"})
	require.ErrorIs(t, err, inputs.ErrUnknownGate)
}

func TestFieldsAreYieldedByTheirNames(t *testing.T) {
	var got []string
	for name, value := range decode(t, documents()["fence"][1]).Fields() {
		got = append(got, name+"="+value.String())
	}
	require.Equal(t, []string{
		`intent_id="ü"`, `revision="R 3"`, "borrow=true",
		`primary.name="a"`, "primary.depth=1048576", "primary.retry_budget=0", "primary.health_age_ms=1099511627776", "primary.depth_limit=0", "primary.health_max_age_ms=1",
		`borrowed.name="b"`, "borrowed.depth=1048576", "borrowed.retry_budget=0", "borrowed.health_age_ms=1099511627776", "borrowed.depth_limit=0", "borrowed.health_max_age_ms=1",
	}, got)
	for range decode(t, documents()["fence"][1]).Fields() {
		break // a reader may stop early
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	text := "{\n  \"gate\": \"compaction\",\n  \"slack_ms\": \"ü\", \"queue_age_ms\": 1.5}"
	_, err := inputs.Decode([]byte(text), inputs.Source{File: "job.json", Line: 40})
	var invalid *inputs.Error
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, inputs.Error{File: "job.json", Line: 42, Column: 15, Path: "$.slack_ms", Gate: "compaction", Problem: `"ü" is of the wrong type`,
		Mend: "write a whole number from -1099511627776 to 1099511627776, or null when unknown", Kind: inputs.ErrWrongType}, *invalid)
	_, err = inputs.Decode([]byte(strings.Replace(text, `"ü"`, `null`, 1)), inputs.Source{})
	require.EqualError(t, err, "3:37: $.queue_age_ms: 1.5 is not written as a whole number; write a whole number from 0 to 1099511627776, or null when unknown")
	_, err = inputs.Decode(nil, inputs.Source{File: "evil\x1b[31m\n.json"})
	require.ErrorContains(t, err, `"evil\x1b[31m\n.json":1:1: $: `)
}

func TestReadGivesTheReadersErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	_, err := inputs.Read(iotest.ErrReader(broken), inputs.Source{File: "-"})
	require.EqualError(t, err, "-: broken pipe")
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, inputs.ErrInvalid)
	_, err = inputs.Read(iotest.ErrReader(broken), inputs.Source{})
	require.EqualError(t, err, "broken pipe")
	document, err := inputs.Read(iotest.OneByteReader(strings.NewReader(documents()["fanout"][0])), inputs.Source{})
	require.NoError(t, err)
	require.Equal(t, "fanout", document.Gate())
}

// endless gives one byte for ever, and counts.
type endless struct {
	with  byte
	given int
}

func (e *endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = e.with
	}
	e.given += len(into)
	return len(into), nil
}

// Rows 10 and 11 of the list of bad input: what is too much is refused without reading on, and in no time.
func TestTooMuchIsNotReadOn(t *testing.T) {
	for _, with := range []byte(" [{0\"\x00") {
		stream := &endless{with: with}
		_, err := inputs.Read(stream, inputs.Source{})
		require.ErrorIs(t, err, inputs.ErrTooLarge)
		require.LessOrEqual(t, stream.given, 2*inputs.MaxBytes)
	}
	gibibyte := &endless{with: '{'}
	_, err := inputs.Read(io.LimitReader(gibibyte, 1<<30), inputs.Source{})
	require.ErrorIs(t, err, inputs.ErrTooLarge)
	require.LessOrEqual(t, gibibyte.given, 2*inputs.MaxBytes)
}

// within fails where work takes longer than its bound.
func within(t *testing.T, bound time.Duration, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); work() }()
	select {
	case <-done:
	case <-time.After(bound):
		require.Fail(t, "it takes too long")
	}
}

func TestDeepNestingIsRefusedAtOnce(t *testing.T) {
	var accepted []string
	within(t, 20*time.Second, func() { // generous: most of it is making the documents
		for _, open := range []string{"[", `{"a":`, `[{"a":`} {
			for _, depth := range []int{33, 10_000, 5_000_000} {
				for _, around := range []string{"%s", `{"x":%s`, `{"gate":"compaction","slack_ms":%s`, `{"gate":"fence","primary":%s`, `{"gate":%s`} {
					_, err := inputs.Decode(fmt.Appendf(nil, around, strings.Repeat(open, depth)), inputs.Source{})
					if !errors.Is(err, inputs.ErrInvalid) || len(err.Error()) > 1000 {
						accepted = append(accepted, fmt.Sprintf("%s %s %d", around, open, depth))
					}
				}
			}
		}
	})
	require.Empty(t, accepted)
	deepest := bytes.Repeat([]byte("["), inputs.MaxDepth-1)
	_, err := inputs.Decode([]byte(`{"x":`+string(deepest)+strings.Repeat("]", len(deepest))+`,"gate":"fanout"}`), inputs.Source{})
	require.ErrorIs(t, err, inputs.ErrUnknownField, "a document of 32 is read")
}

func TestALargestDocumentIsRead(t *testing.T) {
	text := documents()["fanout"][0]
	text += strings.Repeat(" ", inputs.MaxBytes-len(text))
	decode(t, text)
	_, err := inputs.Decode([]byte(text+" "), inputs.Source{})
	require.ErrorIs(t, err, inputs.ErrTooLarge)
}
