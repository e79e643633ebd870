package table

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// Each operation goes to yes exactly when what it asks holds.
func TestOperations(t *testing.T) {
	schema := handSchema(t)
	for _, c := range []struct {
		name    string
		node    Node
		yes, no []values
	}{
		{"given", Node{Op: TestBit, A: WordGiven, B: 1}, []values{{"m": 0}}, []values{{}}},
		{"known", Node{Op: TestBit, A: WordKnown, B: 0}, []values{{"n": 0}}, []values{{"n": nil}}},
		{"true", Node{Op: TestBit, A: WordTrue, B: 4}, []values{{"on": true}}, []values{{"on": false}, {"on": nil}, {}}},
		{"a row is there", Node{Op: TestBit, A: WordRows, B: 0}, []values{{"s": "a"}, {"s": "b"}}, []values{{"s": "c"}}},
		{"a row's flag is true", Node{Op: TestBit, A: WordRows, B: 1}, []values{{"s": "a"}}, []values{{"s": "b"}, {"s": "c"}}},
		{"a row's word", Node{Op: TestBit, A: WordRows, B: 2}, []values{{"s": "a"}}, []values{{"s": "b"}, {"s": "c"}}},
		{"a row's list holds", Node{Op: TestBit, A: WordRows, B: 3}, []values{{"s": "a"}}, []values{{"s": "b"}, {"s": "c"}}},
		{"a row's number is there", Node{Op: TestBit, A: WordRows, B: 4}, []values{{"s": "a"}}, []values{{"s": "b"}, {"s": "c"}}},
		{"a field and a threshold", Node{Op: AtMostFieldConstant, A: 0, B: 0}, []values{{"n": 10}, {"n": -100}}, []values{{"n": 11}}},
		{"a field and a literal", Node{Op: AtMostFieldConstant, A: 0, B: 1}, []values{{"n": -3}}, []values{{"n": -2}}},
		{"the other field", Node{Op: AtMostFieldConstant, A: 1, B: 0}, []values{{"n": 11, "m": 10}}, []values{{"m": 11}}},
		{"a threshold and a field", Node{Op: AtMostConstantField, A: 0, B: 0}, []values{{"n": 10}}, []values{{"n": 9}}},
		{"two fields", Node{Op: AtMostFieldField, A: 0, B: 1}, []values{{"n": 3, "m": 3}, {"n": 2, "m": 3}}, []values{{"n": 4, "m": 3}}},
		{"a field and a row's number", Node{Op: AtMostFieldColumn, A: 0, B: 0}, []values{{"n": 4}}, []values{{"n": 5}, {"s": "b", "n": 1}, {"s": "c", "n": 1}}},
		{"a row's number and a field", Node{Op: AtMostColumnField, A: 0, B: 0}, []values{{"n": 4}, {"s": "b", "n": 0}}, []values{{"n": 3}, {"s": "c", "n": -1}}},
		{"expressions", Node{Op: AtMost, A: 4, B: 2}, []values{{"n": 4, "m": 6}}, []values{{"n": 5, "m": 6}}},
		{"an expression and a row's number", Node{Op: AtMost, A: 4, B: 3}, []values{{"n": 2, "m": 2}}, []values{{"n": 2, "m": 3}}},
		{"a field equals", Node{Op: EqualFieldConstant, A: 0, B: 0}, []values{{"n": 10}}, []values{{"n": 9}, {"n": 11}}},
		{"expressions equal", Node{Op: Equal, A: 4, B: 2}, []values{{"n": 4, "m": 6}}, []values{{"n": 4, "m": 5}}},
		{"one string is another", Node{Op: SameText, A: 0, B: 1}, []values{{"r": "a"}}, []values{{"r": "b"}, {}}},
		{"a string is a word", Node{Op: TextIs, A: 0, B: 1}, []values{{"s": "b"}}, []values{{"s": "a"}, {"s": "ab"}}},
		{"a find goes on", Node{Op: Find, A: 0}, []values{{"s": "a"}, {"s": "c"}}, nil},
		{"a mark goes on", Node{Op: Mark, A: 0}, []values{{}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := hand(t, c.node)
			for want, all := range map[bool][]values{true: c.yes, false: c.no} {
				for _, v := range all {
					verdict, err := g.Verdict(v.document(t, schema))
					require.NoError(t, err)
					require.Equal(t, want, verdict.Admit, "%v", v)
				}
			}
		})
	}
}

// A fork goes where the row's answers say, and of no row too.
func TestForks(t *testing.T) {
	schema := handSchema(t)
	p := handProgram(Node{Op: Stop})
	p.Lookups[0].Answers = []uint64{0b11111, 0, 0b00001}
	p.Nodes[given] = Node{Op: Fork, A: 0, B: 1}
	p.Jumps = []uint16{admit, refuse, admit, refuse} // of the first fork, and of none
	g, err := p.Bind(handThresholds(), nil, "")
	require.NoError(t, err)
	for name, want := range map[string]bool{"a": false, "c": true, "b": false} {
		verdict, err := g.Verdict(values{"s": name}.document(t, schema))
		require.NoError(t, err)
		require.Equal(t, want, verdict.Admit, name)
	}
	p.Lookups[0].Answers = []uint64{0b11111, 0}
	_, err = p.Bind(handThresholds(), nil, "")
	require.ErrorIs(t, err, ErrTable)
	require.ErrorContains(t, err, "a row is of another shape")
	p.Lookups[0].Answers = []uint64{0b11111, 1}
	_, err = p.Bind(handThresholds(), nil, "")
	require.ErrorContains(t, err, "there is no answer for a row that is not there")
}

// A row that is found takes the place of the one before it, and none leaves nothing of it.
func TestFindForgetsTheRowBefore(t *testing.T) {
	p := handProgram(Node{Op: TestBit, A: WordRows, B: 1})
	p.Lookups = append(p.Lookups, Lookup{Path: []string{"rows"}, Text: 1, First: 1, Bits: p.Lookups[0].Bits, Columns: p.Lookups[0].Columns})
	g, err := p.Bind(handThresholds(), nil, "")
	require.NoError(t, err)
	m := machine{}
	m.flat.Texts[0], m.flat.Texts[1] = "a", "b"
	m.find(g, 0)
	m.find(g, 1)
	require.Equal(t, uint64(0b11111), m.words[WordRows])
	require.Equal(t, uint64(0b00001), m.words[WordRows+1])
	require.Equal(t, [2]int64{4, 0}, [2]int64(m.columns[:2]))
	m.flat.Texts[0] = "nobody"
	m.find(g, 0)
	require.Zero(t, m.words[WordRows])
	require.Equal(t, uint64(0b00001), m.words[WordRows+1])
}

// Every bit of a word is told from every other, and every mark.
func TestBitsUpToTheLast(t *testing.T) {
	for bit := range uint16(64) {
		p := &Program{Nodes: []Node{{Op: Stop, A: 0}, {Op: Stop, A: 1}, {Op: TestBit, A: WordKnown, B: bit, Yes: 1}, {Op: Mark, A: bit, Yes: 0}}}
		g, err := p.Bind(nil, nil, "")
		require.NoError(t, err)
		m := machine{}
		m.words[WordKnown] = 1 << bit
		require.Equal(t, uint16(1), m.walk(g, 2), "bit %d", bit)
		m.words[WordKnown] = ^m.words[WordKnown]
		require.Equal(t, uint16(0), m.walk(g, 2), "bit %d", bit)
		m.walk(g, 3)
		require.Equal(t, uint64(1)<<bit, m.marked)
	}
}

// What overflows is outside: of the verdict where the walk computes it, and of the decision where it is shown alone.
func TestOverflowIsOutside(t *testing.T) {
	schema := handSchema(t)
	large := values{"n": 1<<53 - 1}.document(t, schema)
	g := hand(t, Node{Op: AtMost, A: 5, B: 2})
	var d Decision
	verdict, err := g.Verdict(large)
	require.ErrorIs(t, err, ErrOutside)
	require.Equal(t, Verdict{Reason: ReasonError, Action: ActionReject}, verdict)
	require.ErrorIs(t, g.Decide(large, &d), ErrOutside)
	requireRefused(t, &d, ReasonError, "sha256:hand")
	require.Equal(t, Examination{Result: Outside}, g.Examine(flatOf(t, large)))

	p := handProgram(Node{Op: AtMostFieldConstant, A: 0, B: 0})
	p.Values[1].A = 5 // the square is shown
	shows, err := p.Bind(handThresholds(), nil, "sha256:hand")
	require.NoError(t, err)
	verdict, err = shows.Verdict(large)
	require.NoError(t, err)
	require.Equal(t, "no", verdict.Reason)
	require.ErrorIs(t, shows.Decide(large, &d), ErrOutside)
	requireRefused(t, &d, ReasonError, "sha256:hand")
}

func flatOf(t testing.TB, document inputs.Document) *inputs.Flat {
	t.Helper()
	var flat inputs.Flat
	require.True(t, inputs.Flatten(document, &flat))
	return &flat
}

// Violations show numbers, strings, words and nothing.
func TestValuesAreShown(t *testing.T) {
	schema := handSchema(t)
	for i, c := range []struct {
		scalar Scalar
		want   inputs.Value
	}{
		{Scalar{}, inputs.Value{}},
		{Scalar{Is: ShowExpression, A: 4}, inputs.Value{Kind: inputs.KindNumber, Number: 30}},
		{Scalar{Is: ShowExpression, A: 2}, inputs.Value{Kind: inputs.KindNumber, Number: 10}},
		{Scalar{Is: ShowExpression, A: 3}, inputs.Value{Kind: inputs.KindNumber, Number: 4}},
		{Scalar{Is: ShowText, A: 1}, inputs.Value{Kind: inputs.KindText, Text: "b"}},
		{Scalar{Word: inputs.Value{Kind: inputs.KindFlag, Flag: true}}, inputs.Value{Kind: inputs.KindFlag, Flag: true}},
		{Scalar{Word: inputs.Value{Kind: inputs.KindText, Text: "word"}}, inputs.Value{Kind: inputs.KindText, Text: "word"}},
	} {
		p := handProgram(Node{Op: AtMostFieldConstant, A: 0, B: 0})
		p.Values[1] = c.scalar
		g, err := p.Bind(handThresholds(), nil, "")
		require.NoError(t, err)
		var d Decision
		require.NoError(t, g.Decide(values{"n": 20, "m": 10, "r": "b"}.document(t, schema), &d))
		require.Equal(t, []Violation{{Reason: "no", Observed: c.want}}, d.Violations, fmt.Sprint(i))
	}
}
