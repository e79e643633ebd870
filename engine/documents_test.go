package engine_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// ownGate is a whole gate of an operator's, but for the properties of its documents.
const ownGate = `# METADATA
# scope: package
# title: Own
# description: May it?
# custom:
#   actions:
#     reject: Do not.
#     proceed: Do.
# schemas:
#   - input:
#       type: object
#       additionalProperties: false
#       required: [depth, plane]
#       properties:
#         gate: {type: string, enum: [own]}
#         depth: {type: [integer, "null"], minimum: 0, maximum: 9, description: How deep.}
#         plane: {$ref: "#/definitions/plane"}
#         kind: {type: string, enum: [free, paid]}
#         on: {type: boolean}
#       definitions:
#         plane:
#           type: object
#           additionalProperties: false
#           required: [name]
#           properties:
#             name: {type: string, minLength: 1, maxLength: 128}
#             age_ms: {type: [integer, "null"], minimum: -5, maximum: 1099511627776}
package admission.own

import data.admission.guard

# METADATA
# title: The document is malformed
# description: The depth is missing.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

valid if _ = input.depth

# METADATA
# title: Too deep
# description: Deeper than nothing.
# custom:
#   reason: too_deep
#   action: reject
violated contains rego.metadata.rule().custom if not shallow

shallow if depth == 0

default depth := null

depth := input.depth

observed["too_deep"] := depth
limit["too_deep"] := 0

ranked := guard.ranked(violated, ["too_deep"])

default decision := {
	"gate": "own",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "own",
	"violated": ranked,
	"violations": [guard.violation(row, observed, limit) | some row in ranked],
	"unknown": {"depth" | depth == null},
	"admit": {"reason": "admit", "action": "proceed", "effects": []},
})
`

func withOwnGate(t *testing.T, old, new string) fstest.MapFS {
	t.Helper()
	require.Contains(t, ownGate, old)
	files := edited(t, "", "", "")
	files["own/own.rego"] = &fstest.MapFile{Data: []byte(strings.Replace(ownGate, old, new, 1)), Mode: 0o600}
	return files
}

func TestAnAddedGateDecides(t *testing.T) {
	program := compile(t, withOwnGate(t, "", ""))
	require.Contains(t, program.Gates(), "own")
	for text, reason := range map[string]string{
		`{"gate":"own","depth":0,"plane":{"name":"a"}}`:                                          "admit",
		`{"gate":"own","depth":1,"plane":{"name":"a","age_ms":-5},"kind":"paid","on":true}`:      "too_deep",
		`{"gate":"own","depth":null,"plane":{"name":"a","age_ms":null},"kind":"free","on":true}`: "too_deep",
	} {
		document, err := program.Decode([]byte(text), inputs.Source{})
		require.NoError(t, err)
		decision, err := program.Decide(t.Context(), document)
		require.NoError(t, err)
		require.Equal(t, reason, decision.Reason)
		require.Equal(t, strings.Contains(text, `"depth":null`), len(decision.Unknown) == 1)
		encoded, err := json.Marshal(document)
		require.NoError(t, err)
		require.JSONEq(t, text, string(encoded))
	}
	for text, want := range map[string]string{
		`{"gate":"own","plane":{"name":"a"}}`:                        `1:1: $: missing required "depth" of own; a signal that nobody knows is written null`,
		`{"gate":"own","depth":0,"plane":{}}`:                        `1:33: $.plane: missing required "name" of own`,
		`{"gate":"own","depth":10,"plane":{"name":"a"}}`:             `1:23: $.depth: 10 is out of range; write a whole number from 0 to 9, or null when unknown`,
		`{"gate":"own","depth":0,"plane":{"name":null}}`:             `1:41: $.plane.name: null, and this is not a signal; write an identifier`,
		`{"gate":"own","depth":0,"plane":{"name":"a"},"kind":"pad"}`: `1:53: $.kind: "pad" is not a word of this field (did you mean "paid"?)`,
		`{"gate":"own","depht":0}`:                                   `1:15: $.depht: unknown field "depht"; did you mean "depth"?`,
	} {
		_, err := program.Decode([]byte(text), inputs.Source{})
		require.ErrorIs(t, err, inputs.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

func TestAGateDescribesItself(t *testing.T) {
	program := compile(t, withOwnGate(t, "", ""))
	spoilt, _ := program.Gate("fence")
	spoilt.Checks[1].Thresholds[0], spoilt.Checks[1].Fields[0], spoilt.Precedence[0], spoilt.Admits[0].When[0] = "x", "x", "x", "x"
	whole, _ := program.Gate("fence")
	for _, text := range []string{whole.Checks[1].Thresholds[0], whole.Checks[1].Fields[0], whole.Precedence[0], whole.Admits[0].When[0]} {
		require.NotEqual(t, "x", text, "a program never changes")
	}
	gate, ok := program.Gate("own")
	require.True(t, ok)
	require.Equal(t, []string{"Own", "May it?", "policies/own/own.rego"}, []string{gate.Title, gate.Description, gate.File})
	require.Equal(t, map[string]string{"reject": "Do not.", "proceed": "Do."}, gate.Actions)
	require.Len(t, gate.Checks, 2)
	var names []string
	for _, property := range gate.Properties {
		names = append(names, property.Name)
	}
	require.Equal(t, []string{"depth", "plane", "plane.name", "plane.age_ms", "kind", "on"}, names)
	require.Equal(t, "How deep.", gate.Properties[0].Description)
	core, ok := program.Gate("fence.retry")
	require.True(t, ok)
	for i, property := range inputs.Properties("fence.retry") {
		property.Description = core.Properties[i].Description
		require.Equal(t, property, core.Properties[i])
	}
	_, ok = program.Gate("owm")
	require.False(t, ok)
}

// A document that was decoded by another set of policies is held against the schema of those that decide.
func TestDocumentsOfAnOlderSchemaAreHeldAgainstTheNewOne(t *testing.T) {
	before, after := compile(t, withOwnGate(t, "", "")), compile(t, withOwnGate(t, "maximum: 9,", "maximum: 5,"))
	for depth, want := range map[string]error{"5": nil, "6": inputs.ErrOutOfRange} {
		document, err := before.Decode([]byte(`{"gate":"own","depth":`+depth+`,"plane":{"name":"a"}}`), inputs.Source{})
		require.NoError(t, err)
		decision, err := after.Decide(t.Context(), document)
		require.ErrorIs(t, err, want)
		require.False(t, decision.Admit)
	}
	shipped := compile(t, policies.Files)
	document, err := before.Decode([]byte(`{"gate":"own","depth":0,"plane":{"name":"a"}}`), inputs.Source{})
	require.NoError(t, err)
	decision, err := shipped.Decide(t.Context(), document)
	require.ErrorIs(t, err, inputs.ErrUnknownGate)
	requireReject(t, decision, engine.ReasonInvalidInput)
}

// What documents would not be held to has no place in an input schema: it is refused, on its line.
func TestSchemasThatSayMoreThanDocumentsAreHeldTo(t *testing.T) {
	for edit, want := range map[[2]string]string{
		{"{type: boolean}", "{type: boolean, pattern: a}"}:                                         `own.rego:19:11: the input schema of gate own: the keyword pattern, which documents are not held to; make it a check of the gate`,
		{"{type: boolean}", "{type: number}"}:                                                      `own.rego:19:11: the input schema of gate own: the type number; documents hold integer`,
		{"{type: boolean}", "{type: [boolean, string]}"}:                                           `own.rego:19:11: the input schema of gate own: the type [boolean string]`,
		{"minimum: 0, maximum: 9", "maximum: 9"}:                                                   `own.rego:16:11: the input schema of gate own: an integer without a minimum`,
		{"minimum: 0, maximum: 9", "minimum: 0.5, maximum: 9"}:                                     `own.rego:16:11: the input schema of gate own: an integer without a minimum that is a whole number`,
		{"minimum: 0, maximum: 9", "minimum: 9, maximum: 0"}:                                       `own.rego:16:11: the input schema of gate own: depth: a number needs a minimum and a maximum`,
		{"enum: [free, paid]", "minLength: 1"}:                                                     `own.rego:18:11: the input schema of gate own: a string that is neither an identifier nor one of some words`,
		{"enum: [free, paid]", "enum: [free, 5]"}:                                                  `own.rego:18:11: the input schema of gate own: a word that is no string`,
		{"enum: [free, paid]", "enum: []"}:                                                         `own.rego:18:11: the input schema of gate own: no word that the field could hold`,
		{"type: string, enum: [free, paid]", "type: [string, 'null'], enum: [null]"}:               `own.rego:18:11: the input schema of gate own: no word that the field could hold`,
		{"type: string, enum: [free, paid]", "type: [string, 'null'], enum: [free]"}:               `own.rego:18:11: the input schema of gate own: a signal whose words leave out null`,
		{"enum: [free, paid]", "enum: [free, paid], minLength: 5"}:                                 `own.rego:18:11: the input schema of gate own: the keyword minLength`,
		{`"#/definitions/plane"}`, `"#/definitions/plane", maxProperties: 1}`}:                     `own.rego:17:11: the input schema of gate own: the keyword maxProperties`,
		{"required: [name]", "required: []"}:                                                       `an object that must be there and may be empty`,
		{`"#/definitions/plane"`, `"file:///etc/passwd"`}:                                          `own.rego:10:7: the schema of input refers to "file:///etc/passwd"`,
		{`"#/definitions/plane"`, `other.json`}:                                                    `the schema of input refers to "other.json"`,
		{"#   - input:", "#   - input.foo:"}:                                                       `a schema of input.foo alone`,
		{"#       definitions:", "#   - data: {type: object}\n#   - input:\n#       definitions:"}: `a schema of data, which is no threshold`,
		{"#       definitions:", "#   - data.own: {type: object, properties: {x: {$ref: '#/definitions/y'}}}\n#   - input:\n#       definitions:"}: `the schema of data.own refers to "#/definitions/y"`,
		{"on: {type: boolean}", "on: true"}:                                                     `own.rego:19:11: the input schema of gate own: a property that is no schema`,
		{"on: {type: boolean}", `"a.b": {type: boolean}`}:                                       `the input schema of gate own: a name with a dot`,
		{"enum: [own]", "enum: [other]"}:                                                        `own.rego:15:11: the input schema of gate own: it does not say which gate it is of; write a property gate`,
		{"required: [depth, plane]", "required: [depth, plane, dept]"}:                          `own.rego:13:9: the input schema of gate own: it requires "dept", which is no property`,
		{"#/definitions/plane", "#/definitions/planes"}:                                         `own.rego:17:11: the input schema of gate own: there is no definition "#/definitions/planes"`,
		{"additionalProperties: false\n#       required: [d", "title: a\n#       required: [d"}: `own.rego:10:7: the input schema of gate own: an object that takes fields which it does not name`,
		{"on: {type", "On: {type"}:                                                              `own.rego:19:11: the input schema of gate own: On: a field is named in lower case`,
	} {
		_, err := engine.Compile(t.Context(), withOwnGate(t, edit[0], edit[1]))
		require.ErrorIs(t, err, engine.ErrSchema, edit)
		require.ErrorContains(t, err, want)
	}
}

// The documents of the core gates are structs: a schema that says anything else of them is refused, whatever it is.
func TestSchemasOfTheCoreGatesAreFixed(t *testing.T) {
	fixed := 0
	for _, gate := range inputs.Gates() {
		name := strings.ReplaceAll(gate, ".", "/") + "/document.rego"
		text := string(edited(t, "", "", "")[name].Data)
		metadata, _, _ := strings.Cut(text, "\n#   - data.")
		for old, new := range maps.All(map[string]string{
			`minimum: 0`: `minimum: 1`, `maximum: 1048576`: `maximum: 1048575`, `maximum: 1099511627776`: `maximum: 1099511627777`, `maximum: 9007199254740991`: `maximum: 9007199254740990`,
			`[integer, "null"]`: `integer`, `type: boolean`: `type: [boolean, "null"]`, `required: [`: `required: [gate, `, "enum: [free, paid]": "enum: [free, paid, dear]",
			"properties:\n": "properties:\n#         extra: {type: boolean}\n",
		}) {
			if !strings.Contains(metadata, old) || strings.HasPrefix(old, "required") && strings.Contains(metadata, "required: []") {
				continue
			}
			fixed++
			files := edited(t, "", "", "")
			files[name].Data = []byte(strings.Replace(text, old, new, 1))
			_, err := engine.Compile(t.Context(), files)
			if old == "required: [" {
				require.NoError(t, err, "gate may be required or not: it is always there")
				continue
			}
			require.ErrorIs(t, err, engine.ErrSchema, "%s: %s", name, old)
			require.ErrorContains(t, err, "the documents of the core gates are fixed")
		}
	}
	require.Greater(t, fixed, 20)
}

// A rule of another package cannot stand in for a guard, a check or a threshold.
func TestRulesStandWhereTheirPackageSays(t *testing.T) {
	for text, want := range map[string]string{
		"package admission\n\ncompaction.lands_in_time := true\n":         "a.rego:1:1: package admission lies outside admission",
		"package admission\n\nguard.less(_, _) := true\n":                 "a.rego:1:1: package admission lies outside admission",
		"package compaction\n\ntoken_ceiling := 999999\n":                 "a.rego:1:1: package compaction lies outside admission",
		"package elsewhere\n\nx := 1\n":                                   "name it admission.GATE, or admission.NAME for what gates share",
		"package admission.fence\n\nbind.attempt_is_unbound := true\n":    "a.rego:3:1: a rule of package admission.fence inside package admission.fence.bind",
		"package admission.fence\n\nretry.creator_pays if input.borrow\n": "a.rego:3:1: a rule of package admission.fence inside package admission.fence.retry",
		"package admission.compactoin\n\nx := 1\n":                        "a.rego:1:1: package admission.compactoin is no gate, and no gate reads it; did you mean admission.compaction?",
		"package admission.gaurd\n\nless(a, b) if a == b\n":               "did you mean admission.guard?",
	} {
		files := edited(t, "", "", "")
		files["a.rego"] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
		_, err := engine.Compile(t.Context(), files)
		require.ErrorIs(t, err, engine.ErrLoad, text)
		require.ErrorContains(t, err, want)
	}
}

// A negation of a comparison admits the unknown, however it is wrapped.
func TestNegatedComparisonsAreRefused(t *testing.T) {
	for rules, want := range map[string]string{
		"late if guard.at_most(slack_ms, projected_ms)":                                                  "a negation of a comparison",
		"late if g.at_most(slack_ms, projected_ms)":                                                      "a negation of a comparison",
		"late if data.admission.guard.at_most(slack_ms, projected_ms)":                                   "a negation of a comparison",
		"late := guard.at_most(slack_ms, projected_ms)":                                                  "a negation of a comparison",
		"late if _ = guard.at_most(slack_ms, projected_ms)":                                              "a negation of a comparison",
		"late if later\n\nlater if guard.at_most(slack_ms, projected_ms)":                                "a negation of a comparison",
		"late if true in {guard.at_most(slack_ms, projected_ms)}":                                        "a negation of a comparison",
		"late if later(slack_ms)\n\nlater(x) if guard.at_most(x, projected_ms)":                          "a negation of a comparison",
		"late if some x in [1 | guard.at_most(slack_ms, projected_ms)]":                                  "a negation of a comparison",
		"default late := false\n\nlate if guard.at_most(slack_ms, projected_ms)":                         "a negation of a comparison",
		"late if guard.within([slack_ms], 0, 100)":                                                       "a negation of a comparison",
		"late if not in_time\n\nin_time := false if guard.less(slack_ms, 5)\n\nelse := true":             "an else of a comparison",
		"late if not in_time\n\nin_time if count(out) == 0\n\nout contains 1 if guard.less(slack_ms, 5)": "a comparison with nothing",
		"late if not in_time\n\nin_time if [1 | guard.less(slack_ms, 5)] == []":                          "a comparison with nothing",
		"late if not in_time\n\nin_time if {1 | guard.less(slack_ms, 5)} == set()":                       "a comparison with nothing",
		"late if not early\n\nearly if slack_ms in {queue_age_ms, latest_version, null}":                 "a list of values that are not written out",
		"late if not early\n\nearly if slack_ms in [queue_age_ms]":                                       "a list of values that are not written out",
	} {
		files := edited(t, "", "", "")
		text := "package admission.compaction\n\nimport data.admission.guard\nimport data.admission.guard as g\n\nlands_in_time if not late\n\n" + rules + "\n"
		files["compaction/a.rego"] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
		_, err := engine.Compile(t.Context(), files)
		require.ErrorIs(t, err, engine.ErrForm, rules)
		require.ErrorContains(t, err, want, rules)
	}
}
