package inputs_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/inputs"
)

// requireOneVerdict holds the straight-line check of a document against its record.
func requireOneVerdict(t require.TestingT, document inputs.Document) (valid bool) {
	err := inputs.ValidateByRecord(document)
	if inputs.Valid(document) != (err == nil) { // Equal formats its arguments, and this is asked a million times
		require.Fail(t, "two verdicts", "%+v: %v", document, err)
	}
	if got := document.Validate(); err == nil && got != nil || err != nil && (got == nil || got.Error() != err.Error()) {
		require.Fail(t, "another error", "%v, not %v", got, err)
	}
	return err == nil
}

// states are what a field of a Go type can hold: absent, unknown, and known at and around each end of a range.
func states(of reflect.Type) []any {
	texts := []string{"", "a", "b", "free", "paid", "Free", "accepted", "shed", "bound", "expired", " a", "a ", "a b", "ab\n", "ü", "\u200b", "a\u00a0", "\xff", "\x7f", "~~~", strings.Repeat("x", 128), strings.Repeat("x", 129), strings.Repeat("ü", 128), strings.Repeat("ü", 129)}
	var all []any
	switch of {
	case reflect.TypeFor[inputs.Number]():
		all = []any{inputs.Number{}, inputs.Unknown()}
		for _, end := range []int64{0, 1 << 20, 1 << 40, 1<<53 - 1} {
			all = append(all, inputs.Known(end), inputs.Known(end+1), inputs.Known(-end), inputs.Known(-end-1))
		}
		all = append(all, inputs.Known(math.MaxInt64), inputs.Known(math.MaxInt64-1<<40), inputs.Known(math.MinInt64), inputs.Known(math.MinInt64+1<<40))
	case reflect.TypeFor[inputs.Flag]():
		all = []any{inputs.Flag{}, inputs.UnknownFlag(), inputs.KnownFlag(false), inputs.KnownFlag(true)}
	case reflect.TypeFor[inputs.Text]():
		all = []any{inputs.Text{}, inputs.UnknownText()}
		for _, text := range texts {
			all = append(all, inputs.KnownText(text))
		}
	case reflect.TypeFor[string]():
		for _, text := range texts {
			all = append(all, text)
		}
	case reflect.TypeFor[*inputs.Plane]():
		plane := func(name string) *inputs.Plane {
			return &inputs.Plane{Name: name, Depth: inputs.Unknown(), RetryBudget: inputs.Unknown(), HealthAgeMS: inputs.Unknown()}
		}
		all = []any{(*inputs.Plane)(nil), &inputs.Plane{}, plane("a"), plane("b"), plane("z")}
	}
	return all
}

// places are the fields of a struct, those of the structs in it included, and of pointers that lead somewhere both the
// pointer and what it leads to.
func places(of reflect.Value) []reflect.Value {
	var all []reflect.Value
	for i := range of.NumField() {
		switch field := of.Field(i); {
		case len(states(field.Type())) > 0 && field.Kind() == reflect.Pointer && !field.IsNil():
			all = append(append(all, places(field.Elem())...), field)
		case len(states(field.Type())) > 0:
			all = append(all, field)
		default:
			all = append(all, places(field)...)
		}
	}
	return all
}

// Of every pair of fields of every document, every state of the one with every state of the other.
func TestStraightLineChecksAreThoseOfTheRecord(t *testing.T) {
	valid, invalid := 0, 0
	count := func(document inputs.Document) {
		if requireOneVerdict(t, document) {
			valid++
		} else {
			invalid++
		}
	}
	for gate, texts := range documents() {
		count(empty(gate))
		require.False(t, inputs.Valid(reflect.Zero(reflect.TypeOf(empty(gate))).Interface().(inputs.Document)), "a nil pointer")
		for _, text := range append(texts, ordinary()[gate]) {
			document := decode(t, text)
			fields := places(reflect.ValueOf(document).Elem())
			require.GreaterOrEqual(t, len(fields), len(document.Gate())/3)
			for i, one := range fields {
				before := reflect.ValueOf(one.Interface())
				for _, state := range states(one.Type()) {
					one.Set(reflect.ValueOf(state))
					count(document)
					for _, other := range fields[i+1:] {
						was := reflect.ValueOf(other.Interface())
						for _, state := range states(other.Type()) {
							other.Set(reflect.ValueOf(state))
							count(document)
						}
						other.Set(was)
					}
				}
				one.Set(before)
			}
		}
	}
	require.Greater(t, valid, 10_000)
	require.Greater(t, invalid, 100_000)
}

func TestDrawnDocumentsGetOneVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := empty(rapid.SampledFrom(inputs.Gates()).Draw(t, "gate"))
		for _, field := range places(reflect.ValueOf(document).Elem()) {
			field.Set(reflect.ValueOf(rapid.SampledFrom(states(field.Type())).Draw(t, "state")))
		}
		requireOneVerdict(t, document)
	})
}

// What no decoding makes, a schema of other properties does: documents of added gates that their own schema refuses.
func TestAddedGatesGetOneVerdict(t *testing.T) {
	for _, schema := range copies(t) {
		properties := schema.Properties()
		for i := range properties {
			for _, change := range []func(*inputs.Property){
				func(p *inputs.Property) { p.Required = !p.Required }, func(p *inputs.Property) { p.Signal = !p.Signal && !p.Object },
				func(p *inputs.Property) { p.High = min(p.High, 3) }, func(p *inputs.Property) { p.Low = min(p.Low+3, p.High) },
				func(p *inputs.Property) { p.Words = []string{"a", "x y"} },
				func(p *inputs.Property) {
					if !p.Object {
						p.Kind = inputs.KindText
					}
				},
			} {
				changed := schema.Properties()
				change(&changed[i])
				other, err := inputs.NewSchema(schema.Gate(), changed)
				require.NoError(t, err)
				for _, text := range documents()[strings.TrimPrefix(schema.Gate(), "copy.")] {
					document := decodeBy(t, schema, text)
					accepted, err := other.Accept(document)
					moved := inputs.Under(document, other)
					if requireOneVerdict(t, moved) != (err == nil) {
						require.Fail(t, "two verdicts", "%s %+v: %v", text, changed[i], err)
					}
					require.Equal(t, err == nil, accepted != nil)
				}
			}
		}
	}
}

func decodeBy(t *testing.T, schema *inputs.Schema, text string) *inputs.Custom {
	t.Helper()
	text = strings.Replace(text, `"gate":"`, `"gate":"copy.`, 1)
	document, err := inputs.Decode([]byte(text), inputs.Source{Schemas: []*inputs.Schema{schema}})
	require.NoError(t, err)
	return document.(*inputs.Custom)
}

// Every ASCII text of one byte, of two, and of every length with every byte at every place, is judged in one step as it
// is code point by code point.
func TestPlainIdentifiersAreIdentifiers(t *testing.T) {
	judge := func(text string) {
		plain := true
		for _, c := range []byte(text) {
			plain = plain && c >= ' ' && c <= '~'
		}
		plain = plain && text != "" && len(text) <= 128 && text == strings.Trim(text, " ")
		if inputs.PlainIdentifier(text) != plain {
			require.Fail(t, "two verdicts", "%q", text)
		}
	}
	judge("")
	for first := range 256 {
		judge(string([]byte{byte(first)}))
		for second := range 256 {
			judge(string([]byte{byte(first), byte(second)}))
		}
	}
	for length := 1; length <= 130; length++ {
		text := []byte(strings.Repeat("x", length))
		for at := range text {
			for with := range 256 {
				text[at] = byte(with)
				judge(string(text))
			}
			text[at] = 'x'
		}
	}
}
