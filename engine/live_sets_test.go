package engine_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// smallGate is a gate that checks that its document is whole, and admits it.
const smallGate = `# METADATA
# scope: package
# title: Small
# description: A gate of a set that compiles in no time.
# schemas:
%[1]spackage admission.%[2]s

import data.admission.guard

# METADATA
# title: The document is malformed
# description: A required field is missing.
# custom:
#   reason: invalid_input
#   action: reject
violated contains rego.metadata.rule().custom if not valid

valid if {
%[3]s}

ranked := guard.ranked(violated, %[4]s)

default decision := {
	"gate": "%[2]s",
	"admit": false,
	"reason": "policy_undefined",
	"action": "reject",
	"violations": [{"reason": "policy_undefined", "observed": null, "limit": null}],
	"effects": [],
	"unknown": [],
}

decision := guard.decision({
	"name": "%[2]s",
	"violated": ranked,
	"violations": [guard.violation(row, %[5]s) | some row in ranked],
	"unknown": set(),
	"admit": {"reason": "admit", "action": "submit", "effects": []},
})
`

// siteSchema is that of the two thresholds that a small set has.
const siteSchema = `#   - data.compaction:
#       type: object
#       additionalProperties: false
#       required: [token_ceiling, precedence]
#       properties:
#         token_ceiling: {type: integer, minimum: 0, maximum: 1099511627776}
#         precedence: {type: array, uniqueItems: true, items: {type: string}}
`

// siteRow is a check that no document satisfies, and that shows the number of its set.
const siteRow = `package admission.compaction

# METADATA
# title: Site %[1]d
# description: The check that only this set has.
# custom:
#   reason: site_%[1]d
#   action: act_%[1]d
violated contains rego.metadata.rule().custom if not site

site if input.est_tokens == 123456789

observed["site_%[1]d"] := %[1]d

limit["site_%[1]d"] := data.compaction.token_ceiling
`

const ceilings = 100000 // what is added to the number of a set in its thresholds

// small is a set of policies of all core gates that compiles fast, with a check and a threshold that show its number.
func small(t *testing.T, number int) fstest.MapFS {
	t.Helper()
	guard, err := fs.ReadFile(policies.Files, "guard/guard.rego")
	require.NoError(t, err)
	_, used, ok := strings.Cut(string(guard), "# METADATA\n# title: The violated rows in order\n")
	require.True(t, ok)
	files := fstest.MapFS{
		"guard/guard.rego":     {Data: []byte("package admission.guard\n\n# METADATA\n# title: The violated rows in order\n" + used)},
		"compaction/site.rego": {Data: fmt.Appendf(nil, siteRow, number)},
		"thresholds.yaml":      {Data: fmt.Appendf(nil, "compaction:\n  token_ceiling: %d\n  precedence: []\n", ceilings+number)},
	}
	for _, gate := range inputs.Gates() {
		folder := strings.ReplaceAll(gate, ".", "/")
		schema, required := inputSchema(t, folder+"/document.rego")
		precedence, shown := "[]", "{}, {}"
		if gate == "compaction" {
			schema += siteSchema
			precedence, shown = "data.compaction.precedence", "observed, limit"
		}
		files[folder+"/gate.rego"] = &fstest.MapFile{Data: fmt.Appendf(nil, smallGate, schema, gate, required, precedence, shown)}
	}
	return files
}

var (
	schemaOfInput = regexp.MustCompile(`(?s)#   - input:\n.*?(#   - data|package )`)
	requiredOfIt  = regexp.MustCompile(`(?m)^#       required: \[(.*)\]$`)
)

// inputSchema cuts the schema of a shipped gate's documents out of its METADATA, and asks for every field it requires.
func inputSchema(t *testing.T, name string) (schema, required string) {
	t.Helper()
	text, err := fs.ReadFile(policies.Files, name)
	require.NoError(t, err)
	found := schemaOfInput.FindSubmatch(text)
	require.NotNil(t, found, name)
	schema = strings.TrimSuffix(string(found[0]), string(found[1]))
	fields := requiredOfIt.FindStringSubmatch(schema)
	require.NotNil(t, fields, name)
	for _, field := range strings.Split(fields[1], ", ") {
		required += "\t_ = input." + field + "\n"
	}
	return schema, required
}

// numberOf is the set that decided, by its check, and requires that its thresholds are of the same set.
func numberOf(decision engine.Decision) (int, error) {
	if len(decision.Violations) != 1 {
		return 0, fmt.Errorf("violations %v", decision.Violations)
	}
	violation := decision.Violations[0]
	number := int(violation.Observed.Number)
	shown := func(number int) inputs.Value { return inputs.Value{Kind: inputs.KindNumber, Number: int64(number)} }
	want := engine.Violation{Reason: fmt.Sprintf("site_%d", number), Observed: shown(number), Limit: shown(ceilings + number)}
	if violation != want || decision.Action != fmt.Sprintf("act_%d", number) {
		return 0, fmt.Errorf("%v of two sets, or of none", decision)
	}
	return number, nil
}

func siteDocument() inputs.Document {
	return &inputs.Compaction{
		QueueAgeMS: inputs.Known(1200), SlackMS: inputs.Known(9000), EstGenMS: inputs.Known(1500), EstTokens: inputs.Known(800),
		TokenCeiling: inputs.Known(5000), TranscriptVersion: inputs.Known(9), LatestVersion: inputs.Known(9), RetryCount: inputs.Known(0),
	}
}
