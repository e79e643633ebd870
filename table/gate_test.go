package table

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// requireRefused wants the reject of a question that could not be decided.
func requireRefused(t testing.TB, d *Decision, reason, revision string) {
	t.Helper()
	require.False(t, d.Admit)
	require.Equal(t, reason, d.Reason)
	require.Equal(t, ActionReject, d.Action)
	require.Equal(t, []Violation{{Reason: reason}}, d.Violations)
	require.Equal(t, []Effect{}, d.Effects)
	require.Equal(t, []string{}, d.Unknown)
	require.Equal(t, revision, d.Policy.Revision)
	require.NotEmpty(t, d.Error)
}

// The zero verdict and the zero decision reject.
func TestZeroRejects(t *testing.T) {
	var v Verdict
	var d Decision
	require.False(t, v.Admit)
	require.Empty(t, v.Effects())
	require.False(t, d.Admit)
	require.Equal(t, v, d.Verdict())
}

// foreign is a document that somebody else's code implements.
type foreign struct{ gate string }

func (f foreign) Gate() string  { return f.gate }
func (foreign) Validate() error { return nil }
func (foreign) Fields() iter.Seq2[string, inputs.Value] {
	return func(func(string, inputs.Value) bool) {}
}
func (foreign) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// Whatever is asked, a gate that cannot decide rejects, with an error that says why.
func TestGatesThatCannotDecideReject(t *testing.T) {
	schema := handSchema(t)
	g := hand(t, Node{Op: AtMostFieldConstant, A: 0, B: 0})
	var none *Gate
	valid := values{}.document(t, schema)
	for name, c := range map[string]struct {
		gate     *Gate
		document inputs.Document
		reason   string
		want     error
	}{
		"no gate":                        {none, valid, ReasonInvalidInput, inputs.ErrUnknownGate},
		"no document":                    {g, nil, ReasonInvalidInput, inputs.ErrInvalid},
		"no gate and no document":        {none, nil, ReasonInvalidInput, inputs.ErrUnknownGate},
		"another gate's document":        {g, &inputs.Bind{}, ReasonInvalidInput, inputs.ErrUnknownGate},
		"a document of no schema":        {g, &inputs.Custom{}, ReasonInvalidInput, inputs.ErrUnknownGate},
		"a document that is not there":   {g, (*inputs.Custom)(nil), ReasonInvalidInput, inputs.ErrUnknownGate},
		"a struct that is not there":     {g, (*inputs.Fence)(nil), ReasonInvalidInput, inputs.ErrUnknownGate},
		"a document of somebody else":    {g, foreign{"hand"}, ReasonError, ErrOutside},
		"an own gate's document of none": {g, foreign{""}, ReasonInvalidInput, inputs.ErrUnknownGate},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := c.gate.Verdict(c.document)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, Verdict{Reason: c.reason, Action: ActionReject}, verdict)
			d := Decision{Admit: true, Reason: "before", Violations: []Violation{{}, {}}, Effects: []Effect{{}}, Unknown: []string{"x"}}
			require.ErrorIs(t, c.gate.Decide(c.document, &d), c.want)
			requireRefused(t, &d, c.reason, c.gate.Revision())
			require.Equal(t, c.gate.Name(), d.Gate)
		})
	}
}

// A struct that code has built is held to what documents are.
func TestInvalidDocumentsAreRejected(t *testing.T) {
	p := &Program{Gate: "fence.bind", Admits: []Admit{{Reason: "yes", Action: "go"}}, Nodes: []Node{{Op: Stop, A: 0}}}
	g, err := p.Bind(nil, nil, "")
	require.NoError(t, err)
	for _, document := range []inputs.Document{&inputs.Bind{}, (*inputs.Bind)(nil), &inputs.Bind{AttemptID: "\n"}} {
		verdict, err := g.Verdict(document)
		require.ErrorIs(t, err, inputs.ErrInvalid)
		require.False(t, verdict.Admit)
		var d Decision
		require.ErrorIs(t, g.Decide(document, &d), inputs.ErrInvalid)
		requireRefused(t, &d, ReasonInvalidInput, "")
	}
}

// Verdict, Judge, Answer and Decide say the same of every document that the table itself thinks telling.
func TestWaysToAskAgree(t *testing.T) {
	schema := handSchema(t)
	for _, node := range []Node{{Op: AtMostFieldConstant, A: 0, B: 0}, {Op: AtMost, A: 5, B: 3}, {Op: SameText, A: 0, B: 1}, {Op: TestBit, A: WordRows, B: 3}} {
		g := hand(t, node)
		var d, answered Decision
		for _, flat := range g.Directed(Effort{Draws: 500, Every: true}) {
			document, err := flat.Document("hand", schema)
			require.NoError(t, err)
			verdict, verdictError := g.Verdict(document)
			judged, judgeError := g.Judge(document)
			require.Equal(t, verdict, judged)
			require.Equal(t, named(verdictError, "hand"), named(judgeError, "hand"))
			decideError, answerError := g.Decide(document, &d), g.Answer(document, &answered)
			require.Equal(t, named(decideError, "hand"), named(answerError, "hand"))
			if decideError != nil {
				require.ErrorIs(t, decideError, ErrOutside)
				continue
			}
			require.NoError(t, verdictError)
			require.Equal(t, d, answered)
			require.Equal(t, verdict, d.Verdict())
			require.Equal(t, d.Admit, len(d.Violations) == 0)
			require.Equal(t, g.Examine(&flat).Result == 1, d.Admit)
		}
	}
}

// named is what an error says once it names its gate, as those of Judge and Answer do not.
func named(err error, gate string) string {
	if err == nil {
		return ""
	}
	return "gate " + gate + ": " + strings.TrimPrefix(err.Error(), "gate "+gate+": ")
}

// A document of another schema of the same gate has its fields elsewhere, or values that the table was not made for.
func TestDocumentsOfOtherSchemasAreRejected(t *testing.T) {
	g := hand(t, Node{Op: AtMostFieldConstant, A: 0, B: 0})
	for name, change := range map[string]func(properties []inputs.Property) []inputs.Property{
		"another order": func(p []inputs.Property) []inputs.Property { p[0], p[1] = p[1], p[0]; return p },
		"another field": func(p []inputs.Property) []inputs.Property {
			return append(p, inputs.Property{Name: "z", Kind: inputs.KindFlag})
		},
		"one field less": func(p []inputs.Property) []inputs.Property { return p[:4] },
		"another range":  func(p []inputs.Property) []inputs.Property { p[0].Low = -200; return p },
		"another signal": func(p []inputs.Property) []inputs.Property { p[1].Signal = true; return p },
		"other words":    func(p []inputs.Property) []inputs.Property { p[3].Words = []string{"b"}; return p },
	} {
		schema, err := inputs.NewSchema("hand", change(handProperties()))
		require.NoError(t, err)
		document := values{"n": 50, "m": 1}.document(t, schema)
		verdict, err := g.Verdict(document)
		require.ErrorIs(t, err, inputs.ErrInvalid, name)
		require.False(t, verdict.Admit)
		var d Decision
		require.ErrorIs(t, g.Decide(document, &d), inputs.ErrInvalid)
		requireRefused(t, &d, ReasonInvalidInput, "sha256:hand")
	}
	same, err := inputs.NewSchema("hand", handProperties())
	require.NoError(t, err)
	verdict, err := g.Verdict(values{"n": 5}.document(t, same))
	require.NoError(t, err)
	require.True(t, verdict.Admit)
}

// A decision prints lists and not null, and what it is written over leaves no trace.
func TestDecisionsAreWrittenOver(t *testing.T) {
	schema := handSchema(t)
	g := hand(t, Node{Op: AtMostFieldConstant, A: 0, B: 0})
	var d Decision
	require.Error(t, g.Decide(nil, &d))
	for range 2 {
		require.NoError(t, g.Decide(values{"n": 5}.document(t, schema), &d))
		text, err := json.Marshal(&d)
		require.NoError(t, err)
		require.JSONEq(t, `{"gate":"hand","admit":true,"reason":"yes","action":"go","violations":[],"effects":[],"unknown":[],"policy":{"revision":"sha256:hand"}}`, string(text))
		require.NoError(t, g.Decide(values{"n": 50}.document(t, schema), &d))
		text, err = json.Marshal(&d)
		require.NoError(t, err)
		require.JSONEq(t, `{"gate":"hand","admit":false,"reason":"no","action":"stop","violations":[{"reason":"no","observed":50,"limit":null}],"effects":[],"unknown":[],"policy":{"revision":"sha256:hand"}}`, string(text))
	}
	d.Refuse("hand", ReasonTimeout, "r", errors.New("late"))
	requireRefused(t, &d, ReasonTimeout, "r")
}

// A gate is asked by many at once.
func TestGatesAreSafeForConcurrentUse(t *testing.T) {
	schema := handSchema(t)
	g := hand(t, Node{Op: AtMost, A: 4, B: 3})
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			var d Decision
			for n := range 200 {
				document := values{"n": n, "m": worker}.document(t, schema)
				verdict, err := g.Verdict(document)
				if err != nil || verdict.Admit != (n+worker <= 4) || g.Decide(document, &d) != nil || d.Admit != verdict.Admit {
					t.Errorf("%d and %d: %+v, %v", n, worker, verdict, err)
				}
			}
		})
	}
	group.Wait()
}
