package inputs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/inputs"
)

// requireNoOtherAnswer holds the fast path to its rule: what it accepts, the library path accepts as an equal document.
func requireNoOtherAnswer(t require.TestingT, text []byte, source inputs.Source) (fast, accepted bool) {
	document, fast := inputs.DecodeFast(text, source)
	want, err := inputs.DecodeByLibrary(text, source)
	if fast {
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, document, "%q", text)
	}
	return fast, err == nil
}

// requireOneAnswer holds the fast path to its use too: of what the library path accepts it gives up on no document but
// one with an escape, or with "gate" in it twice.
func requireOneAnswer(t require.TestingT, text []byte, source inputs.Source) (accepted bool) {
	fast, accepted := requireNoOtherAnswer(t, text, source)
	if accepted && !fast && bytes.Count(text, []byte(`gate"`)) <= 1 && !bytes.ContainsAny(text, `\`) {
		require.Fail(t, "the fast path gave up", "%q", text)
	}
	return accepted
}

// oddValues are what may stand where a value belongs.
func oddValues() []string {
	values := []string{
		`null`, `nul`, `nulll`, `Null`, `true`, `false`, `tru`, `truee`, `falsey`, `True`, `0`, `1`, `-1`, `-0`, `00`, `01`, `-01`, `+1`, `1.0`, `1.5`, `1e3`, `1E3`, `1.`, `.1`, `-`, `--1`, `1_0`, `0x1`, `1 2`, `1,"no_such":2`,
		`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `18446744073709551616`, `99999999999999999`, `100000000000000000`, `36893488147419103233`, `1` + strings.Repeat("0", 400), `NaN`, `Infinity`,
		`""`, `"a"`, `"ab"`, `"abc"`, `"abcd"`, `"abcdefg"`, `"abcdefgh"`, `"abcdefghi"`, `" a"`, `"a "`, `" "`, `"a b"`, `"~"`, `"15000"`, `"null"`, `"gate"`, `"free"`, `"paid"`, `"Free"`, `"accepted"`, `"bound"`, `"a`, `a"`, `'a'`,
		`"\u0061"`, `"\n"`, `"\\"`, `"\""`, `"\ud800"`, `"\u0000"`, `"\x"`, "\"a\nb\"", "\"a\x00b\"", "\"a\x7fb\"", "\"12345678\x1f\"", "\"\x80\"", "\"\xff\"", "\"\xc3\"", "\"a\xed\xa0\x80\"", "\"\xc0\xaf\"", "\"\xf4\x90\x80\x80\"",
		`"ü"`, `"日本"`, `"🙂"`, "\"a\u00a0b\"", "\"a\u00a0\"", "\"\u2028a\"", "\"\u200b\"", "\"\u202e\"", "\"\ufeff\"", "\"\u009b\"", "\"a\ufffd\"",
		`[]`, `{}`, `[1]`, `{"name":"x"}`, `{"name":"x",}`, `{"name":"x","name":"x"}`, `[[[`, `"`, ``, `,`, `:`, `}`, `/**/1`, "\ufeff1", "1\u00a0",
	}
	for _, length := range []int{127, 128, 129} {
		values = append(values, `"`+strings.Repeat("x", length)+`"`, `"`+strings.Repeat("ü", length)+`"`, `"`+strings.Repeat("x", length-1)+`ü"`)
	}
	for _, end := range []int64{1 << 20, 1 << 40, 1<<53 - 1} {
		for _, number := range []int64{end - 1, end, end + 1} {
			values = append(values, fmt.Sprint(number), fmt.Sprint(-number))
		}
	}
	return values
}

// members splits an object of plain members, and of objects of such.
func members(object string) []string {
	var all []string
	depth, begin := 0, 1
	for at := range object {
		switch c := object[at]; {
		case c == '{':
			depth++
		case c == '}' && depth > 1:
			depth--
		case c == '}' || c == ',' && depth == 1:
			all = append(all, object[begin:at])
			begin = at + 1
		}
	}
	return all
}

// every gives every document of the tests, of each gate and of the added gate of the same fields.
func every(use func(text string)) {
	all := documents()
	for gate, text := range ordinary() {
		all[gate] = append(all[gate], text)
	}
	for gate, texts := range all {
		for _, text := range texts {
			use(text)
			if strings.HasPrefix(gate, "copy.") {
				continue
			}
			use(strings.Replace(text, `"gate":"`+gate, `"gate":"copy.`+gate, 1))
		}
	}
}

func TestOddValuesGetOneAnswer(t *testing.T) {
	source := inputs.Source{Gate: "compaction", Schemas: copies(t)}
	accepted, all := 0, 0
	try := func(text string) {
		all++
		if requireOneAnswer(t, []byte(text), source) {
			accepted++
		}
	}
	every(func(text string) {
		for at := range text {
			if text[at] != ':' {
				continue
			}
			end := at + 1 + strings.IndexAny(text[at+1:]+",", ",}")
			for _, value := range oddValues() {
				try(text[:at+1] + value + text[end:])
			}
			begin := strings.LastIndexAny(text[:at], "{,") + 1
			name := text[begin:at]
			for _, other := range []string{strings.ToUpper(name), `"a.` + name[1:], name[1:], name[:len(name)-1], name + " ", `" ` + name[1:], `"no_such"`, `"gate"`, `"Gate"`, `"\u0067ate"`, `"primary.depth"`, `""`, "null", `"ü"`} {
				try(text[:begin] + other + text[at:])
			}
			member := text[begin:end]
			try(text[:begin] + strings.TrimPrefix(text[end:], ","))
			try(text[:begin] + member + "," + text[begin:])
			try(text[:end] + "," + member + text[end:])
		}
		for at := range len(text) + 1 { // cut, doubled, with a byte more
			try(text[:at])
			try(text[at:])
			try(text[:at] + text[max(0, at-1):])
			for _, more := range []string{" ", "\t", "\r", "\n", "\v", "\f", "\u00a0", "\x00", ",", "}", "{", `"`, `\`, "0", "\ufeff"} {
				try(text[:at] + more + text[at:])
			}
		}
	})
	require.Greater(t, accepted, 10_000)
	require.Greater(t, all-accepted, 50_000)
}

// draw makes a document of one that is good: members in any order, some left out, doubled or with an odd value, and white
// space wherever it may stand.
func draw(t *rapid.T, text string, odd []string) string {
	space := func() string {
		return rapid.SampledFrom([]string{"", "", "", " ", "\t", "\r\n", "  \n"}).Draw(t, "space")
	}
	all := rapid.Permutation(members(text)).Draw(t, "order")
	for i, member := range all {
		name, value, _ := strings.Cut(member, ":")
		switch change := rapid.IntRange(0, 40).Draw(t, "change"); {
		case strings.HasPrefix(value, "{"):
			value = draw(t, value, odd)
		case change == 0:
			value = rapid.SampledFrom(odd).Draw(t, "odd")
		case change == 1 && i > 0:
			all[i] = all[i-1]
			continue
		case change == 2:
			name = rapid.SampledFrom([]string{strings.ToUpper(name), `"name"`, `"gate"`, `"x"`}).Draw(t, "name")
		case change == 3:
			name, value = `"gate"`, `"fanout"`
		case change == 4:
			value = "null"
		}
		all[i] = space() + name + space() + ":" + space() + value + space()
	}
	if rapid.IntRange(0, 20).Draw(t, "drop") == 0 {
		all = all[1:]
	}
	return space() + "{" + strings.Join(all, ",") + space() + "}" + space()
}

func TestDrawnDocumentsGetOneAnswer(t *testing.T) {
	schemas, odd := copies(t), oddValues()
	var texts []string
	every(func(text string) { texts = append(texts, text) })
	rapid.Check(t, func(t *rapid.T) {
		text := draw(t, rapid.SampledFrom(texts).Draw(t, "of"), odd)
		gate := rapid.SampledFrom([]string{"", "fence", "fence.retry", "fence.bind", "compaction", "fanout", "copy.fence", "no such gate"}).Draw(t, "gate")
		requireOneAnswer(t, []byte(text), inputs.Source{Gate: gate, Schemas: schemas})
	})
}

// The fast path must not be one that nothing ever takes.
func TestWhatWeWriteIsReadFast(t *testing.T) {
	source := inputs.Source{Schemas: copies(t)}
	every(func(text string) {
		document, err := inputs.DecodeByLibrary([]byte(text), source)
		require.NoError(t, err)
		written, err := document.(interface{ MarshalJSON() ([]byte, error) }).MarshalJSON()
		require.NoError(t, err)
		fast, ok := inputs.DecodeFast(written, source)
		require.Equal(t, !bytes.ContainsAny(written, `\`), ok, "%s", written)
		if ok {
			require.Equal(t, document, fast)
		}
	})
}

func TestFixturesAreReadFast(t *testing.T) {
	fixtures, err := filepath.Glob(filepath.Join("..", "fixtures", "*", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, name := range fixtures {
		if strings.HasSuffix(name, ".want.json") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, ok := inputs.DecodeFast(text, inputs.Source{})
		require.True(t, ok, name)
	}
}

// A reader overwrites the line that it has given.
func TestDocumentsKeepNothingOfTheirBytes(t *testing.T) {
	source := inputs.Source{Schemas: copies(t)}
	every(func(text string) {
		line := []byte(text)
		document, err := inputs.Decode(line, source)
		require.NoError(t, err)
		for i := range line {
			line[i] = '#'
		}
		again, err := inputs.DecodeByLibrary([]byte(text), source)
		require.NoError(t, err)
		require.Equal(t, again, document)
	})
}

func TestDecodingAllocatesLittleMoreThanTheDocument(t *testing.T) {
	source := inputs.Source{File: "lines.ndjson", Line: 7, Schemas: copies(t)}
	for gate, most := range map[string]float64{
		"fence": 3, "fence.retry": 2, "fence.bind": 2, "compaction": 1, "fanout": 2, "copy.fence": 3, "copy.compaction": 2,
	} {
		line := []byte(ordinary()[gate])
		var document inputs.Document
		decoding := testing.AllocsPerRun(100, func() { document, _ = inputs.Decode(line, source) })
		require.LessOrEqual(t, decoding, most, gate)
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = document.Validate() }), gate)
	}
}

func TestNoGateIsTheGateOfNoSchema(t *testing.T) {
	for _, text := range []string{`{"a":1}`, `{}`, `{"gate":""}`, `{"a":1,"gate":""}`} {
		source := inputs.Source{Schemas: []*inputs.Schema{nil, {}}}
		require.False(t, requireOneAnswer(t, []byte(text), source))
	}
}

// Words that no text can be, and words where no text is, make odd fields: the same ones on both paths.
func TestSchemasOfOddWordsGetNoOtherAnswer(t *testing.T) {
	for _, kind := range []inputs.Kind{inputs.KindNumber, inputs.KindFlag, inputs.KindText} {
		for _, words := range [][]string{{}, {"a"}, {"\xff", "ü", ""}} {
			schema, err := inputs.NewSchema("own", []inputs.Property{{Name: "x", Kind: kind, High: 5, Words: words}})
			require.NoError(t, err)
			for _, value := range []string{"1", "true", `"a"`, `""`, `"ü"`, "\"\xff\""} {
				requireNoOtherAnswer(t, []byte(`{"x":`+value+`}`), inputs.Source{Gate: "own", Schemas: []*inputs.Schema{schema}})
			}
		}
	}
}

// Long names and many fields are an operator's right; only very many are left to the library path.
func TestSchemasOfAnySizeGetOneAnswer(t *testing.T) {
	for _, fields := range []int{1, 7, 8, 9, 61, 62, 63, 64, 200} {
		for _, long := range []string{"", "a_name_of_twenty_three_", "a_name_that_is_longer_than_any_of_the_core_gates_"} {
			var properties []inputs.Property
			text := `{"gate":"own"`
			for i := range fields {
				name := fmt.Sprintf("%s%d", long, i)
				if i%2 == 0 {
					properties = append(properties, inputs.Property{Name: name, Kind: inputs.KindNumber, High: 1000, Required: true})
					text += fmt.Sprintf(`,"%s":%d`, name, i)
				} else {
					properties = append(properties, inputs.Property{Name: name, Kind: inputs.KindText, Required: true})
					text += fmt.Sprintf(`,"%s":"%d"`, name, i)
				}
			}
			schema, err := inputs.NewSchema("own", properties)
			require.NoError(t, err)
			source := inputs.Source{Schemas: []*inputs.Schema{nil, schema}}
			fast, ok := inputs.DecodeFast([]byte(text+"}"), source)
			require.Equal(t, fields <= 62, ok, fields)
			document, err := inputs.DecodeByLibrary([]byte(text+"}"), source)
			require.NoError(t, err)
			if ok {
				require.Equal(t, document, fast)
			}
			wrong := strings.Replace(text, long+"0", long+"_", 1)
			_, ok = inputs.DecodeFast([]byte(wrong+"}"), source)
			require.False(t, ok, wrong)
		}
	}
}

// FuzzFastDecode holds the two paths of decoding against each other, of every gate and of the added gate of its fields.
func FuzzFastDecode(f *testing.F) {
	schemas := copies(f)
	every(func(text string) {
		f.Add([]byte(text), "")
		all := members(text)
		f.Add([]byte("{"+strings.Join(append(all[1:], all[0]), " , ")+"\n}"), "fence")
		f.Add([]byte("{"+strings.Join(all[1:], ",\t")+"}"), strings.Trim(all[0][len(`"gate":`):], `"`))
	})
	for _, value := range oddValues() {
		f.Add(fmt.Appendf(nil, `{"gate":"fence.retry","attempt_id":%s,"created_on":"a","charge":{"name":"b","retry_budget":null}}`, value), "fence")
		f.Add(fmt.Appendf(nil, `{"attempt_id":"a","created_on":"a","charge":{"name":"b","retry_budget":%s}}`, value), "fence.retry")
	}
	f.Fuzz(func(t *testing.T, text []byte, gate string) {
		requireOneAnswer(t, text, inputs.Source{Gate: gate, Schemas: schemas})
	})
}

// Numbers are read in one step up to seven digits, and digit by digit beyond and at the end of the text.
func TestNumbersOfEveryLengthGetOneAnswer(t *testing.T) {
	const text = `{"created_on":"a","attempt_id":"b","charge":{"name":"c","retry_budget":%s%s}}%s`
	long := strings.Replace(documents()["compaction"][0], `"slack_ms":null`, `"slack_ms":%s%s`, 1) + "%s"
	for _, digits := range []string{"1234567890123456789012", "9999999999999999999999", "1000000000000000000000", "0000000000000000000000", "1048576", "1099511627776", "9007199254740991"} {
		for length := range len(digits) + 1 {
			for _, sign := range []string{"", "-", "+"} {
				for _, behind := range []string{"", " ", "/", ":", ".", "e", "E1", "\x00", "\x80", "\xff", "\xb0\xb1", "a", "-", "+", `"`, "\n\n\n\n\n\n\n\n\n"} {
					for _, end := range []string{"", "\n", "            "} {
						requireOneAnswer(t, fmt.Appendf(nil, text, sign+digits[:length], behind, end), inputs.Source{Gate: "fence.retry"})
						requireOneAnswer(t, fmt.Appendf(nil, long, sign+digits[:length], behind, end), inputs.Source{})
					}
				}
			}
		}
	}
}
