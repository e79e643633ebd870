package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// with is the good document with the value of one field replaced, as JSON text.
func with(field, value string) string {
	start := strings.Index(good, `"`+field+`":`) + len(field) + 3
	end := start + strings.IndexAny(good[start:], ",}")
	return good[:start] + value + good[end:]
}

// without is the good document without one field, which is not its last.
func without(field string) string {
	start := strings.Index(good, `"`+field+`":`)
	return good[:start] + good[start+strings.Index(good[start:], ",")+1:]
}

// and is the good document with more text before its last brace.
func and(more string) string { return good[:len(good)-1] + "," + more + "}" }

// literal is the good document as a struct, after an edit.
func literal(edit func(*inputs.Compaction)) inputs.Document {
	d := &inputs.Compaction{
		SlackMS: inputs.Known(9000), QueueAgeMS: inputs.Known(1200), EstGenMS: inputs.Known(1500), EstTokens: inputs.Known(800),
		RetryCount: inputs.Known(0), TokenCeiling: inputs.Known(5000), TranscriptVersion: inputs.Known(9), LatestVersion: inputs.Known(9),
	}
	edit(d)
	return d
}

const fence = `{"gate":"fence","intent_id":"I1","revision":"R3","borrow":true,` +
	`"primary":{"name":"a","depth":0,"retry_budget":3,"health_age_ms":0},` +
	`"borrowed":{"name":"b","depth":0,"retry_budget":3,"health_age_ms":0}}`

func fenceLiteral(edit func(*inputs.Fence)) inputs.Document {
	plane := inputs.Plane{Name: "a", Depth: inputs.Known(0), RetryBudget: inputs.Known(3), HealthAgeMS: inputs.Known(0)}
	other := plane
	other.Name = "b"
	d := &inputs.Fence{IntentID: "I1", Revision: "R3", Borrow: inputs.KnownFlag(true), Primary: plane, Borrowed: &other}
	edit(d)
	return d
}

func documentRows() []badInput {
	const whole = "write a whole number from 0 to 1099511627776"
	rows := []badInput{
		{row: 1, what: "empty file", document: "", place: "1:1", says: []string{"$: expected one JSON object, and there is nothing", `write {"gate": …}`}, kind: inputs.ErrMalformed},
		{row: 1, what: "white space", document: " \n\t\n", place: "3:1", says: []string{"expected one JSON object, and there is nothing"}, kind: inputs.ErrMalformed},
		{row: 1, what: "null", document: "null", place: "1:1", says: []string{"expected one JSON object, not null"}, kind: inputs.ErrMalformed},
		{row: 1, what: "array", document: "[]", place: "1:1", says: []string{"expected one JSON object, not an array"}, kind: inputs.ErrMalformed},
		{row: 1, what: "string", document: `"x"`, place: "1:1", says: []string{"expected one JSON object, not a string"}, kind: inputs.ErrMalformed},
		{row: 1, what: "empty object", document: "{}", place: "1:1", says: []string{`missing required "gate"`, "compaction"}, kind: inputs.ErrUnknownGate},
		{row: 1, what: "half a document", document: good[:40], place: "1:41", says: []string{"the document ends in the middle"}, kind: inputs.ErrMalformed},
		{row: 1, what: "not JSON", document: "slack_ms: 9000", place: "1:1", says: []string{"$: invalid character 's'"}, kind: inputs.ErrMalformed},

		{row: 2, what: "two documents", document: good + "\n" + good, place: "2:1", says: []string{"more text after the document", "--ndjson"}, kind: inputs.ErrMalformed},
		{row: 2, what: "trailing text", document: good + " ;", place: fmt.Sprintf("1:%d", len(good)+2), says: []string{"more text after the document"}, kind: inputs.ErrMalformed},

		{row: 3, what: "duplicate field", document: and(`"slack_ms":1`), place: fmt.Sprintf("1:%d", len(good)+1), says: []string{"$.slack_ms", `duplicate field "slack_ms"`, "keep one of the two"}, kind: inputs.ErrDuplicateField},
		{row: 3, what: "duplicate field escaped", document: and(`"slack\u005fms":1`), place: fmt.Sprintf("1:%d", len(good)+1), says: []string{`duplicate field "slack_ms"`}, kind: inputs.ErrDuplicateField},
		{row: 3, what: "duplicate gate", document: and(`"gate":"fanout"`), place: fmt.Sprintf("1:%d", len(good)+1), says: []string{`duplicate field "gate"`}, kind: inputs.ErrDuplicateField},
		{row: 3, what: "duplicate field in an object", document: strings.Replace(fence, `"depth":0`, `"depth":0,"depth":9`, 1), place: "1:96", says: []string{"$.primary.depth", `duplicate field "depth"`}, kind: inputs.ErrDuplicateField},
		{row: 3, what: "duplicate object", document: strings.Replace(fence, `"borrowed"`, `"primary"`, 1), place: "1:132", says: []string{`duplicate field "primary"`}, kind: inputs.ErrDuplicateField},

		{row: 4, what: "field in the wrong case", document: strings.Replace(good, "slack_ms", "Slack_Ms", 1), place: "1:22", says: []string{"$.Slack_Ms", `unknown field "Slack_Ms"`, `did you mean "slack_ms"?`}, kind: inputs.ErrUnknownField},
		{row: 4, what: "gate field in the wrong case", document: strings.Replace(good, `"gate"`, `"Gate"`, 1), place: "1:2", says: []string{"$.Gate", `did you mean "gate"?`}, kind: inputs.ErrUnknownField},
		{row: 4, what: "gate in the wrong case", document: strings.Replace(good, "compaction", "Compaction", 1), place: "1:9", says: []string{"$.gate", `"Compaction" is no gate`, `did you mean "compaction"?`}, kind: inputs.ErrUnknownGate},

		{row: 5, what: "misspelt field", document: strings.Replace(good, "slack_ms", "slak_ms", 1), place: "1:22", says: []string{"$.slak_ms", `unknown field "slak_ms"`, `did you mean "slack_ms"?`}, kind: inputs.ErrUnknownField},
		{row: 5, what: "misspelt field in an object", document: strings.Replace(fence, `"depth"`, `"dpeth"`, 1), place: "1:86", says: []string{"$.primary.dpeth", `did you mean "depth"?`}, kind: inputs.ErrUnknownField},
		{row: 5, what: "field of an object by a dotted name", document: strings.Replace(fence, `"primary"`, `"primary.depth":0,"primary"`, 1), place: "1:64", says: []string{`unknown field "primary.depth"`}, kind: inputs.ErrUnknownField},
		{row: 5, what: "unknown field", document: and(`"priority":1`), place: fmt.Sprintf("1:%d", len(good)+1), says: []string{`unknown field "priority"`, "fields of compaction: queue_age_ms"}, kind: inputs.ErrUnknownField},
		{row: 5, what: "unknown gate", document: `{"gate":"fan_out"}`, place: "1:9", says: []string{`"fan_out" is no gate`, `did you mean "fanout"?`}, kind: inputs.ErrUnknownGate},
		{row: 5, what: "gate that is no string", document: `{"gate":5}`, place: "1:9", says: []string{"$.gate: a number is of the wrong type"}, kind: inputs.ErrWrongType},

		{row: 6, what: "missing signal", document: without("slack_ms"), place: "1:1", says: []string{`missing required "slack_ms" of compaction`, "a signal that nobody knows is written null"}, kind: inputs.ErrMissingField,
			literal: literal(func(d *inputs.Compaction) { d.SlackMS = inputs.Number{} })},
		{row: 6, what: "missing field", document: without("retry_count"), place: "1:1", says: []string{`missing required "retry_count" of compaction`}, kind: inputs.ErrMissingField,
			literal: literal(func(d *inputs.Compaction) { d.RetryCount = inputs.Number{} })},
		{row: 6, what: "missing estimate", document: without("est_tokens"), place: "1:1", says: []string{`missing required "est_tokens" or "transcript_chars"`}, kind: inputs.ErrMissingField,
			literal: literal(func(d *inputs.Compaction) { d.EstTokens = inputs.Number{} })},
		{row: 6, what: "missing everything", document: `{"gate":"fanout"}`, place: "1:1", says: []string{`missing required "class", "queue_age_ms", "deadline_slack_ms"`}, kind: inputs.ErrMissingField, literal: &inputs.Fanout{}},
		{row: 6, what: "missing field of an object", document: strings.Replace(fence, `"depth":0,`, "", 1), place: "1:74", says: []string{"$.primary: missing required", `"depth"`}, kind: inputs.ErrMissingField,
			literal: fenceLiteral(func(d *inputs.Fence) { d.Primary.Depth = inputs.Number{} })},

		{row: 7, what: "null that is no signal", document: with("retry_count", "null"), place: "1:107", says: []string{"$.retry_count: null, and this is not a signal", "write a whole number from 0 to 1048576"}, kind: inputs.ErrWrongType,
			literal: literal(func(d *inputs.Compaction) { d.RetryCount = inputs.Unknown() })},
		{row: 7, what: "null switch", document: strings.Replace(fence, "true", "null", 1), place: "1:59", says: []string{"$.borrow: null, and this is not a signal", "write true or false"}, kind: inputs.ErrWrongType,
			literal: fenceLiteral(func(d *inputs.Fence) { d.Borrow = inputs.UnknownFlag() })},
		{row: 7, what: "null plane", document: `{"gate":"fence","intent_id":"I1","borrow":false,"primary":null}`, place: "1:59", says: []string{"$.primary: null is of the wrong type", "write an object with name, depth"}, kind: inputs.ErrWrongType},
		{row: 7, what: "null gate", document: `{"gate":null}`, place: "1:9", says: []string{"$.gate: null is of the wrong type"}, kind: inputs.ErrWrongType},

		{row: 9, what: "number that is too small", document: with("queue_age_ms", "-1"), place: "1:53", says: []string{"$.queue_age_ms: -1 is out of range", whole}, kind: inputs.ErrOutOfRange,
			literal: literal(func(d *inputs.Compaction) { d.QueueAgeMS = inputs.Known(-1) })},
		{row: 9, what: "slack below its range", document: with("slack_ms", "-1099511627777"), place: "1:33", says: []string{"$.slack_ms: -1099511627777 is out of range", "from -1099511627776 to 1099511627776"}, kind: inputs.ErrOutOfRange,
			literal: literal(func(d *inputs.Compaction) { d.SlackMS = inputs.Known(-1<<40 - 1) })},
		{row: 9, what: "number that is too large", document: with("queue_age_ms", "1099511627777"), place: "1:53", says: []string{"1099511627777 is out of range", whole}, kind: inputs.ErrOutOfRange,
			literal: literal(func(d *inputs.Compaction) { d.QueueAgeMS = inputs.Known(1<<40 + 1) })},
		{row: 9, what: "version past exact doubles", document: with("transcript_version", "9007199254740992"), place: "1:151", says: []string{"9007199254740992 is out of range", "to 9007199254740991"}, kind: inputs.ErrOutOfRange,
			literal: literal(func(d *inputs.Compaction) { d.TranscriptVersion = inputs.Known(1 << 53) })},
		{row: 9, what: "number of 400 digits", document: with("queue_age_ms", "1"+strings.Repeat("0", 400)), place: "1:53", says: []string{"… (401 digits) is out of range", whole}, kind: inputs.ErrOutOfRange},
		{row: 9, what: "NaN", document: with("queue_age_ms", "NaN"), place: "1:53", says: []string{"invalid character 'N'", whole}, kind: inputs.ErrMalformed},
		{row: 9, what: "Infinity", document: with("queue_age_ms", "Infinity"), place: "1:53", says: []string{"invalid character 'I'", whole}, kind: inputs.ErrMalformed},
		{row: 9, what: "leading zero", document: with("queue_age_ms", "012"), place: "1:54", says: []string{"invalid character '1'"}, kind: inputs.ErrMalformed},

		{row: 10, what: "nesting of 33", document: `{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `,"gate":"compaction"}`, place: "1:6", says: []string{"$.x: nests deeper than 32", "documents are flat"}, kind: inputs.ErrTooDeep},
		{row: 10, what: "nesting of 33 in a field", document: with("slack_ms", strings.Repeat("[", 33)+strings.Repeat("]", 33)), place: "1:33", says: []string{"$.slack_ms: an array is of the wrong type"}, kind: inputs.ErrWrongType},
		{row: 10, what: "nesting of 5 million", document: strings.Repeat(`{"a":`, 5_000_000), place: "1:1", says: []string{"more than 65536 bytes"}, kind: inputs.ErrTooLarge},
		{row: 10, what: "nesting of all that fits", document: `{"x":` + strings.Repeat("[", inputs.MaxBytes-5), place: "1:6", says: []string{"nests deeper than 32"}, kind: inputs.ErrTooDeep},
		{row: 11, what: "a byte too large", document: good + strings.Repeat(" ", inputs.MaxBytes+1-len(good)), place: "1:1", says: []string{"$: more than 65536 bytes", "a few hundred bytes"}, kind: inputs.ErrTooLarge},
	}
	for _, value := range []struct{ what, text string }{{"string", `"15000"`}, {"flag", "true"}, {"object", "{}"}, {"array", "[]"}} {
		rows = append(rows, badInput{row: 8, what: value.what + " for a number", document: with("queue_age_ms", value.text), place: "1:53",
			says: []string{"$.queue_age_ms: ", " is of the wrong type", whole + ", or null when unknown"}, kind: inputs.ErrWrongType})
	}
	for _, text := range []string{"1.5", "1e3", "1E3", "-0", "1.0", "0e0"} {
		rows = append(rows, badInput{row: 9, what: "number written as " + text, document: with("queue_age_ms", text), place: "1:53",
			says: []string{"$.queue_age_ms: " + text + " is not written as a whole number", whole}, kind: inputs.ErrWrongType})
	}
	return rows
}

func identifierRows() []badInput {
	const rule = "an identifier of 1 to 128 code points, without control or format characters or outer spaces"
	id := func(text string) string { return strings.Replace(fence, `"I1"`, `"`+text+`"`, 1) }
	value := func(text string) inputs.Document { return fenceLiteral(func(d *inputs.Fence) { d.IntentID = text }) }
	long := strings.Repeat("ü", 129)
	return []badInput{
		{row: 8, what: "number for an identifier", document: strings.Replace(fence, `"I1"`, "1", 1), place: "1:29", says: []string{"$.intent_id: 1 is of the wrong type", rule}, kind: inputs.ErrWrongType},
		{row: 8, what: "string for a flag", document: strings.Replace(fence, "true", `"true"`, 1), place: "1:59", says: []string{`$.borrow: "true" is of the wrong type`, "write true or false"}, kind: inputs.ErrWrongType},

		{row: 12, what: "invalid UTF-8", document: id("I\xff1"), place: "1:31", says: []string{"$.intent_id: invalid UTF-8", rule}, kind: inputs.ErrMalformed, literal: nil},
		{row: 12, what: "lone surrogate", document: id(`I\ud800`), place: "1:31", says: []string{"$.intent_id: invalid", "surrogate"}, kind: inputs.ErrMalformed},
		{row: 12, what: "NUL", document: id("I\x00"), place: "1:31", says: []string{"$.intent_id: invalid character", rule}, kind: inputs.ErrMalformed},
		{row: 12, what: "NUL escaped", document: id(`I\u0000`), place: "1:29", says: []string{`$.intent_id: "I\x00" has the control or format character U+0000`}, kind: inputs.ErrOutOfRange, literal: value("I\x00")},
		{row: 12, what: "byte order mark", document: "\ufeff" + good, place: "1:1", says: []string{"$: begins with a byte order mark", "save it as UTF-8 without one"}, kind: inputs.ErrMalformed},
		{row: 12, what: "UTF-16", document: "\xff\xfe{\x00}\x00", place: "1:1", says: []string{"$: "}, kind: inputs.ErrMalformed},
		{row: 12, what: "bidi control", document: id("I\u202e1"), place: "1:29", says: []string{`"I\u202e1" has the control or format character U+202E`}, kind: inputs.ErrOutOfRange, literal: value("I\u202e1")},
		{row: 12, what: "zero width joiner", document: id("I\u200d"), place: "1:29", says: []string{"U+200D", rule}, kind: inputs.ErrOutOfRange, literal: value("I\u200d")},
		{row: 12, what: "bytes in a field name", document: and("\"\xff\":1"), place: fmt.Sprintf("1:%d", len(good)+2), says: []string{"invalid UTF-8"}, kind: inputs.ErrMalformed},

		{row: 13, what: "empty identifier", document: id(""), place: "1:29", says: []string{"$.intent_id: empty", rule}, kind: inputs.ErrOutOfRange},
		{row: 13, what: "identifier of 129", document: id(long), place: "1:29", says: []string{"… (258 bytes) has 129 code points", rule}, kind: inputs.ErrOutOfRange, literal: value(long)},
		{row: 13, what: "newline in an identifier", document: id(`I\nadmit`), place: "1:29", says: []string{`"I\nadmit" has the control or format character U+000A`}, kind: inputs.ErrOutOfRange, literal: value("I\nadmit")},
		{row: 13, what: "terminal escape in an identifier", document: id(`\u001b[2J`), place: "1:29", says: []string{`"\x1b[2J" has the control or format character U+001B`}, kind: inputs.ErrOutOfRange, literal: value("\x1b[2J")},
		{row: 13, what: "raw terminal escape", document: id("\x1b[2J"), place: "1:30", says: []string{`invalid character '\x1b'`}, kind: inputs.ErrMalformed},
		{row: 13, what: "C1 control in an identifier", document: id("\u009b2J"), place: "1:29", says: []string{`"\u009b2J" has the control or format character U+009B`}, kind: inputs.ErrOutOfRange, literal: value("\u009b2J")},
		{row: 13, what: "outer space in an identifier", document: id("I1 "), place: "1:29", says: []string{`"I1 " begins or ends with a space`}, kind: inputs.ErrOutOfRange, literal: value("I1 ")},
		{row: 13, what: "outer line separator in an identifier", document: id("I1\u2028"), place: "1:29", says: []string{`"I1\u2028" begins or ends with a space`}, kind: inputs.ErrOutOfRange, literal: value("I1\u2028")},
		{row: 13, what: "terminal escape in a field name", document: and(`"\u001b[31m":1`), place: fmt.Sprintf("1:%d", len(good)+1), says: []string{`$["\x1b[31m"]: unknown field "\x1b[31m"`}, kind: inputs.ErrUnknownField},
		{row: 13, what: "terminal escape in the gate", document: `{"gate":"\u001b[31m"}`, place: "1:9", says: []string{`"\x1b[31m" is no gate`}, kind: inputs.ErrUnknownGate},
		{row: 13, what: "terminal escape in a word", document: and(`"path":"\u001b[31m"`), place: fmt.Sprintf("1:%d", len(good)+8), says: []string{`"\x1b[31m" is not a word of this field`, `write "free" or "paid"`}, kind: inputs.ErrOutOfRange},

		{row: 14, what: "both estimates", document: and(`"transcript_chars":9`), place: "1:1", says: []string{`"est_tokens" and "transcript_chars" are both there`, "keep one estimate"}, kind: inputs.ErrContradiction,
			literal: literal(func(d *inputs.Compaction) { d.TranscriptChars = inputs.Known(9) })},
		{row: 14, what: "borrow without borrowed", document: fence[:131-1] + "}", place: "1:1", says: []string{`"borrow" is true and "borrowed" is missing`, `set "borrow" to false`}, kind: inputs.ErrContradiction,
			literal: fenceLiteral(func(d *inputs.Fence) { d.Borrowed = nil })},
		{row: 14, what: "borrow without revision", document: strings.Replace(fence, `"revision":"R3",`, "", 1), place: "1:1", says: []string{`"borrow" is true and "revision" is missing`}, kind: inputs.ErrContradiction,
			literal: fenceLiteral(func(d *inputs.Fence) { d.Revision = "" })},
		{row: 14, what: "same plane twice", document: strings.Replace(fence, `"b"`, `"a"`, 1), place: "1:1", says: []string{`"primary.name" and "borrowed.name" are both "a"`, "name two planes"}, kind: inputs.ErrContradiction,
			literal: fenceLiteral(func(d *inputs.Fence) { d.Borrowed.Name = "a" })},
	}
}

// fileRows are names that hold no document. The tests may run as root, whom no file mode stops.
func fileRows() []badInput {
	return []badInput{
		{row: 15, what: "missing file", says: []string{"no such file"}, file: func(*testing.T, string) {}},
		{row: 15, what: "dangling link", says: []string{"no such file"}, file: func(t *testing.T, name string) {
			require.NoError(t, os.Symlink("nowhere", name))
		}},
		{row: 15, what: "link to itself", says: []string{"too many levels of symbolic links"}, file: func(t *testing.T, name string) {
			require.NoError(t, os.Symlink(name, name))
		}},
		{row: 15, what: "FIFO that nobody writes", says: []string{"no regular file"}, file: func(t *testing.T, name string) {
			require.NoError(t, syscall.Mkfifo(name, 0o600))
		}},
		{row: 15, what: "device", says: []string{"no regular file"}, file: func(t *testing.T, name string) {
			require.NoError(t, os.Symlink("/dev/zero", name))
		}},
	}
}
