package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// clone is a copy of a program that may be broken.
func clone(t testing.TB, p *table.Program) *table.Program {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	own := new(table.Program)
	require.NoError(t, json.Unmarshal(text, own))
	return own
}

func nodeOf(t testing.TB, p *table.Program, op table.Op) int {
	t.Helper()
	for i, n := range p.Nodes {
		if n.Op == op {
			return i
		}
	}
	require.Fail(t, "no such node", "%d", op)
	return 0
}

// TestWhatCannotBeWalkedIsNoProgram breaks good programs in every place that a walk goes by.
func TestWhatCannotBeWalkedIsNoProgram(t *testing.T) {
	program, _ := shipped(t)
	const far = math.MaxUint16 - 1
	node := func(op table.Op, change func(n *table.Node)) func(*table.Program) {
		return func(p *table.Program) { change(&p.Nodes[nodeOf(t, p, op)]) }
	}
	a := func(n *table.Node) { n.A = far }
	b := func(n *table.Node) { n.B = far }
	for name, row := range map[string]struct {
		gate   string
		change func(p *table.Program)
		says   string
	}{
		"fields of a core gate":        {"fence", func(p *table.Program) { p.Properties = p.Properties[1:] }, "other fields than this version's"},
		"fields in another order":      {"fence", func(p *table.Program) { p.Properties[0], p.Properties[1] = p.Properties[1], p.Properties[0] }, "other fields"},
		"a field of another kind":      {"fence", func(p *table.Program) { p.Properties[0].Kind = inputs.KindNumber }, "other fields"},
		"fields of an added gate":      {"subagent", func(p *table.Program) { p.Properties[0].Name = "" }, "its documents"},
		"a gate without a name":        {"subagent", func(p *table.Program) { p.Gate = "" }, "its documents"},
		"more fields than fit":         {"subagent", func(p *table.Program) { p.Properties = make([]inputs.Property, 65) }, "do not fit"},
		"more checks than marks":       {"fence", func(p *table.Program) { p.Checks = make([]table.Check, 65) }, "65 checks"},
		"more signals than marks":      {"fence", func(p *table.Program) { p.Unknown = make([]string, 65) }, "65 unknown"},
		"more lookups than words":      {"fence", func(p *table.Program) { p.Lookups = make([]table.Lookup, 5) }, "5 lookups"},
		"more nodes than indices":      {"fence", func(p *table.Program) { p.Nodes = make([]table.Node, 1<<16) }, "65536 nodes"},
		"more ways than results":       {"fence", func(p *table.Program) { p.Admits = make([]table.Admit, 1<<16) }, "65536 admits"},
		"a lookup by no string":        {"fence", func(p *table.Program) { p.Lookups[0].Text = far }, "lookup 0"},
		"a lookup behind the columns":  {"fence", func(p *table.Program) { p.Lookups[0].First = table.MaxColumns }, "lookup 0"},
		"more bits than a word":        {"fence", func(p *table.Program) { p.Lookups[0].Bits = make([]table.Bit, 65) }, "lookup 0"},
		"a question that is none":      {"fence", func(p *table.Program) { p.Lookups[0].Bits[0].Is = 9 }, "asks what it cannot"},
		"an expression of no number":   {"compaction", func(p *table.Program) { p.Expressions[0] = table.Expression{A: far} }, "expression 0"},
		"an expression of no constant": {"compaction", func(p *table.Program) { p.Expressions[0] = table.Expression{Term: table.Number, A: far} }, "expression 0"},
		"an expression of no column":   {"compaction", func(p *table.Program) { p.Expressions[0] = table.Expression{Term: table.Cell} }, "expression 0"},
		"an expression of itself":      {"compaction", func(p *table.Program) { p.Expressions[1] = table.Expression{Term: table.Sum, A: 0, B: 1} }, "expression 1"},
		"an expression of no term":     {"compaction", func(p *table.Program) { p.Expressions[0].Term = 99 }, "expression 0"},
		"an expression without an end": {"compaction", func(p *table.Program) {
			for range 40 { // each computes the one before it twice
				last := uint16(len(p.Expressions) - 1)
				p.Expressions = append(p.Expressions, table.Expression{Term: table.Sum, A: last, B: last})
			}
		}, "too long"},
		"a division by zero": {"compaction", func(p *table.Program) {
			p.Constants[0] = table.Constant{}
			p.Expressions[1] = table.Expression{Term: table.CeilingOf, A: 0, B: 0}
		}, "expression 1"},
		"a division by less": {"compaction", func(p *table.Program) {
			p.Constants[0] = table.Constant{Value: -1}
			p.Expressions[1] = table.Expression{Term: table.FloorOf, A: 0, B: 0}
		}, "expression 1"},
		"a division by a threshold": {"compaction", func(p *table.Program) {
			p.Constants[0] = table.Constant{Value: 4, Path: []string{"x"}}
			p.Expressions[1] = table.Expression{Term: table.FloorOf, A: 0, B: 0}
		}, "expression 1"},
		"a check without a reason":   {"fence", func(p *table.Program) { p.Checks[0].Reason = "" }, "check 0"},
		"a way without an action":    {"fence", func(p *table.Program) { p.Admits[0].Action = "" }, "admit 0"},
		"three effects":              {"fence", func(p *table.Program) { p.Admits[0].Effects = make([]table.EffectOfRow, 3) }, "admit 0"},
		"effects of an added gate":   {"subagent", func(p *table.Program) { p.Admits[0].Effects = make([]table.EffectOfRow, 1) }, "admit 0"},
		"an effect on no plane":      {"fence", func(p *table.Program) { p.Admits[0].Effects[0].Text = far }, "on no plane"},
		"a value of no expression":   {"fence", func(p *table.Program) { p.Values[0] = table.Scalar{Is: table.ShowExpression, A: far} }, "value 0"},
		"a value of no string":       {"fence", func(p *table.Program) { p.Values[0] = table.Scalar{Is: table.ShowText, A: far} }, "value 0"},
		"a value of no kind":         {"fence", func(p *table.Program) { p.Values[0] = table.Scalar{Word: inputs.Value{Kind: 9}} }, "value 0"},
		"a value that is not shown":  {"fence", func(p *table.Program) { p.Values[0] = table.Scalar{Is: 9} }, "value 0"},
		"an operation that is none":  {"fence", node(table.TestBit, func(n *table.Node) { n.Op = 99 }), "reads what is not there"},
		"a bit of no word":           {"fence", node(table.TestBit, a), "reads what is not there"},
		"a bit of no field":          {"fence", node(table.TestBit, func(n *table.Node) { n.A, n.B = table.WordTrue, 63 }), "reads what is not there"},
		"a bit of no row":            {"fence", node(table.TestBit, func(n *table.Node) { n.A, n.B = table.WordRows, 63 }), "reads what is not there"},
		"the row of no lookup":       {"fence", node(table.Find, a), "reads what is not there"},
		"a fork of no lookup":        {"fanout", node(table.Fork, a), "reads what is not there"},
		"a fork to no jump":          {"fanout", node(table.Fork, b), "reads what is not there"},
		"a fork without answers":     {"fanout", func(p *table.Program) { p.Lookups[0].Answers = nil }, "reads what is not there"},
		"a jump to nowhere":          {"fanout", func(p *table.Program) { p.Jumps[0] = far }, "there is no node"},
		"a jump to where it was":     {"fanout", func(p *table.Program) { p.Jumps[0] = uint16(nodeOf(t, p, table.Fork)) }, "it comes back to node"},
		"no answer for no row":       {"fanout", func(p *table.Program) { p.Lookups[0].Answers[slices.Index(p.Lookups[0].Answers, 0)] = 1 }, "none for no row"},
		"more answers than a byte":   {"fanout", func(p *table.Program) { p.Lookups[0].Answers = make([]uint64, 257) }, "too many answers"},
		"more jumps than indices":    {"fanout", func(p *table.Program) { p.Jumps = make([]uint16, 1<<16) }, "65536 jumps"},
		"no number, at most":         {"compaction", node(table.AtMostFieldConstant, a), "reads what is not there"},
		"at most no constant":        {"compaction", node(table.AtMostFieldConstant, b), "reads what is not there"},
		"at most no number":          {"compaction", node(table.AtMostConstantField, b), "reads what is not there"},
		"no expression, at most":     {"compaction", node(table.AtMost, a), "reads what is not there"},
		"at most no expression":      {"compaction", node(table.AtMost, b), "reads what is not there"},
		"no column, at most":         {"fence", node(table.AtMostColumnField, a), "reads what is not there"},
		"at most no column":          {"fence", node(table.AtMostFieldColumn, b), "reads what is not there"},
		"no string that is the same": {"fence.retry", node(table.SameText, a), "reads what is not there"},
		"the same as no string":      {"fence.retry", node(table.SameText, b), "reads what is not there"},
		"no word":                    {"fence.bind", node(table.TextIs, b), "reads what is not there"},
		"a walk from nowhere":        {"fence", func(p *table.Program) { p.Entry.First = far }, "the walk to the first violation: there is no node"},
		"marks from nowhere":         {"fence", func(p *table.Program) { p.Entry.All = far }, "the walk over all violations: there is no node"},
		"unknown from nowhere":       {"fence", func(p *table.Program) { p.Entry.Unknown = far }, "the walk over what is unknown: there is no node"},
		"observed from nowhere":      {"fence", func(p *table.Program) { p.Checks[0].Observed = far }, "the walk to what is shown: there is no node"},
		"a limit from nowhere":       {"fence", func(p *table.Program) { p.Checks[0].Limit = far }, "the walk to what is shown: there is no node"},
		"a branch to nowhere":        {"fence", func(p *table.Program) { p.Nodes[p.Entry.All].Yes = far }, "there is no node"},
		"a branch to itself":         {"fence", func(p *table.Program) { p.Nodes[p.Entry.All].Yes = p.Entry.All }, "it comes back to node"},
		"a result that is none":      {"fence", func(p *table.Program) { stopAt(p, &p.Entry.First, far) }, "comes to what is not there"},
		"a mark on the way to one":   {"fence", func(p *table.Program) { p.Entry.First = p.Entry.All }, "comes to what is not there"},
		"a mark of no check":         {"fence", func(p *table.Program) { markAt(p, &p.Entry.All, uint16(len(p.Checks))) }, "comes to what is not there"},
		"a mark of no signal":        {"fence", func(p *table.Program) { markAt(p, &p.Entry.Unknown, uint16(len(p.Unknown))) }, "comes to what is not there"},
		"a value that is none":       {"fence", func(p *table.Program) { stopAt(p, &p.Checks[0].Limit, uint16(len(p.Values))) }, "comes to what is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			own := clone(t, program.Table(row.gate).Program())
			require.NoError(t, own.Validate())
			row.change(own)
			err := own.Validate()
			require.ErrorIs(t, err, table.ErrTable)
			require.ErrorContains(t, err, row.says)
		})
	}
	require.ErrorIs(t, (*table.Program)(nil).Validate(), table.ErrTable)
	require.ErrorIs(t, new(table.Program).Validate(), table.ErrTable)
}

func stopAt(p *table.Program, entry *uint16, result uint16) {
	*entry = uint16(len(p.Nodes))
	p.Nodes = append(p.Nodes, table.Node{Op: table.Stop, A: result})
}

func markAt(p *table.Program, entry *uint16, mark uint16) {
	p.Nodes = append(p.Nodes, table.Node{Op: table.Mark, A: mark, Yes: *entry})
	*entry = uint16(len(p.Nodes) - 1)
}

func TestALongWalkIsProvedWithoutRecursion(t *testing.T) {
	program, _ := shipped(t)
	own := clone(t, program.Table("fence").Program())
	for len(own.Nodes) < table.MaxNodes {
		markAt(own, &own.Entry.All, 0)
	}
	require.NoError(t, own.Validate())
	own.Nodes[len(own.Nodes)-1].Yes = uint16(len(own.Nodes) - 1)
	require.ErrorContains(t, own.Validate(), "it comes back")
}

func TestADamagedFileWithARightDigestNeitherPanicsNorLoops(t *testing.T) {
	program, file := shipped(t)
	content, err := table.Open(file)
	require.NoError(t, err)
	documents := directed(t, program)
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		damaged := bytes.Clone(content)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			damaged[rapid.IntRange(0, len(damaged)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "to")
		}
		if decideAll(t, damaged, documents) {
			read++
		}
	})
	require.Positive(t, read, "some damage is not seen, and decides")
}

func FuzzRead(f *testing.F) {
	program, file := shipped(f)
	content, err := table.Open(file)
	require.NoError(f, err)
	f.Add(content)
	for _, gate := range gatesOf(f, program) {
		content, err := table.Open(written(f, gate))
		require.NoError(f, err)
		f.Add(content)
	}
	documents := directed(f, program)
	f.Fuzz(func(t *testing.T, content []byte) {
		_, err := table.Read(bytes.NewReader(content))
		require.ErrorIs(t, err, table.ErrTable)
		decideAll(t, content, documents)
	})
}

// decideAll reads a content whose digest is right, and decides documents by it where it is taken.
func decideAll(t require.TestingT, content []byte, texts map[string][]byte) bool {
	set, err := table.Read(bytes.NewReader(table.Seal(content)))
	if err != nil {
		require.ErrorIs(t, err, table.ErrTable)
		return false
	}
	var d table.Decision
	for name, text := range texts {
		document, err := set.Decode(text, inputs.Source{})
		if err != nil {
			continue
		}
		failed := set.Decide(document, &d)
		_, again := set.Verdict(document)
		require.Equal(t, failed == nil, d.Error == "", name)
		require.False(t, failed != nil && d.Admit, name)
		if failed == nil {
			require.NoError(t, again, name)
		}
	}
	return true
}

// directed are a few documents of each gate, with values at the ends of their ranges, null and absent among them.
func directed(t testing.TB, program *engine.Program) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, gate := range gatesOf(t, program) {
		for i, flat := range gate.Directed(table.Effort{Draws: 1000, Most: 30}) {
			document, err := flat.Document(gate.Name(), program.Schemas()...)
			require.NoError(t, err)
			text, err := json.Marshal(document)
			require.NoError(t, err)
			texts[fmt.Sprint(gate.Name(), i)] = text
		}
	}
	return texts
}
