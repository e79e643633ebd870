package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// What does not tabulate is named: the rule, what of it, where it stands and what to write instead.
func TestRulesThatDoNotTabulate(t *testing.T) {
	for _, c := range []struct {
		name, rules     string
		line            int // of the trial's own rules, from 1
		rule, construct string
		mend            string
	}{
		{"a regular expression", "fits if regex.match(`^a`, input.name)", 1, "fits", "a regular expression", "compare with words, or give the field an enum"},
		{"sprintf", "fits if sprintf(\"%s-a\", [input.name]) == \"a-a\"", 1, "fits", "the built-in sprintf", "of the built-ins"},
		{"concat", "fits if concat(\"-\", [input.name, \"a\"]) == \"a-a\"", 1, "fits", "the built-in concat", "of the built-ins"},
		{"startswith", "fits if startswith(input.name, \"a\")", 1, "fits", "the built-in startswith", "of the built-ins"},
		{"a remainder", "fits if input.count % 2 == 0", 1, "fits", "the built-in rem", "of the built-ins"},
		{"min", "fits if min([input.count, 4]) == 4", 1, "fits", "the built-in min", "of the built-ins"},
		{"abs", "fits if abs(input.v) == 4", 1, "fits", "the built-in abs", "of the built-ins"},
		{"union", "fits if {\"a\"} | {input.name} == {\"a\"}", 1, "fits", "the built-in or", "of the built-ins"},
		{"keys in a map", "fits if \"a\", 1 in {\"a\": input.count}", 1, "fits", "the built-in internal.member_3", "of the built-ins"},
		{"iterating over the document", "fits if {\n\tsome value in input\n\tvalue == 3\n}", 2, "fits", "iterating over the document or over a map of the thresholds", "name the fields"},
		{"walk", "fits if {\n\twalk(input, [_, value])\n\tvalue == 3\n}", 2, "fits", "the built-in walk", "of the built-ins"},
		{"iterating over rows", "fits if {\n\tsome row in data.trial.rows\n\trow.limit == input.count\n}", 2, "fits", "iterating over the document or over a map of the thresholds", "look a row up"},
		{"a division by a threshold", "fits if ceil(input.count / data.trial.low) < 3", 1, "fits", "a division by more than a small literal, or of more than 2^53", "multiply the other side instead"},
		{"a division by zero", "fits if ceil(input.count / data.trial.zero) < 3", 1, "fits", "a division by more than a small literal, or of more than 2^53", "multiply the other side instead"},
		{"a division by a large literal", "fits if ceil(input.count / 1048577) < 3", 1, "fits", "a division by more than a small literal, or of more than 2^53", "multiply"},
		{"a division that is not rounded", "fits if input.count / 2 < 3", 1, "fits", "an order of numbers that are no plain ones", "compare whole numbers"},
		{"a division that is added to", "fits if ceil((input.count / 2) + 1) < 3", 1, "fits", "arithmetic on numbers that are no plain ones", "round a division at once"},
		{"a division that is shown", "shown := input.count / 2\n\nfits if input.on", 0, "", "a violation that shows numbers that are no plain ones", "show numbers, flags and words"},
		{"round", "fits if round(input.count / 2) < 3", 1, "fits", "the built-in round", "of the built-ins"},
		{"a literal that is not whole", "fits if input.count < 2.5", 1, "fits", "the number 2.5", "write whole numbers"},
		{"a count against a threshold", "fits if count([1 | input.on]) < data.trial.low", 1, "fits", "a count that is compared with a threshold or a signal", "compare counts with literals"},
		{"a count against a signal", "fits if count([1 | input.on]) == input.x", 1, "fits", "a count that is compared with a threshold or a signal", "compare counts with literals"},
		{"a count that is shown", "shown := count([1 | input.on])\n\nfits if input.off", 0, "", "a violation that shows numbers that are no plain ones", "show numbers"},
		{"a sum over a list", "fits if sum([input.count, 1]) < 3", 1, "fits", "the built-in sum", "of the built-ins"},
		{"an order of strings", "fits if input.name < \"b\"", 1, "fits", "an order of strings", "compare whole numbers"},
		{"the length of a string", "fits if count(input.name) < 5", 1, "fits", "the length of name", "identifiers have 1 to 128 code points"},
		{"five rows", "fits if {\n\tdata.trial.rows[input.name]\n\tdata.trial.rows[input.other]\n\tdata.trial.plain[input.name]\n\tdata.trial.plain[input.other]\n\tdata.trial.rows[input.box.tag]\n}", 6, "fits", "more rows than a table can look up", "choose rows by fewer fields"},
		{"rows of more than one kind", "fits if data.trial.mixed[input.name] == 1", 1, "fits", "trial.mixed is of more than one kind in its rows", "give every row the same kind of value"},
		{"a row of a row", "fits if data.trial.rows[input.name][input.other]", 1, "fits", "a look-up by a value that is no string of the document and no literal", "name the field"},
		{"a row by a number", "fits if data.trial.rows[input.count]", 1, "fits", "a look-up by a value that is no string of the document and no literal", "name the field"},
		{"a list's member by a field", "fits if data.trial.numbers[input.count] == 2", 1, "fits", "a member of a list by a computed place", "use some"},
		{"the place of a member", "fits if {\n\tsome i, n in [1, 2, 3]\n\tn == input.count\n\ti < 2\n}", 4, "fits", "an order of unlike values", "compare whole numbers"},
		{"an object's keys from the document", "fits if {input.name: 1} == {\"a\": 1}", 1, "fits", "an object whose keys are no literal words", "write the keys out"},
		{"the length of what is null", "fits if count(input) > 2", 1, "fits", "the count of a map or of a row's list", "ask for its members by name"},
		{"object.get of the document", "fits if object.get(input, \"x\", 1) == 1", 1, "fits", "object.get on the document or on thresholds", "give the rule a default"},
		{"a map that is called", "limits[\"free\"] := 3\n\nlimits[\"paid\"] := 4 if input.on\n\nfits if input.count < limits[input.kind]", 5, "fits", "a call of a rule that is chosen while it runs", "name the rule"},
		{"with", "over if input.count > 3\n\nfits if not over with input.count as 4", 3, "fits", "with", "without replacing input or data"},
		{"a list that is taken apart", "fits if {\n\t[a, b] := [n | some n in [1, 2]; n < input.count]\n\ta < b\n}", 2, "fits", "a list that is compared with one that is written out", "compare its members"},
		{"an unknown signal by a field", "unknown contains input.name if input.on\n\nfits if input.off", 0, "", "sorting of more than literal words", "sort words"},
		{"sets of fields", "fits if {input.name} == {input.other}", 1, "fits", "an equality of sets that hold fields of the document", "use in"},
		{"numbers from a text", "fits if to_number(input.name) == 3", 1, "fits", "the built-in to_number", "of the built-ins"},
		{"the time", "fits if time.now_ns() > 3", 1, "fits", "the built-in time.now_ns", "of the built-ins"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, own, _ := trial{rules: c.rules}.try(t, trialData())
			var unsupported *tabulate.Unsupported
			require.ErrorAs(t, own.why, &unsupported)
			require.Equal(t, c.construct, unsupported.Construct)
			require.Contains(t, unsupported.Mend, c.mend)
			require.Equal(t, "trial", unsupported.Gate)
			require.Contains(t, own.why.Error(), "gate trial does not tabulate, and is decided by OPA")
			if c.line > 0 {
				require.Equal(t, c.rule, unsupported.Rule)
				require.Equal(t, "trial.rego", unsupported.At.File)
				require.Equal(t, trialFirstLine+c.line-1, unsupported.At.Line)
				require.Contains(t, own.why.Error(), fmt.Sprintf("trial.rego:%d: ", unsupported.At.Line))
			}
			require.Equal(t, []Evaluator{{Gate: "trial", Why: own.why}}, p.Evaluators())
			require.Nil(t, p.Table("trial"))
		})
	}
}

// Work without an end is given up, and soon.
func TestExponentialWorkIsGivenUp(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	for name, c := range map[string]struct{ rules, construct string }{
		"values that double with each rule": {
			"sum0 := input.count\n\n" + many(24, "up# := # if input.x == #\n\nup# := 0 if input.x != #\n\n") + strings.Join(doubling(24), "\n\n") + "\n\nfits if sum24 < 9", "a value that may be one of more than 1024"},
		"nested iterations": {
			"wide := {" + strings.TrimSuffix(many(200, "#,"), ",") + "}\n\nfits if {\n\tsome a in wide\n\tsome b in wide\n\tsome c in wide\n\t(a + b) + c == input.count\n}", ""},
		"a list without an end": {
			"wide := [" + strings.TrimSuffix(many(200, "#,"), ",") + "]\n\nfits if count([1 | some a in wide; some b in wide; a + b < input.count]) > 3", "a list or a set of more than 256 members"},
		"a rule a number": {many(5000, "fits if input.count == #\n\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, own, _ := trial{rules: c.rules}.try(t, trialData())
			if own.why == nil {
				requireAgreement(t, p, own, 20)
				return
			}
			var unsupported *tabulate.Unsupported
			require.ErrorAs(t, own.why, &unsupported)
			require.NotContains(t, unsupported.Construct, "mistake")
			require.Contains(t, unsupported.Construct, c.construct)
		})
	}
}

// doubling are rules whose values are twice as many with each.
func doubling(n int) []string {
	rules := make([]string, n)
	for i := range rules {
		rules[i] = fmt.Sprintf("sum%d := sum%d + up%d", i+1, i, i)
	}
	return rules
}

// A gate with more than a table holds is decided by OPA, as is one that is added and does not tabulate; the others keep
// their tables.
func TestAnAddedGateThatDoesNotTabulateIsDecidedByOPA(t *testing.T) {
	files := shipped(t)
	files["compaction/own.rego"] = &fstest.MapFile{Mode: 0o600, Data: []byte(`package admission.compaction

# METADATA
# title: Long
# description: The path has a long name.
# custom:
#   reason: reject_long
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not short

# METADATA
# title: The path has a short name
short if startswith(input.path, "f")
`)}
	program, err := Compile(t.Context(), files)
	require.NoError(t, err)
	for _, evaluator := range program.Evaluators() {
		require.Equal(t, evaluator.Gate != "compaction", evaluator.Table, evaluator.Gate)
		if evaluator.Table {
			require.NoError(t, evaluator.Why)
			continue
		}
		var unsupported *tabulate.Unsupported
		require.ErrorAs(t, evaluator.Why, &unsupported)
		require.Equal(t, "short", unsupported.Rule)
		require.Equal(t, "the built-in startswith", unsupported.Construct)
		require.Equal(t, "policies/compaction/own.rego", unsupported.At.File)
		require.Equal(t, 13, unsupported.At.Line)
	}
	document, err := inputs.Decode([]byte(`{"gate":"compaction","slack_ms":9000,"queue_age_ms":1200,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":9,"latest_version":9}`), inputs.Source{})
	require.NoError(t, err)
	decision, err := program.Decide(t.Context(), document)
	require.NoError(t, err)
	require.Equal(t, "reject_long", decision.Reason)
	verdict, err := program.Verdict(t.Context(), document)
	require.NoError(t, err)
	require.Equal(t, decision.Verdict(), verdict)
}

// shipped are the policies as a directory that may be added to.
func shipped(t testing.TB) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"guard/guard.rego", "fence/fence.rego", "fence/document.rego", "fence/retry/retry.rego", "fence/retry/document.rego", "fence/bind/bind.rego", "fence/bind/document.rego",
		"compaction/compaction.rego", "compaction/document.rego", "fanout/fanout.rego", "fanout/document.rego", "thresholds.yaml"} {
		text, err := policies.Files.ReadFile(name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Mode: 0o600, Data: text}
	}
	return files
}

// The tables of the shipped gates agree with OPA on every document that they know to be telling.
func TestShippedGatesAgreeWithOPA(t *testing.T) {
	program, err := Compile(t.Context(), shipped(t))
	require.NoError(t, err)
	for name, gate := range program.gates {
		require.NoError(t, gate.why, name)
		found := program.agree(t.Context(), gate, table.Effort{Draws: 3000, Most: 300, Every: true, Seed: 1}, true)
		require.NoError(t, found.Err, name)
		require.Zero(t, found.Outside, name)
	}
}

// A table that is wrong is found, and OPA decides.
func TestATableThatIsWrongIsFound(t *testing.T) {
	for _, c := range []trial{
		{name: "another literal", rules: `fits if input.count <= 3`},
		{name: "another row", rules: `fits if input.count <= data.trial.rows[input.name].limit`},
	} {
		p, own, result := c.try(t, trialData())
		require.NoError(t, own.why)
		wrong := *result.Program
		wrong.Nodes = append(wrong.Nodes[:0:0], wrong.Nodes...)
		for i := range wrong.Nodes {
			wrong.Nodes[i].Yes, wrong.Nodes[i].No = wrong.Nodes[i].No, wrong.Nodes[i].Yes
			var err error
			own.table, err = wrong.Bind(trialData(), nil, "")
			require.NoError(t, err)
			err = p.agree(t.Context(), own, atLoad, false).Err
			same := wrong.Nodes[i].Yes == wrong.Nodes[i].No || wrong.Nodes[i].Op <= 2
			require.True(t, same || errors.Is(err, ErrDisagreement), "%s: node %d: %v", c.name, i, wrong.Nodes[i])
			wrong.Nodes[i].Yes, wrong.Nodes[i].No = wrong.Nodes[i].No, wrong.Nodes[i].Yes
		}
	}
}
