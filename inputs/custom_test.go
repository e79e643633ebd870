package inputs_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// copies declares for each core gate one of an operator's, of the same fields: "fence" and "copy.fence".
func copies(t testing.TB) []*inputs.Schema {
	t.Helper()
	var all []*inputs.Schema
	for _, gate := range inputs.Gates() {
		schema, err := inputs.NewSchema("copy."+gate, inputs.Properties(gate))
		require.NoError(t, err)
		require.Equal(t, inputs.Properties(gate), schema.Properties())
		all = append(all, schema)
	}
	return all
}

// Documents of added gates are decoded as strictly as those of the core: whatever is put into a field of a document
// gets the same answer, to the last word, but for fields that contradict each other, which only the core knows.
func TestAddedGatesAreDecodedAsTheCore(t *testing.T) {
	schemas := copies(t)
	values := []string{
		`null`, `true`, `0`, `-1`, `-0`, `1.0`, `1e3`, `1048577`, `1099511627777`, `-1099511627777`, `9007199254740992`, `1` + strings.Repeat("0", 400),
		`"15000"`, `""`, `" a"`, `"a\u0000"`, `"` + strings.Repeat("x", 129) + `"`, `"free"`, `"Free"`, `[]`, `{}`, `{"name":"x"}`, `[[[`, `"`, ``, `1,"no_such":2`, `1 2`,
	}
	compared := 0
	compare := func(gate, text string) {
		compared++
		text = strings.Replace(text, `"gate":"`+gate+`",`, "", 1)
		core, coreErr := inputs.Decode([]byte(text), inputs.Source{File: "a.json", Gate: gate, Schemas: schemas})
		own, ownErr := inputs.Decode([]byte(text), inputs.Source{File: "a.json", Gate: "copy." + gate, Schemas: schemas})
		if errors.Is(coreErr, inputs.ErrContradiction) || errors.Is(coreErr, inputs.ErrMissingField) && ownErr == nil {
			return // borrow needs a plane, and one of two estimates: rules of the core's own
		}
		if coreErr != nil {
			require.EqualError(t, ownErr, strings.ReplaceAll(coreErr.Error(), " of "+gate, " of copy."+gate), text)
			require.ErrorIs(t, ownErr, errors.Unwrap(coreErr), text)
			return
		}
		require.NoError(t, ownErr, text)
		require.Equal(t, fields(core), fields(own), text)
		encoded, err := json.Marshal(own)
		require.NoError(t, err)
		again, err := inputs.Decode(encoded, inputs.Source{Schemas: schemas})
		require.NoError(t, err)
		require.Equal(t, own, again)
	}
	for gate, texts := range documents() {
		for _, text := range texts {
			compare(gate, text)
			for at := 0; at < len(text); at++ {
				if text[at] != ':' {
					continue
				}
				end := at + 1 + strings.IndexAny(text[at+1:]+",", ",}")
				for _, value := range values {
					compare(gate, text[:at+1]+value+text[end:])
				}
				begin := strings.LastIndexAny(text[:at], "{,") + 1
				compare(gate, text[:begin]+`"a.`+text[begin+1:])
				compare(gate, text[:begin]+strings.TrimPrefix(text[end:], ","))       // the field is gone
				compare(gate, text[:begin]+text[begin:end]+","+text[begin:])          // or there twice
				compare(gate, text[:begin]+strings.ToUpper(text[begin:at])+text[at:]) // or shouted
			}
		}
	}
	require.Greater(t, compared, 2000)
}

// How errors and logs call a field inside an object is no way to write it: it would override what the object says.
func TestFieldsOfObjectsAreWrittenInsideThemAlone(t *testing.T) {
	schemas := copies(t)
	for gate, texts := range documents() {
		for _, text := range texts {
			for _, property := range inputs.Properties(gate) {
				if !strings.Contains(property.Name, ".") {
					continue
				}
				for _, prefix := range []string{"", "copy."} {
					doubled := strings.Replace(text, `{"gate":"`, `{"`+property.Name+`":1,"gate":"`+prefix, 1)
					_, err := inputs.Decode([]byte(doubled), inputs.Source{Schemas: schemas})
					require.ErrorIs(t, err, inputs.ErrUnknownField, doubled)
					last := strings.TrimSuffix(strings.Replace(text, `"gate":"`, `"gate":"`+prefix, 1), "}") + `,"` + property.Name + `":"x"}`
					_, err = inputs.Decode([]byte(last), inputs.Source{Schemas: schemas})
					require.ErrorIs(t, err, inputs.ErrUnknownField, last)
				}
			}
		}
	}
}

func fields(document inputs.Document) map[string]inputs.Value {
	return maps.Collect(document.Fields())
}

func TestAddedGatesAreKnownByName(t *testing.T) {
	schemas := copies(t)
	_, err := inputs.Decode([]byte(`{"gate":"copy.fanuot"}`), inputs.Source{Schemas: schemas})
	require.ErrorIs(t, err, inputs.ErrUnknownGate)
	require.ErrorContains(t, err, `did you mean "copy.fanout"?`)
	require.ErrorContains(t, err, `"fanout", "copy.fence"`)
	_, err = inputs.Decode([]byte(`{"gate":"copy.fanout"}`), inputs.Source{})
	require.ErrorIs(t, err, inputs.ErrUnknownGate)

	lines := `{"gate":"copy.fence.retry","attempt_id":"A1","created_on":"a","charge":{"name":"b","retry_budget":null}}` + "\n{}\n"
	reader := inputs.NewReader(strings.NewReader(lines), inputs.Source{Schemas: schemas})
	document, err := reader.Next()
	require.NoError(t, err)
	require.Equal(t, "copy.fence.retry", document.Gate())
	_, err = reader.Next()
	require.ErrorIs(t, err, inputs.ErrInvalid)
	_, err = reader.Next()
	require.ErrorIs(t, err, io.EOF)
}

func TestDocumentsOfAddedGatesAreMadeOfValues(t *testing.T) {
	schema := copies(t)[1]
	text := func(text string) inputs.Value { return inputs.Value{Kind: inputs.KindText, Text: text} }
	values := map[string]inputs.Value{"attempt_id": text("A1"), "created_on": text("a"), "charge.name": text("a"), "charge.retry_budget": {}}
	document, err := schema.Document(values)
	require.NoError(t, err)
	require.Equal(t, values, fields(document))
	for range document.Fields() {
		break // a reader may stop early
	}
	for name, change := range map[string]inputs.Value{"charge.retry_budget": text("2"), "attempt_id": text(""), "charge.retry_budgets": {}, "charge": {}, "no_such": {}, "a.b.c": {}} {
		wrong := maps.Clone(values)
		wrong[name] = change
		_, err := schema.Document(wrong)
		require.ErrorIs(t, err, inputs.ErrInvalid, name)
	}
	delete(values, "charge.name")
	_, err = schema.Document(values)
	require.ErrorIs(t, err, inputs.ErrMissingField)
	_, err = schema.Document(nil)
	require.ErrorIs(t, err, inputs.ErrMissingField)
}

// A document that was decoded before the policies were loaded anew is held against the schema that is in force.
func TestDocumentsAreHeldAgainstTheSchemaInForce(t *testing.T) {
	old := copies(t)[1]
	properties := inputs.Properties("fence.retry")
	at := slices.IndexFunc(properties, func(p inputs.Property) bool { return p.Name == "charge.retry_budget" })
	properties[at].High = 5
	stricter, err := inputs.NewSchema("copy.fence.retry", properties)
	require.NoError(t, err)
	for budget, want := range map[int64]error{5: nil, 6: inputs.ErrOutOfRange} {
		document, err := old.Accept(&inputs.Retry{AttemptID: "A1", CreatedOn: "a", Charge: inputs.Charge{Name: "a", RetryBudget: inputs.Known(budget)}})
		require.NoError(t, err)
		same, err := old.Accept(document)
		require.NoError(t, err)
		require.Same(t, document, same)
		accepted, err := stricter.Accept(document)
		require.ErrorIs(t, err, want)
		if want == nil {
			require.Equal(t, fields(document), fields(accepted))
		}
	}
}

func TestTheZeroCustomIsInvalid(t *testing.T) {
	for _, document := range []*inputs.Custom{nil, {}} {
		require.Empty(t, document.Gate())
		require.ErrorIs(t, document.Validate(), inputs.ErrInvalid)
		require.Empty(t, fields(document))
	}
}

func TestSchemasOfWhatDocumentsCannotHoldAreRefused(t *testing.T) {
	count := inputs.Property{Name: "depth", Kind: inputs.KindNumber, High: 5}
	object := inputs.Property{Name: "plane", Object: true}
	named := func(p inputs.Property, name string) inputs.Property { p.Name = name; return p }
	for _, wrong := range [][]inputs.Property{
		{named(count, "")}, {named(count, "Depth")}, {named(count, "a b")}, {named(count, "gate")}, {count, count},
		{named(count, "plane.depth")}, {count, named(count, "depth.depth")}, {object, named(object, "plane.inner")}, {object, named(count, "plane.a.b")},
		{object, named(count, "plane.a"), count, named(count, "plane.b")}, {{Name: "plane", Object: true, Signal: true}},
		{{Name: "n"}}, {{Name: "n", Kind: 9}}, {{Name: "n", Kind: inputs.KindNumber}}, {{Name: "n", Object: true, Kind: inputs.KindText}},
		{{Name: "n", Kind: inputs.KindNumber, Low: 2, High: 1}}, {{Name: "n", Kind: inputs.KindNumber, High: 1 << 53}}, {{Name: "n", Kind: inputs.KindNumber, Low: -1 << 53}},
	} {
		_, err := inputs.NewSchema("own", wrong)
		require.Error(t, err, "%v", wrong)
	}
	_, err := inputs.NewSchema("own", []inputs.Property{object, named(count, "plane.a"), named(count, "plane.b"), count})
	require.NoError(t, err)
	require.Nil(t, inputs.Properties("own"))
}
