package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// golden compares a text with a file, or writes it.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "%s; write it anew with: go test ./cmd/admitctl -run %s -update", file, t.Name())
}

// witnessed is a document that two sets of policies decided.
func witnessed(t *testing.T, text string, base, head engine.Decision, off ...string) *review.Witness {
	t.Helper()
	document, err := inputs.Decode([]byte(text), inputs.Source{})
	require.NoError(t, err)
	return &review.Witness{Document: document, Base: base, Head: head, Off: off, Distance: int64(len(off))}
}

var (
	admitted = engine.Decision{Gate: "compaction", Admit: true, Reason: "admit", Action: "submit"}
	tooMany  = engine.Decision{Gate: "compaction", Reason: "reject_tokens", Action: "stop_retries_for_version", Violations: []engine.Violation{{
		Reason: "reject_tokens", Observed: inputs.Value{Kind: inputs.KindNumber, Number: 5001}, Limit: inputs.Value{Kind: inputs.KindNumber, Number: 5000},
	}}}
	ceiling = review.Cause{Threshold: "compaction.token_ceiling", From: "5000", To: "8000",
		Base: table.Origin{File: "git:main:policies/thresholds.yaml", Line: 51}, Head: table.Origin{File: "git:HEAD:policies/thresholds.yaml", Line: 53}}
)

const job = `{"gate":"compaction","slack_ms":9000,"queue_age_ms":10,"est_gen_ms":10,"est_tokens":5001,"retry_count":0,"token_ceiling":9000,"transcript_version":9,"latest_version":9}`

func outcomeOf(d engine.Decision) review.Outcome {
	return review.Outcome{Admit: d.Admit, Reason: d.Reason, Action: d.Action}
}

// loosened is a change that lets in what was rejected.
func loosened(t *testing.T) review.Change {
	t.Helper()
	return review.Change{Kind: review.KindLoosened, Base: outcomeOf(tooMany), Head: outcomeOf(admitted), Proved: true,
		Inside:  witnessed(t, job, tooMany, admitted, "est_tokens"),
		Outside: witnessed(t, strings.Replace(job, "5001", "5000", 1), admitted, admitted),
		Cause:   []review.Cause{ceiling}}
}

// everything is a comparison with every kind of thing in it.
func everything(t *testing.T) review.Comparison {
	t.Helper()
	proved := review.Proof{Complete: true, By: review.BySolver, Cells: 23}
	relabelled := func(part review.Part, base, head engine.Decision) review.Change {
		return review.Change{Kind: review.KindRelabelled, Part: part, Base: outcomeOf(base), Head: outcomeOf(head), Inside: witnessed(t, job, base, head)}
	}
	other := tooMany
	other.Action = "drop_and_ack"
	return review.Comparison{
		Verdict: review.Unproved,
		Base:    review.Revision{Name: "git:main", Revision: "sha256:00"},
		Head:    review.Revision{Name: "git:HEAD", Revision: "sha256:01"},
		Thresholds: []review.ThresholdChange{
			{Path: "compaction.precedence", From: `["reject_stale","reject_slack","reject_tokens"]`, To: `["reject_slack","reject_stale","reject_added","reject_tokens"]`},
			{Path: "compaction.requires", From: `["jobs_this_turn"]`, To: `[]`},
			{Path: ceiling.Threshold, From: "5000", To: "8000", Base: ceiling.Base, Head: ceiling.Head},
			{Path: "fence.planes.free.depth_limit", To: "2", Head: table.Origin{File: "git:HEAD:policies/thresholds.yaml", Line: 20}},
			{Path: "fence.planes.paid.depth_limit", From: "9", Base: table.Origin{File: "git:main:policies/thresholds.yaml", Line: 21}},
		},
		Rules: []review.RuleChange{
			{Gate: "compaction", Name: "violated[reject_tokens]", Edit: review.Changed, Base: table.Origin{File: "git:main:policies/compaction/compaction.rego", Line: 185}, Head: table.Origin{File: "git:HEAD:policies/compaction/compaction.rego", Line: 186}},
			{Name: "less", Edit: review.Added, Head: table.Origin{File: "git:HEAD:policies/guard/guard.rego", Line: 9}},
		},
		Gates: map[string]review.GateComparison{
			"compaction": {Verdict: review.Mixed, Proof: proved, More: 2, Changes: []review.Change{
				loosened(t),
				{Kind: review.KindTightened, Base: outcomeOf(admitted), Head: outcomeOf(tooMany), Inside: witnessed(t, job, admitted, tooMany, "est_tokens", "console_age_ms"), Cause: []review.Cause{{Rule: "violated[reject_tokens]", Head: table.Origin{File: "git:HEAD:policies/compaction/compaction.rego", Line: 186}}}},
				relabelled(review.PartAction, tooMany, other),
				relabelled(review.PartValues, tooMany, tooMany),
			}},
			"fanout":      {Verdict: review.Unproved, Proof: review.Proof{By: review.BySearch, Cells: 812, Why: "the solver took longer than 20s"}, Changes: []review.Change{{Kind: review.KindTightened, Base: outcomeOf(admitted), Head: outcomeOf(tooMany)}}},
			"fence":       {Verdict: review.Equal, Proof: review.Proof{Complete: true, By: review.ByCells, Cells: 1}},
			"fence.bind":  {Verdict: review.Equal, Proof: review.Proof{Complete: true, By: review.ByIdentity}},
			"fence.retry": {},
		},
	}
}

func TestAComparisonIsToldInEveryFormat(t *testing.T) {
	c := listed(everything(t))
	told := func(format string, verbose, quiet bool) string {
		var text strings.Builder
		require.NoError(t, writeComparison(output{Writer: &text}, &c, &common{format: format, verbose: verbose, quiet: quiet}))
		return text.String()
	}
	golden(t, "diff.txt", told("pretty", false, false))
	golden(t, "diff_verbose.txt", told("pretty", true, false))
	golden(t, "diff.md", told("markdown", false, false))
	golden(t, "diff.json", told("json", false, false))
	require.NotContains(t, told("pretty", false, true), "equal, proved")
	for _, list := range []string{"thresholds", "rules", "changes", "cause"} {
		require.NotContains(t, told("json", false, false), `"`+list+`": null`, "an empty list is a list")
	}
}

// Colours are for terminals, and say nothing that the words do not.
func TestColoursSayNothingMore(t *testing.T) {
	c := listed(everything(t))
	var plain, coloured strings.Builder
	require.NoError(t, writeComparison(output{Writer: &plain}, &c, &common{format: "pretty"}))
	require.NoError(t, writeComparison(output{&coloured, terminal()}, &c, &common{format: "pretty"}))
	require.NotEqual(t, plain.String(), coloured.String())
	require.Equal(t, plain.String(), regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured.String(), ""))
}

// What a comparison is asked for in a workflow is where the workflow looks for it.
func TestTheJSONOfAComparison(t *testing.T) {
	c := listed(everything(t))
	var text strings.Builder
	require.NoError(t, writeComparison(output{Writer: &text}, &c, &common{format: "json"}))
	var got struct {
		Verdict string
		Gates   map[string]struct {
			Verdict string
			Changes []struct {
				Kind            string
				Proved          bool
				Inside, Outside *struct {
					Document struct {
						EstTokens int `json:"est_tokens"`
					}
				}
				Cause []map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text.String()), &got))
	require.Equal(t, "unproved", got.Verdict)
	change := got.Gates["compaction"].Changes[0]
	require.Equal(t, "loosened", change.Kind)
	require.True(t, change.Proved)
	require.Equal(t, 5001, change.Inside.Document.EstTokens)
	require.Equal(t, 5000, change.Outside.Document.EstTokens)
	require.Equal(t, "compaction.token_ceiling", change.Cause[0]["threshold"])
}

// hostile is what somebody may call a plane, a class, a rule or a file to write into a report what is not so.
func hostile() []string {
	return []string{
		"a|b", `a\|b`, "a`b``c", "</details><script>alert(1)</script>", "@everyone", "a\nb\n::error::c", "a\r\nb", "\x1b[31mred", "[x](https://example.org)",
		"![](https://example.org/x.png)", "# heading", "*bold* _it_ ~~no~~", "<!-- comment", "&lt;", "%0A::error::", "\u202egnp", "```\n## out", " ", "$x$", "#1", "```", "`", "\\", "a\\",
	}
}

func withHostile(t *testing.T, name string) review.Comparison {
	t.Helper()
	change := loosened(t)
	change.Base.Reason, change.Base.Action, change.Head.Reason = name, name, name
	change.Inside.Off = []string{name}
	at := table.Origin{File: name, Line: 1}
	change.Cause = []review.Cause{{Threshold: name, From: name, To: name, Base: at, Head: at}, {Rule: name, Base: at}}
	return listed(review.Comparison{
		Verdict: review.Loosened, Base: review.Revision{Name: name}, Head: review.Revision{Name: name},
		Thresholds: []review.ThresholdChange{{Path: name, From: name, To: name, Base: at, Head: at}},
		Rules:      []review.RuleChange{{Gate: name, Name: name, Edit: review.Changed, Base: at, Head: at}},
		Gates: map[string]review.GateComparison{
			name:         {Verdict: review.Loosened, Changes: []review.Change{change}, Proof: review.Proof{By: review.BySearch, Why: name}},
			name + "too": {Verdict: review.Equal},
		},
	})
}

// Nothing that somebody calls something becomes a line, a colour, a command or Markdown of its own.
func TestHostileNamesStayText(t *testing.T) {
	plain := withHostile(t, "plain")
	lines := func(c review.Comparison, format string) int {
		var text strings.Builder
		require.NoError(t, writeComparison(output{Writer: &text}, &c, &common{format: format}))
		requirePrintable(t, text.String())
		return strings.Count(text.String(), "\n")
	}
	for _, name := range hostile() {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"pretty", "markdown"} {
				require.Equal(t, lines(plain, format), lines(withHostile(t, name), format), format)
			}
		})
	}
}

func TestForeignTextInMarkdownIsCode(t *testing.T) {
	for _, name := range hostile() {
		got := code(name)
		switch {
		case strings.HasPrefix(got, "`"):
			inner := strings.TrimSuffix(strings.TrimPrefix(got, "`"), "`")
			require.NotContains(t, inner, "`")
			require.NotContains(t, inner, "|", "the bar would begin a cell")
			require.NotContains(t, inner, `\`)
		default:
			inner := strings.TrimSuffix(strings.TrimPrefix(got, "<code>"), "</code>")
			require.NotEqual(t, got, inner)
			require.False(t, strings.ContainsAny(inner, "<>`|*[]@\\\n"), got)
		}
	}
	require.Equal(t, "(empty)", code(""))
	require.Equal(t, "`5000 → 8000`", code("5000 → 8000"))
	require.Equal(t, "<code>a&#124;b</code>", code("a|b"))
	require.LessOrEqual(t, utf8.RuneCountInString(code(strings.Repeat("é", 10_000))), mostEcho+3)
}

// A comment that GitHub refuses tells nobody anything.
func TestAReportThatIsTooLongForACommentIsCutBetweenParts(t *testing.T) {
	report := func(changes int, kind review.Kind) string {
		c := everything(t)
		gate := c.Gates["compaction"]
		for range changes {
			change := loosened(t)
			change.Kind = kind
			gate.Changes = append(gate.Changes, change)
		}
		c.Gates["compaction"] = gate
		var text strings.Builder
		require.NoError(t, writeComparison(output{Writer: &text}, &c, &common{format: "markdown"}))
		require.LessOrEqual(t, text.Len(), mostComment)
		require.Equal(t, strings.Count(text.String(), "<details>"), strings.Count(text.String(), "</details>"))
		require.Zero(t, strings.Count(text.String(), "```")%2)
		return text.String()
	}
	require.NotContains(t, report(0, review.KindLoosened), "for want of room")
	brief := report(100, review.KindRelabelled)
	require.Contains(t, brief, "Examples and whole documents are left out here for want of room")
	require.Contains(t, brief, "Equal, proved: ", "the last part is there")
	require.Contains(t, brief, "- inside: `est_tokens 5001`", "the example of what lets somebody in is there")
	require.NotContains(t, brief, "<details>")
	cut := report(500, review.KindLoosened)
	require.Greater(t, len(cut), mostComment-2000, "it is nearly full")
	require.Regexp(t, `\*\*\d+ of \d+ parts are left out here`, cut)
}

// A gate that comes or goes brings dozens of thresholds and rules, which nobody reads one by one.
func TestManyEditsOfOneGateAreToldByTheirNumber(t *testing.T) {
	var c review.Comparison
	for i := range manyEdits + 1 {
		c.Thresholds = append(c.Thresholds, review.ThresholdChange{Path: fmt.Sprintf("100%%.new_%d", i), To: "1"}, review.ThresholdChange{Path: fmt.Sprintf("fence.changed_%d", i), From: "1", To: "2"})
		c.Rules = append(c.Rules, review.RuleChange{Gate: "old", Name: fmt.Sprintf("rule_%d", i), Edit: review.Removed}, review.RuleChange{Gate: "fence", Name: fmt.Sprintf("rule_%d", i), Edit: review.Changed})
	}
	c.Thresholds = append(c.Thresholds, review.ThresholdChange{Path: "fence.gone", From: "1"})
	for format, lines := range map[string]int{"pretty": 1 + 2 + 2*(manyEdits+2) + 1, "markdown": 5 + 5 + 2*(manyEdits+2) + 4} {
		var text strings.Builder
		require.NoError(t, writeComparison(output{Writer: &text}, &c, &common{format: format}))
		require.Equal(t, lines, strings.Count(text.String(), "\n"), text.String())
		require.Contains(t, text.String(), fmt.Sprintf("100%%: %d thresholds set, which were not", manyEdits+1))
		require.Contains(t, text.String(), fmt.Sprintf("old: %d rules removed", manyEdits+1))
		require.Contains(t, text.String(), "fence.gone")
		require.NotContains(t, text.String(), "new_0")
	}
	var text strings.Builder
	require.NoError(t, writeComparison(output{Writer: &text}, &c, &common{format: "pretty", verbose: true}))
	require.Contains(t, text.String(), "new_0")
}

func TestThresholdsInWords(t *testing.T) {
	for _, row := range []struct{ from, to, want string }{
		{"5000", "8000", "5000 → 8000"},
		{"", "2", "set to 2"},
		{"9", "", "no longer set, was 9"},
		{"true", "false", "true → false"},
		{`["a","b","c"]`, `["b","c","a"]`, "a moved from number 1 to 3"},
		{`["a","b"]`, `["b","a"]`, "a moved from number 1 to 2"},
		{`["a","b","c"]`, `["a","c"]`, "without b"},
		{`["a"]`, `["a","b"]`, "with b as number 2"},
		{`["a","b","c","d"]`, `["d","c","b","a"]`, "a, b, c, d → d, c, b, a"},
		{`[]`, `["a"]`, "with a as number 1"},
		{`["a","b"]`, `["b","x","a"]`, "with x as number 2, a moved from number 1 to 3"},
	} {
		require.Equal(t, row.want, valueWords(row.from, row.to))
	}
}

func TestWhatFailsAComparison(t *testing.T) {
	proved := review.Proof{Complete: true, By: review.BySolver}
	of := func(kinds ...review.Kind) []review.Change {
		var all []review.Change
		for _, kind := range kinds {
			all = append(all, review.Change{Kind: kind})
		}
		return all
	}
	one := func(gate review.GateComparison) review.Comparison {
		return review.Comparison{Verdict: gate.Verdict, Gates: map[string]review.GateComparison{"fence": gate, "fanout": {Verdict: review.Equal, Proof: proved}}}
	}
	equal := one(review.GateComparison{Verdict: review.Equal, Proof: proved})
	loosens := one(review.GateComparison{Verdict: review.Loosened, Proof: proved, Changes: of(review.KindLoosened)})
	relabels := one(review.GateComparison{Verdict: review.Relabelled, Proof: proved, Changes: of(review.KindRelabelled)})
	mixed := one(review.GateComparison{Verdict: review.Mixed, Changes: of(review.KindLoosened), More: 3})
	unproved := one(review.GateComparison{Verdict: review.Unproved, Changes: of(review.KindTightened)})
	perhaps := one(review.GateComparison{Verdict: review.Tightened, Changes: of(review.KindTightened)})
	nothing := review.Comparison{}
	for _, row := range []struct {
		name string
		c    review.Comparison
		fail string
		code int
	}{
		{"equal fails nothing", equal, "any,loosened,tightened,mixed,unproved,relabelled", 0},
		{"without a word nothing fails", mixed, "", 0},
		{"loosened", loosens, "loosened", 1},
		{"loosened is any", loosens, "any", 1},
		{"loosened is not tightened", loosens, "tightened,mixed,unproved,relabelled", 0},
		{"relabelled is any", relabels, "any", 1},
		{"relabelled", relabels, "relabelled", 1},
		{"relabelled loosens nothing", relabels, "loosened,tightened,mixed,unproved", 0},
		{"mixed", mixed, "mixed", 1},
		{"mixed is loosened", mixed, "loosened", 1},
		{"mixed is tightened, listed or not", mixed, "tightened", 1},
		{"mixed, and what is not listed may be relabelled", mixed, "relabelled", 2},
		{"unproved", unproved, "unproved", 1},
		{"unproved is any", unproved, "any", 1},
		{"unproved, of which something is known", unproved, "tightened", 1},
		{"unproved may be loosened", unproved, "loosened", 2},
		{"unproved may be mixed", unproved, "mixed", 2},
		{"what is found fails whatever is not known", unproved, "loosened,tightened", 1},
		{"tightened is proved not to loosen, and may relabel", perhaps, "loosened", 0},
		{"tightened may relabel", perhaps, "relabelled", 2},
		{"no comparison is no equal one", nothing, "any", 1},
		{"no comparison is unproved", nothing, "unproved", 1},
		{"no comparison proves nothing", nothing, "loosened", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			fails, err := parseFailOn([]string{row.fail}, diffFails())
			require.NoError(t, err)
			var complaint strings.Builder
			err = fails.verdict(func(word string) finding { return found(word, &row.c) })
			require.Equal(t, row.code, conclude(err, stdio{err: &complaint}))
			require.Equal(t, row.code == 2, complaint.Len() > 0)
		})
	}
	_, err := parseFailOn([]string{"loosened", "lost"}, diffFails())
	require.ErrorContains(t, err, `there is no "lost"; one of any, loosened, tightened, mixed, unproved, relabelled, or none`)
}
