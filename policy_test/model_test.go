package policy_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This is an independent model of the gates: plain Go, written from the
// contract alone and without a look at the Rego. Where the two disagree about a
// valid document, one of them has misread the contract.

// document is a decoded JSON object: whole numbers are int64, an unknown
// signal is nil, and what the caller left out has no key.
type document = map[string]any

// thresholds is the whole resolved tree that operators edit: fence,
// compaction, classes, fanout and the rest; whole numbers are int64.
type thresholds = map[string]any

// decision is what a gate answers. Its lists are never nil.
type decision struct {
	Gate           string
	Admit          bool
	Reason, Action string
	Violations     []violation
	Effects        []effect
	Unknown        []string
}

// violation is one check that was not proved, with what was seen and the limit
// it was held to: int64, string, bool, or nil where unknown.
type violation struct {
	Reason          string
	Observed, Limit any
}

// effect is one change that the ledger owes if the caller goes on.
type effect struct {
	Plane, Counter string
	Delta          int64
}

// row is one line of a gate's table, filled in for one document.
type row struct {
	reason, action  string
	violated        bool
	observed, limit any
}

// model decides a valid document by the contract.
func model(gate string, d document, t thresholds) decision {
	switch gate {
	case "fence":
		return modelFence(d, t)
	case "fence.retry":
		return modelRetry(d, t)
	case "fence.bind":
		return modelBind(d, t)
	case "compaction":
		return modelCompaction(d, t)
	case "fanout":
		return modelFanout(d, t)
	}
	panic("no such gate: " + gate)
}

// settle turns a filled table into a decision (rule 4). Every violated row is
// kept, the first by precedence gives reason and action, and a document is
// admitted exactly when no row is violated. Only an admit has effects (rule 9).
func settle(rows []row, precedence []string, admitted decision) decision {
	violated := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !r.violated })
	slices.SortFunc(violated, byPrecedence(precedence))

	d := admitted
	d.Admit, d.Violations = len(violated) == 0, []violation{}
	if d.Effects == nil || !d.Admit {
		d.Effects = []effect{}
	}
	for _, r := range violated {
		d.Violations = append(d.Violations, violation{r.reason, r.observed, r.limit})
	}
	if !d.Admit {
		d.Reason, d.Action = violated[0].reason, violated[0].action
	}
	return d
}

// byPrecedence orders rows as the operator's list does; what the list does not
// name comes after everything that it names, by name (rule 4).
func byPrecedence(list []string) func(a, b row) int {
	rank := func(r row) int {
		if i := slices.Index(list, r.reason); i >= 0 {
			return i
		}
		return len(list)
	}
	return func(a, b row) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.reason, b.reason))
	}
}

// reading is a number of the document that may be unknown. Unknown is the
// worst value (rule 2): no comparison holds for it, so every check below is
// written as what must hold, and violated when it does not.
type reading struct {
	n     int64
	known bool
}

// read takes a number from an object; null and absent are both unknown.
func read(o map[string]any, name string) reading {
	n, known := o[name].(int64)
	return reading{n, known}
}

func (r reading) is(n int64) bool      { return r.known && r.n == n }
func (r reading) atMost(n int64) bool  { return r.known && r.n <= n }
func (r reading) atLeast(n int64) bool { return r.known && r.n >= n }
func (r reading) below(n int64) bool   { return r.known && r.n < n }

// seen is the reading as a violation shows it: null where unknown.
func (r reading) seen() any {
	if !r.known {
		return nil
	}
	return r.n
}

// stricter is the limit that counts: the operator's, unless the document
// carries a lower one. A caller can tighten a maximum and never raise it
// (rule 3).
func stricter(threshold int64, caller reading) int64 {
	if caller.known {
		return min(threshold, caller.n)
	}
	return threshold
}

// missing lists those of the named fields that are null or absent, each with
// the given prefix.
func missing(o map[string]any, prefix string, names ...string) []string {
	out := []string{}
	for _, name := range names {
		if o[name] == nil {
			out = append(out, prefix+name)
		}
	}
	return out
}

// sorted is the order in which unknown signals are named.
func sorted(names ...[]string) []string {
	all := append([]string{}, slices.Concat(names...)...)
	slices.Sort(all)
	return all
}

// setting looks a threshold up by its path; nil when it is not set.
func setting(t thresholds, path ...string) any {
	var v any = t
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// limitOf is a threshold that must be there and be a whole number.
func limitOf(t thresholds, path ...string) int64 { return setting(t, path...).(int64) }

// listOf is a threshold that lists names; empty when it is not set.
func listOf(t thresholds, path ...string) []string {
	list, _ := setting(t, path...).([]any)
	out := []string{}
	for _, v := range list {
		out = append(out, v.(string))
	}
	return out
}

// documentedCase is one line of the contract's "Documented cases", or a case
// that settles how another line of it is read. Thresholds other than the
// defaults are given by the name of their set.
type documentedCase struct {
	name, set string
	doc       document
	want      decision
}

// boundary is one comparison of the contract: in some document, a value of a
// field with which the check of that reason holds, and the next with which it
// does not. The value gone takes the field away.
type boundary struct {
	field        string
	holds, fails any
	reason       string
	doc          func() document
}

func TestModelDecidesTheDocumentedCases(t *testing.T) {
	for _, c := range slices.Concat(fenceCases(), compactionCases(), fanoutCases(), fanoutReadingCases()) {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, checkDocument(c.want.Gate, c.doc))
			require.Equal(t, c.want, model(c.want.Gate, c.doc, treeNamed(cmp.Or(c.set, "defaults"))))
		})
	}
}

func TestModelKnowsBothSidesOfEveryBoundary(t *testing.T) {
	defaults := treeNamed("defaults")
	for _, b := range slices.Concat(fenceBoundaries(), compactionBoundaries(), fanoutBoundaries()) {
		name := b.reason + " by " + b.field
		decided := func(value any) []string {
			d := b.doc()
			place(d, b.field, value)
			gate := d["gate"].(string)
			require.NoError(t, checkDocument(gate, d), name)
			reasons := []string{}
			for _, v := range model(gate, d, defaults).Violations {
				reasons = append(reasons, v.Reason)
			}
			return reasons
		}
		require.NotContains(t, decided(b.holds), b.reason, "%s holds at %v", name, b.holds)
		require.Contains(t, decided(b.fails), b.reason, "%s fails at %v", name, b.fails)
	}
}

// TestModelPutsUnnamedReasonsLast shows precedence as data: an empty list
// leaves the order of names, a short one puts what it names first.
func TestModelPutsUnnamedReasonsLast(t *testing.T) {
	rows := []row{{reason: "b", violated: true}, {reason: "c", violated: true}, {reason: "a", violated: true}, {reason: "d"}}
	order := func(precedence ...string) (reasons []string) {
		for _, v := range settle(rows, precedence, decision{}).Violations {
			reasons = append(reasons, v.Reason)
		}
		return reasons
	}
	require.Equal(t, []string{"a", "b", "c"}, order())
	require.Equal(t, []string{"c", "a", "b"}, order("d", "c"))
	require.Equal(t, []string{"b", "c", "a"}, order("b", "c", "a"))
}
