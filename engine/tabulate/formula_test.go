package tabulate

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// variables is how many questions the formulas of these tests ask.
const variables = 6

// truths is a truth table: bit a says what a formula comes to where bit q of a is the answer to question q.
type truths uint64

// everywhere is true under all answers.
const everywhere = ^truths(0)

// known is a formula beside its truth table.
type known struct {
	formula formula
	truths  truths
}

// anyFormula draws a formula, and computes its truth table apart.
func anyFormula(f *formulas, depth int) *rapid.Generator[known] {
	leaf := rapid.Custom(func(t *rapid.T) known {
		question := rapid.IntRange(-2, variables-1).Draw(t, "question")
		switch question {
		case -2:
			return known{never, 0}
		case -1:
			return known{always, everywhere}
		}
		table := truths(0)
		for answers := range uint64(64) {
			table |= truths(answers>>question&1) << answers
		}
		return known{f.ask(int32(question)), table}
	})
	if depth == 0 {
		return leaf
	}
	inner := anyFormula(f, depth-1)
	return rapid.Custom(func(t *rapid.T) known {
		a, b := inner.Draw(t, "a"), inner.Draw(t, "b")
		switch rapid.IntRange(0, 5).Draw(t, "operation") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			return known{f.and(a.formula, b.formula), a.truths & b.truths}
		case 2:
			return known{f.or(a.formula, b.formula), a.truths | b.truths}
		case 3:
			return known{f.not(a.formula), ^a.truths}
		case 4:
			return known{f.butNot(a.formula, b.formula), a.truths &^ b.truths}
		}
		c := inner.Draw(t, "c")
		return known{f.choose(a.formula, b.formula, c.formula), a.truths&b.truths | ^a.truths&c.truths}
	})
}

// truthsOf asks a formula for every answer.
func (f *formulas) truthsOf(of formula) (table truths) {
	for answers := range uint64(64) {
		at := of
		for at > always {
			node := f.nodes[at]
			at = node.no
			if answers>>node.question&1 == 1 {
				at = node.yes
			}
		}
		table |= truths(at) << answers
	}
	return table
}

// Formulas are what their truth tables say, and equal exactly when those are.
func TestFormulasAreTheirTruthTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFormulas()
		a, b := anyFormula(f, 4).Draw(t, "a"), anyFormula(f, 4).Draw(t, "b")
		require.Equal(t, a.truths, f.truthsOf(a.formula))
		require.Equal(t, b.truths, f.truthsOf(b.formula))
		require.Equal(t, a.truths == b.truths, a.formula == b.formula)
		for _, node := range f.nodes[2:] {
			require.NotEqual(t, node.yes, node.no)
			require.Less(t, node.question, min(f.nodes[node.yes].question, f.nodes[node.no].question), "questions come in order")
		}
	})
}

// An answer leaves what a formula comes to under it, whatever the place of its question.
func TestAnsweredFormulasForgetTheQuestion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFormulas()
		of := anyFormula(f, 4).Draw(t, "formula")
		question := rapid.IntRange(0, variables-1).Draw(t, "question")
		answer := rapid.Bool().Draw(t, "answer")
		got := f.truthsOf(f.answered(of.formula, int32(question), answer, map[formula]formula{}))
		for answers := range uint64(64) {
			asked := answers &^ (1 << question)
			if answer {
				asked |= 1 << question
			}
			require.Equal(t, of.truths>>asked&1, got>>answers&1)
		}
	})
}

// Within what is cared for, a formula stays what it is, and it asks nothing that it did not ask.
func TestFormulasWithinStayWhatTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFormulas()
		of, care := anyFormula(f, 4).Draw(t, "formula"), anyFormula(f, 4).Draw(t, "care")
		within := f.within(of.formula, care.formula)
		require.Zero(t, (f.truthsOf(within)^of.truths)&care.truths)
		asked := f.asks(of.formula, map[int32]bool{})
		for question := range f.asks(within, map[int32]bool{}) {
			require.True(t, asked[question])
		}
	})
}

// asks collects the questions of a formula.
func (f *formulas) asks(of formula, into map[int32]bool) map[int32]bool {
	if of > always {
		into[f.nodes[of].question] = true
		f.asks(f.nodes[of].yes, into)
		f.asks(f.nodes[of].no, into)
	}
	return into
}

// What is remembered of a choice is forgotten at some time, and never mixed up with another.
func TestFormulasThatForgetAreTheSame(t *testing.T) {
	f := newFormulas()
	const pairs = 12
	sum := never
	for i := range int32(pairs) { // as many pairs of questions as give some thousand formulas
		sum = f.or(sum, f.and(f.ask(i), f.ask(pairs+i)))
	}
	again := never
	for i := int32(pairs) - 1; i >= 0; i-- {
		again = f.or(f.and(f.ask(pairs+i), f.ask(i)), again)
	}
	require.Equal(t, sum, again)
	require.Equal(t, never, f.butNot(sum, again))
	require.Equal(t, always, f.or(sum, f.not(again)))
}

// Conditions that grow too large are refused, and not worked on.
func TestFormulasHaveAnEnd(t *testing.T) {
	f := newFormulas()
	defer func() {
		refused, ok := recover().(*Unsupported)
		require.True(t, ok)
		require.Equal(t, "conditions that grow too large", refused.Construct)
	}()
	const pairs = 24
	sum := never
	for i := range int32(pairs) {
		sum = f.or(sum, f.and(f.ask(i), f.ask(pairs+i)))
	}
	require.Fail(t, "a formula of more than 2^24 branches was made")
}
