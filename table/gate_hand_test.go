package table

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// The gate of these tests is written by hand: its documents hold a field of every kind, and its rows answer every
// question.
const (
	given = iota // what the nodes of handProgram do
	refuse
	admit
	asked
)

func handProperties() []inputs.Property {
	return []inputs.Property{
		{Name: "n", Kind: inputs.KindNumber, Signal: true, Required: true, Low: -100, High: 1<<53 - 1},
		{Name: "m", Kind: inputs.KindNumber, Low: -100, High: 1<<53 - 1},
		{Name: "s", Kind: inputs.KindText, Required: true},
		{Name: "r", Kind: inputs.KindText},
		{Name: "on", Kind: inputs.KindFlag, Signal: true},
	}
}

// handProgram admits where a node goes to yes, and else violates its one check. Every row is found first.
func handProgram(node Node) *Program {
	node.Yes, node.No = admit, refuse
	return &Program{
		Gate: "hand", Properties: handProperties(),
		Checks: []Check{{Reason: "no", Action: "stop", Observed: 5, Limit: 6}},
		Admits: []Admit{{Reason: "yes", Action: "go", Effects: []EffectOfRow{}}},
		Values: []Scalar{{}, {Is: ShowExpression, A: 0}},
		Nodes: []Node{
			given:  {Op: Find, A: 0, Yes: asked},
			refuse: {Op: Stop, A: 0},
			admit:  {Op: Stop, A: 1},
			asked:  node,
			4:      {Op: Mark, A: 0, Yes: 5},
			5:      {Op: Stop, A: 1}, // the first number is observed
			6:      {Op: Stop, A: 0}, // no limit
		},
		Expressions: []Expression{{Term: Field}, {Term: Field, A: 1}, {Term: Number}, {Term: Cell}, {Term: Sum, A: 0, B: 1}, {Term: Product, A: 0, B: 0}},
		Words:       []string{"a", "b"},
		Constants:   []Constant{{Path: []string{"limit"}}, {Value: -3}},
		Lookups: []Lookup{{Path: []string{"rows"}, Columns: []Column{{Path: []string{"limit"}}}, Bits: []Bit{
			{Is: IsThere}, {Path: []string{"enabled"}, Is: IsTrue}, {Path: []string{"tier"}, Is: IsWord, Word: "gold"}, {Path: []string{"needs"}, Is: Holds, Word: "x"}, {Path: []string{"limit"}, Is: IsThere}}}},
		Entry: Entry{First: given, All: 4, Unknown: 6},
	}
}

func handThresholds() map[string]any {
	return map[string]any{"limit": int64(10), "rows": map[string]any{
		"a": map[string]any{"limit": int64(4), "enabled": true, "tier": "gold", "needs": []any{"y", "x"}},
		"b": map[string]any{"enabled": false, "tier": "tin", "needs": []any{"y"}},
	}}
}

func handSchema(t testing.TB) *inputs.Schema {
	t.Helper()
	schema, err := inputs.NewSchema("hand", handProperties())
	require.NoError(t, err)
	return schema
}

// values is a document written short: numbers, strings, flags and nil for null.
type values map[string]any

func (v values) document(t testing.TB, schema *inputs.Schema) inputs.Document {
	t.Helper()
	all := map[string]inputs.Value{"n": {Kind: inputs.KindNumber}, "s": {Kind: inputs.KindText, Text: "a"}}
	for name, value := range v {
		switch value := value.(type) {
		case nil:
			all[name] = inputs.Value{}
		case int:
			all[name] = inputs.Value{Kind: inputs.KindNumber, Number: int64(value)}
		case string:
			all[name] = inputs.Value{Kind: inputs.KindText, Text: value}
		case bool:
			all[name] = inputs.Value{Kind: inputs.KindFlag, Flag: value}
		}
	}
	document, err := schema.Document(all)
	require.NoError(t, err)
	return document
}

// hand binds a node of the hand-written gate.
func hand(t testing.TB, node Node) *Gate {
	t.Helper()
	g, err := handProgram(node).Bind(handThresholds(), nil, "sha256:hand")
	require.NoError(t, err)
	return g
}
