package engine_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

func TestAGateSaysWhatGetsWorseAndWhatTightens(t *testing.T) {
	program := compile(t, edited(t, "", "", ""))
	fence, _ := program.Gate("fence")
	require.Equal(t, map[string]engine.Direction{
		"primary.depth": engine.Higher, "primary.retry_budget": engine.Lower, "primary.health_age_ms": engine.Higher,
		"borrowed.depth": engine.Higher, "borrowed.retry_budget": engine.Lower, "borrowed.health_age_ms": engine.Higher,
	}, fence.Worse, "what a definition says holds for each use of it")
	require.Equal(t, []string{"primary.depth_limit", "primary.health_max_age_ms", "borrowed.depth_limit", "borrowed.health_max_age_ms"}, fence.Tightens)
	fanout, _ := program.Gate("fanout")
	require.Equal(t, []string{"class_enabled", "max_depth", "max_siblings"}, fanout.Tightens)
	require.Equal(t, engine.Lower, fanout.Worse["deadline_slack_ms"])
	require.Empty(t, fanout.Worse["max_depth"])
	bind, _ := program.Gate("fence.bind")
	require.Empty(t, bind.Worse)
	require.Empty(t, bind.Tightens)
	compaction, _ := program.Gate("compaction")
	compaction.Worse["slack_ms"], compaction.Tightens[0] = "x", "x"
	compaction.Nominal.(*inputs.Compaction).SlackMS = inputs.Unknown()
	again, _ := program.Gate("compaction")
	require.Equal(t, engine.Lower, again.Worse["slack_ms"], "a program never changes")
	require.Equal(t, []string{"token_ceiling"}, again.Tightens)
	require.NoError(t, again.Nominal.Validate())
	require.NotEqual(t, compaction.Nominal, again.Nominal)
	own, _ := compile(t, withOwnGate(t, "", "")).Gate("own")
	require.Nil(t, own.Nominal, "nothing needs an example")
	require.Empty(t, own.Worse)
}

// The nominal document of every gate is admitted, and none of its signals is unknown.
func TestTheNominalDocumentsAreAdmitted(t *testing.T) {
	files := edited(t, "", "", "")
	example := os.DirFS("../examples/subagent/policies")
	require.NoError(t, fs.WalkDir(example, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(example, name)
		files[name] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	}))
	program := compile(t, files)
	require.Len(t, program.Gates(), 6)
	for _, name := range program.Gates() {
		gate, _ := program.Gate(name)
		require.NotNil(t, gate.Nominal, name)
		decision, err := program.Decide(t.Context(), gate.Nominal)
		require.NoError(t, err)
		require.True(t, decision.Admit, "%s: %s", name, decision.Reason)
		require.Empty(t, decision.Unknown)
		for _, property := range gate.Properties {
			directed := gate.Worse[property.Name] != ""
			require.False(t, property.Signal && property.Kind == inputs.KindNumber && !directed && !strings.HasSuffix(property.Name, "version"), "%s: %s says no direction", name, property.Name)
		}
	}
}

// What the schema means is no part of the tables: a program that decides by them alone says the same.
func TestATableFileLeavesTheMeaningsToThePolicies(t *testing.T) {
	files := edited(t, "", "", "")
	program := compile(t, files)
	var gates []*table.Gate
	for _, name := range program.Gates() {
		gates = append(gates, program.Table(name))
	}
	var file strings.Builder
	require.NoError(t, table.Write(&file, gates...))
	quick, err := engine.Compile(t.Context(), files, engine.Tables([]byte(file.String())))
	require.NoError(t, err)
	want, _ := program.Gate("fanout")
	got, _ := quick.Gate("fanout")
	require.Equal(t, want.Worse, got.Worse)
	require.Equal(t, want.Tightens, got.Tightens)
	require.Equal(t, want.Nominal, got.Nominal)
}

func TestMeaningsOfAnAddedGate(t *testing.T) {
	const example = "#       examples:\n#         - {gate: own, depth: 2, plane: {name: a}}\n#         - {depth: null, plane: {name: b}}\n#       properties:\n"
	files := withOwnGate(t, "#       properties:\n", example)
	own := string(files["own/own.rego"].Data)
	own = strings.Replace(own, "maximum: 9,", "maximum: 9, worse: higher,", 1)
	own = strings.Replace(own, "on: {type: boolean}", "on: {type: boolean, tightens: true}", 1)
	own = strings.Replace(own, "minimum: -5,", "worse: lower, minimum: -5,", 1)
	files["own/own.rego"].Data = []byte(own)
	gate, ok := compile(t, files).Gate("own")
	require.True(t, ok)
	require.Equal(t, map[string]engine.Direction{"depth": engine.Higher, "plane.age_ms": engine.Lower}, gate.Worse)
	require.Equal(t, []string{"on"}, gate.Tightens)
	depth := inputs.Value{}
	for name, value := range gate.Nominal.Fields() {
		if name == "depth" {
			depth = value
		}
	}
	require.Equal(t, inputs.Value{Kind: inputs.KindNumber, Number: 2}, depth, "the first example is the nominal document")
}

func TestMeaningsThatMeanNothingAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"a direction that is none":      {"maximum: 9,", "maximum: 9, worse: more,", `own/own.rego:16:11: the input schema of gate own: worse: more, which is no direction; write higher or lower`},
		"a direction that is no word":   {"maximum: 9,", "maximum: 9, worse: 1,", `worse: 1, which is no direction`},
		"an empty direction":            {"maximum: 9,", `maximum: 9, worse: "",`, `which is no direction`},
		"a direction of a flag":         {"{type: boolean}", "{type: boolean, worse: lower}", `own/own.rego:19:11: the input schema of gate own: worse of what is no number; leave it out`},
		"a direction of a word":         {"enum: [free, paid]", "enum: [free, paid], worse: lower", `worse of what is no number`},
		"a direction of an identifier":  {"maxLength: 128}", "maxLength: 128, worse: lower}", `worse of what is no number`},
		"a direction of an object":      {"          required: [name]", "          worse: lower\n#           required: [name]", `the keyword worse, which documents are not held to`},
		"a direction of the document":   {"required: [depth, plane]", "worse: lower\n#       required: [depth, plane]", `the keyword worse, which documents are not held to`},
		"a direction of the gate":       {"enum: [own]", "enum: [own], worse: lower", `the keyword worse, which documents are not held to`},
		"a direction beside $ref":       {`{$ref: "#/definitions/plane"}`, `{$ref: "#/definitions/plane", worse: lower}`, `the keyword worse, which documents are not held to`},
		"a direction of a definition":   {"minimum: -5,", "worse: up, minimum: -5,", `own/own.rego:27:15: the input schema of gate own: worse: up, which is no direction`},
		"a limit that gets worse":       {"{type: boolean}", "{type: boolean}\n#         cap: {type: integer, minimum: 0, maximum: 9, worse: lower, tightens: true}", `worse of a limit of the caller's own, which says tightens; leave one of them out`},
		"a limit that is a word":        {"enum: [free, paid]", "enum: [free, paid], tightens: true", `own/own.rego:18:11: the input schema of gate own: tightens of what is no limit; write it on a number or a switch`},
		"tightens: false":               {"{type: boolean}", "{type: boolean, tightens: false}", `tightens: false; write true, or leave it out`},
		"tightens: yes, in quotes":      {"{type: boolean}", `{type: boolean, tightens: "true"}`, `write true, or leave it out`},
		"a keyword that is misspelt":    {"maximum: 9,", "maximum: 9, wores: higher,", `the keyword wores, which documents are not held to`},
		"no example":                    {"#       properties:\n", "#       examples: []\n#       properties:\n", `own/own.rego:14:9: the input schema of gate own: no example; write one document`},
		"examples that are no list":     {"#       properties:\n", "#       examples: {depth: 0}\n#       properties:\n", `the schema of input is none`},
		"an example that is no object":  {"#       properties:\n", "#       examples: [3]\n#       properties:\n", `own/own.rego:14:9: the input schema of gate own: an example that is no document: $:`},
		"an example out of range":       {"#       properties:\n", "#       examples: [{depth: 10, plane: {name: a}}]\n#       properties:\n", `an example that is no document: $.depth: 10 is out of range; write a whole number from 0 to 9`},
		"an example without a field":    {"#       properties:\n", "#       examples: [{plane: {name: a}}]\n#       properties:\n", `an example that is no document: $: missing required "depth" of own`},
		"an example with a stray field": {"#       properties:\n", "#       examples: [{depth: 1, dept: 1, plane: {name: a}}]\n#       properties:\n", `unknown field "dept"; did you mean "depth"?`},
		"an example of another gate":    {"#       properties:\n", "#       examples: [{gate: fence, depth: 1, plane: {name: a}}]\n#       properties:\n", `an example of gate "fence"; write gate: own`},
		"a second example that is none": {"#       properties:\n", "#       examples: [{depth: 1, plane: {name: a}}, {depth: 1}]\n#       properties:\n", `missing required "plane" of own`},
		"examples of an object":         {"          required: [name]", "          examples: [{name: a}]\n#           required: [name]", `the keyword examples, which documents are not held to`},
		"examples of a field":           {"maximum: 9,", "maximum: 9, examples: [1],", `the keyword examples, which documents are not held to`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := engine.Compile(t.Context(), withOwnGate(t, test.old, test.new))
			require.ErrorIs(t, err, engine.ErrSchema)
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := engine.Compile(t.Context(), edited(t, "compaction/document.rego", "slack_ms: 9000", "slack_ms: slow"))
	require.ErrorIs(t, err, engine.ErrSchema, "an example of a core gate is held to its struct")
	require.ErrorContains(t, err, "$.slack_ms:")
}
