package table

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// Effects are those of the document, in any order, and nothing else.
func TestCheckEffects(t *testing.T) {
	plane := func(name string) inputs.Plane { return inputs.Plane{Name: name} }
	borrowed := plane("b")
	deeper := func(name string) Effect { return Effect{Plane: name, Counter: CounterDepth, Delta: 1} }
	pays := Effect{Plane: "a", Counter: CounterRetryBudget, Delta: -1}
	alone := &inputs.Fence{Primary: plane("a"), Borrow: inputs.KnownFlag(false)}
	borrows := &inputs.Fence{Primary: plane("a"), Borrow: inputs.KnownFlag(true), Borrowed: &borrowed}
	spare := &inputs.Fence{Primary: plane("a"), Borrow: inputs.KnownFlag(false), Borrowed: &borrowed}
	retry := &inputs.Retry{CreatedOn: "a", Charge: inputs.Charge{Name: "a"}}
	for _, c := range []struct {
		name     string
		document inputs.Document
		right    [][]Effect
		wrong    [][]Effect
	}{
		{"one plane", alone, [][]Effect{{deeper("a")}}, [][]Effect{
			nil, {}, {deeper("b")}, {deeper("a"), deeper("a")}, {deeper("a"), deeper("b")}, {deeper("")},
			{{"a", CounterRetryBudget, 1}}, {{"a", CounterDepth, -1}}, {{"a", CounterDepth, 0}}, {{"a", CounterDepth, 2}}, {pays}, {deeper("a"), pays}}},
		{"a plane that is not borrowed from", spare, [][]Effect{{deeper("a")}}, [][]Effect{{deeper("a"), deeper("b")}, {deeper("b")}, {}}},
		{"two planes", borrows, [][]Effect{{deeper("a"), deeper("b")}, {deeper("b"), deeper("a")}}, [][]Effect{
			nil, {deeper("a")}, {deeper("b")}, {deeper("a"), deeper("a")}, {deeper("b"), deeper("b")}, {deeper("a"), deeper("b"), deeper("b")},
			{deeper("a"), deeper("c")}, {deeper("a"), {"b", CounterRetryBudget, 1}}, {deeper("a"), {"b", CounterDepth, -1}}, {deeper("a"), deeper("b"), pays}}},
		{"a retry", retry, [][]Effect{{pays}}, [][]Effect{
			nil, {deeper("a")}, {{"b", CounterRetryBudget, -1}}, {{"a", CounterRetryBudget, 1}}, {{"a", CounterRetryBudget, -2}}, {pays, pays}, {pays, deeper("a")}}},
		{"a retry that another plane would pay for", &inputs.Retry{CreatedOn: "a", Charge: inputs.Charge{Name: "b"}}, nil, [][]Effect{
			nil, {pays}, {{"b", CounterRetryBudget, -1}}}},
		{"a binding", &inputs.Bind{}, [][]Effect{nil, {}}, [][]Effect{{deeper("a")}}},
		{"a compaction", &inputs.Compaction{}, [][]Effect{nil, {}}, [][]Effect{{deeper("a")}}},
		{"a fanout", &inputs.Fanout{}, [][]Effect{nil, {}}, [][]Effect{{deeper("")}}},
		{"an added gate", &inputs.Custom{}, [][]Effect{nil, {}}, [][]Effect{{deeper("a")}, {pays}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, right := range c.right {
				require.NoError(t, CheckEffects(c.document, true, right), "%v", right)
			}
			for _, wrong := range c.wrong {
				require.ErrorIs(t, CheckEffects(c.document, true, wrong), ErrEffects, "%v", wrong)
			}
			require.NoError(t, CheckEffects(c.document, false, nil))
			require.NoError(t, CheckEffects(c.document, false, []Effect{}))
			for _, wrong := range append(c.right, c.wrong...) {
				if len(wrong) > 0 {
					require.ErrorIs(t, CheckEffects(c.document, false, wrong), ErrEffects, "a reject with %v", wrong)
				}
			}
		})
	}
}

// A program that names other effects than the document's admits nothing.
func TestProgramsWithOtherEffectsAdmitNothing(t *testing.T) {
	right := EffectOfRow{Text: 2, Counter: CounterRetryBudget, Delta: -1} // charge.name
	document := &inputs.Retry{AttemptID: "i", CreatedOn: "a", Charge: inputs.Charge{Name: "a", RetryBudget: inputs.Known(1)}}
	require.NoError(t, document.Validate())
	for _, c := range []struct {
		effects []EffectOfRow
		admits  bool
	}{
		{[]EffectOfRow{right}, true},
		{nil, false},
		{[]EffectOfRow{right, right}, false},
		{[]EffectOfRow{{Text: 0, Counter: CounterRetryBudget, Delta: -1}}, false},
		{[]EffectOfRow{{Text: 2, Counter: CounterDepth, Delta: -1}}, false},
		{[]EffectOfRow{{Text: 2, Counter: CounterRetryBudget, Delta: 1}}, false},
	} {
		p := &Program{Gate: "fence.retry", Admits: []Admit{{Reason: "retry", Action: "go", Effects: c.effects}}, Nodes: []Node{{Op: Stop, A: 0}, {Op: Stop}}, Entry: Entry{Unknown: 1}}
		g, err := p.Bind(nil, nil, "r")
		require.NoError(t, err)
		var d Decision
		verdict, err := g.Verdict(document)
		decided := g.Decide(document, &d)
		require.Equal(t, c.admits, verdict.Admit)
		require.Equal(t, c.admits, d.Admit)
		if c.admits {
			require.Equal(t, d.Verdict(), verdict)
			continue
		}
		require.ErrorIs(t, err, ErrEffects)
		require.ErrorIs(t, decided, ErrEffects)
		require.Equal(t, Verdict{Reason: ReasonError, Action: ActionReject}, verdict)
		requireRefused(t, &d, ReasonError, "r")
	}
}
