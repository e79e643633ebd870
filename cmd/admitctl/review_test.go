package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// wholeReview is a report with every kind of thing in it.
func wholeReview(t *testing.T, fails ...string) *reviewed {
	t.Helper()
	r := &reviewed{
		Comparison: listed(everything(t)),
		Meanings:   map[string]string{ceiling.Threshold: "Tokens that one job may spend over all its tries."},
		Effects:    map[string]string{},
		Properties: lostProperties(t),
		Fixtures: &fixtureFlips{Decided: 222, Failing: []string{"fixtures/a.json"}, Flips: []fixtureFlip{
			{File: "fixtures/a.json", Gate: "compaction", Kind: review.KindLoosened, Change: "reject_tokens → admit, submit"},
			{File: "fixtures/b.json", Gate: "compaction", Change: "no decision (overlay.yaml: refused) → admit, submit"},
		}},
		Recorded: []recorded{{Log: "decisions.ndjson", Records: 1000, Unread: 1, Flips: []recordedFlip{
			{Gate: "compaction", Kind: review.KindTightened, Base: outcomeOf(admitted), Head: outcomeOf(tooMany), Count: 12, Line: 40},
		}}},
		fails: fails,
		gates: map[string]table.Origin{"compaction": {File: "git:HEAD:policies/compaction/compaction.rego", Line: 1}},
	}
	for _, change := range r.Thresholds {
		r.Effects[change.Path] = effectWords(&r.Comparison, change.Path)
	}
	r.conclude()
	return r
}

// lostProperties has a property of every status.
func lostProperties(t *testing.T) properties {
	t.Helper()
	w := loosened(t)
	before, after := &review.Example{Document: w.Outside.Document, Decision: tooMany}, &review.Example{Document: w.Inside.Document, Decision: admitted}
	all := properties{Lost: []property{}, Open: []property{}}
	c := review.Comparison{Thresholds: []review.ThresholdChange{{Path: "compaction.enabled"}}}
	for _, own := range []property{
		{Gate: "compaction", Base: review.StatusProved, Finding: review.Finding{Claim: review.ClaimWorse, Of: "est_tokens", Status: review.StatusRefuted, Before: before, After: after}},
		{Gate: "compaction", Base: review.StatusRefuted, Finding: review.Finding{Claim: review.ClaimDecided, Status: review.StatusRefuted, After: after}},
		{Gate: "compaction", Finding: review.Finding{Claim: review.ClaimReason, Of: "reject_disabled", Status: review.StatusOff, Off: []string{"compaction.enabled"}}},
		{Gate: "compaction", Finding: review.Finding{Claim: review.ClaimReason, Of: "reject_stale", Status: review.StatusOff, Off: []string{"compaction.requires"}}},
		{Gate: "fanout", Base: review.StatusProved, Finding: review.Finding{Claim: review.ClaimUnknown, Of: "siblings", Status: review.StatusUnproved, Why: "the solver took longer than 20s"}},
		{Gate: "fanout", Base: review.StatusUnproved, Finding: review.Finding{Claim: review.ClaimWorse, Of: "siblings", Status: review.StatusUnproved, Why: "the solver took longer than 20s"}},
		{Gate: "fanout", Base: review.StatusUnproved, Finding: review.Finding{Claim: review.ClaimWorse, Of: "inflight", Status: review.StatusProved}},
	} {
		all.add(&c, own)
	}
	return all
}

func formatted(t *testing.T, r *reviewed, format string) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, r.write(output{Writer: &text}, &common{format: format}))
	return text.String()
}

func TestAReviewIsToldInEveryFormat(t *testing.T) {
	r := wholeReview(t, "loosened", "property")
	for format, name := range map[string]string{"pretty": "review.txt", "markdown": "review.md", "json": "review.json", "github": "review.github.txt", "junit": "review.junit.xml"} {
		golden(t, name, formatted(t, r, format))
	}
}

func TestTheJSONOfAReviewHasThatOfAComparison(t *testing.T) {
	var got struct {
		Verdict string
		Gates   map[string]struct{ Verdict string }
		Failed  []string
		Unclear []string
	}
	require.NoError(t, json.Unmarshal([]byte(formatted(t, wholeReview(t, "loosened"), "json")), &got))
	require.Equal(t, "unproved", got.Verdict)
	require.Equal(t, "mixed", got.Gates["compaction"].Verdict)
	require.Equal(t, []string{"loosened"}, got.Failed)
	require.Empty(t, got.Unclear)
}

func TestHostileNamesStayTextInAReview(t *testing.T) {
	of := func(name string) *reviewed {
		r := wholeReview(t, "any")
		r.Comparison = withHostile(t, name)
		r.Meanings, r.Effects = map[string]string{name: name}, map[string]string{name: name}
		r.Properties.Lost[0].Gate, r.Properties.Lost[0].Of = name, name
		r.Properties.Open[3].Gate, r.Properties.Open[3].Of, r.Properties.Open[3].Why = name, name, name
		r.Fixtures.Flips = []fixtureFlip{{File: name, Gate: name, Kind: review.KindLoosened, Change: name}}
		r.Fixtures.Failing = []string{name}
		flip := recordedFlip{Gate: name, Kind: review.KindLoosened, Base: review.Outcome{Reason: name}, Head: review.Outcome{Reason: "admit"}}
		r.Recorded = []recorded{{Log: name, Records: 1, Flips: []recordedFlip{flip}}}
		r.gates = map[string]table.Origin{name: {File: "git:HEAD:" + name, Line: 1}}
		return r
	}
	for _, name := range hostile() {
		for _, format := range []string{"pretty", "markdown", "github"} {
			text := formatted(t, of(name), format)
			requirePrintable(t, text)
			require.Equal(t, strings.Count(formatted(t, of("plain"), format), "\n"), strings.Count(text, "\n"), "%s of %q: %s", format, name, text)
		}
		for line := range strings.Lines(formatted(t, of(name), "github")) {
			require.Regexp(t, `^::(error|warning|notice) (file=[^:,\n]+,(line=\d+,)?)?title=[^:,\n]+::[^\n]+\n$`, line)
		}
		var suites junit.Testsuites
		require.NoError(t, xml.Unmarshal([]byte(formatted(t, of(name), "junit")), &suites))
	}
}

// GitHub shows ten annotations of a step and drops the others without a word.
func TestTheWorstTenAnnotationsAreShown(t *testing.T) {
	r := wholeReview(t, "loosened")
	gate := r.Gates["compaction"]
	for range 20 {
		gate.Changes = append(gate.Changes, review.Change{Kind: review.KindRelabelled, Part: review.PartAction})
	}
	gate.Changes = append(gate.Changes, loosened(t))
	r.Gates["compaction"] = gate
	lines := strings.Split(strings.TrimSuffix(formatted(t, r, "github"), "\n"), "\n")
	require.Len(t, lines, mostAnnotations)
	require.Regexp(t, `^::error file=policies/thresholds.yaml,`, lines[0])
	require.Equal(t, 3, strings.Count(strings.Join(lines, "\n"), "::error "), "two changes and a fixture")
	require.Regexp(t, `^::warning title=admitctl review::\d+ more are left out`, lines[len(lines)-1])
	all := r.annotated()
	require.Contains(t, lines[len(lines)-1], fmt.Sprintf("::%d more", len(all)-mostAnnotations+1))
}

func TestTheLineOfAnAnnotationIsOfTheRepository(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, ".git"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(top, "service", "policies"), 0o700))
	t.Chdir(filepath.Join(top, "service"))
	writeFiles(t, "policies", map[string]string{"thresholds.yaml": ""})
	writeFiles(t, ".", map[string]string{"bundle.tar.gz": ""})
	real, err := os.Getwd()
	require.NoError(t, err)
	found := repositoryTop(".")
	require.Equal(t, filepath.Dir(real), found)
	for file, want := range map[string]string{
		"policies/thresholds.yaml":                         "service/policies/thresholds.yaml",
		"./policies/thresholds.yaml":                       "service/policies/thresholds.yaml",
		filepath.Join(real, "policies", "thresholds.yaml"): "service/policies/thresholds.yaml",
		"git:HEAD:policies/thresholds.yaml":                "policies/thresholds.yaml",
		"git:v1:a:b.yaml":                                  "a:b.yaml",
		"bundle.tar.gz:/fence/fence.rego":                  "service/bundle.tar.gz",
		"embedded/thresholds.yaml":                         "",
		"/etc/hostname":                                    "",
		"":                                                 "",
	} {
		require.Equal(t, want, inRepository(file, found), file)
	}
	one := annotation{level: "error", at: table.Origin{}, base: table.Origin{File: "git:main:policies/old.rego", Line: 9}, title: "t", message: "m"}
	require.Equal(t, "::error file=policies/old.rego,title=t::m\n", one.command(found), "what is gone has no line any more")
}

func TestCommandsOfAWorkflowAreEscaped(t *testing.T) {
	one := annotation{level: "warning", at: table.Origin{File: "git:HEAD:50%,a:b", Line: 3}, title: "a: b, 5%", message: "100%\n::error::x"}
	require.Equal(t, "::warning file=50%25%2Ca%3Ab,line=3,title=a%3A b%2C 5%25::100%25%0A::error::x\n", one.command(""))
}

// A summary that is too large is refused whole.
func TestTheSummaryOfAStepIsKeptWithinItsLimit(t *testing.T) {
	r := wholeReview(t)
	gate := r.Gates["compaction"]
	for range 5_000 {
		gate.Changes = append(gate.Changes, loosened(t))
	}
	r.Gates["compaction"] = gate
	name := filepath.Join(t.TempDir(), "summary.md")
	before := bytes.Repeat([]byte("x"), 1000)
	require.NoError(t, os.WriteFile(name, before, 0o600))
	require.NoError(t, r.writeSummary(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), mostSummary)
	require.Greater(t, len(text), mostSummary-5_000, "it is nearly full")
	require.True(t, bytes.HasPrefix(text, before), "what was there stays")
	require.Contains(t, string(text), "parts are left out here")
	require.NoError(t, r.writeSummary(""))
	require.ErrorContains(t, r.writeSummary(filepath.Join(name, "none")), "GITHUB_STEP_SUMMARY: ")
	full := bytes.Repeat([]byte("x"), mostSummary)
	require.NoError(t, os.WriteFile(name, full, 0o600))
	require.NoError(t, r.writeSummary(name))
	text, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Len(t, text, mostSummary, "there is no room for anything")
}

func TestFailingCasesAreWhatWasAskedFor(t *testing.T) {
	for fail, want := range map[string]struct{ failures, errors int }{
		"":           {},
		"loosened":   {failures: 2, errors: 2}, // a change, a fixture; fanout and fence.retry are not proved
		"tightened":  {failures: 3, errors: 1}, // two changes, one way of recorded decisions
		"unproved":   {failures: 3},            // two gates, a fixture without a decision
		"mixed":      {failures: 1, errors: 2}, // compaction
		"property":   {failures: 1, errors: 2}, // one is lost, two not proved
		"relabelled": {failures: 2, errors: 2},
		"any":        {failures: 12, errors: 0}, // 5 changes, 3 verdicts, 2 fixtures, 1 recorded, 1 property
	} {
		t.Run(fail, func(t *testing.T) {
			fails, err := parseFailOn([]string{fail}, reviewFails())
			require.NoError(t, err)
			var suites junit.Testsuites
			require.NoError(t, xml.Unmarshal([]byte(formatted(t, wholeReview(t, fails...), "junit")), &suites))
			require.Equal(t, want.failures, suites.Failures, "failures")
			require.Equal(t, want.errors, suites.Errors, "errors")
			names := map[string]int{}
			for _, suite := range suites.Suites {
				names[suite.Name]++
				require.Len(t, suite.Testcases, suite.Tests)
			}
			require.Equal(t, map[string]int{"compaction": 1, "fanout": 1, "fence": 1, "fence.bind": 1, "fence.retry": 1, "properties": 1, "fixtures": 1, "recorded decisions": 1}, names)
		})
	}
}

func TestWhatFailsAReview(t *testing.T) {
	proved := review.Proof{Complete: true, By: review.BySolver}
	equal := review.Comparison{Verdict: review.Equal, Gates: map[string]review.GateComparison{"fence": {Verdict: review.Equal, Proof: proved}}}
	of := func(base, head review.Status) properties {
		all := properties{}
		all.add(&review.Comparison{}, property{Base: base, Finding: review.Finding{Claim: review.ClaimWorse, Status: head}})
		return all
	}
	flips := func(kind review.Kind) *fixtureFlips {
		return &fixtureFlips{Decided: 1, Flips: []fixtureFlip{{Kind: kind}}}
	}
	log := []recorded{{Flips: []recordedFlip{{Kind: review.KindTightened, Count: 1}}}}
	for _, row := range []struct {
		name string
		r    reviewed
		fail string
		code int
	}{
		{"nothing", reviewed{Comparison: equal}, "any,property", 0},
		{"a property that is kept", reviewed{Comparison: equal, Properties: of("", review.StatusProved)}, "any,property", 0},
		{"a lost property", reviewed{Comparison: equal, Properties: of(review.StatusProved, review.StatusRefuted)}, "property", 1},
		{"a lost property is any", reviewed{Comparison: equal, Properties: of(review.StatusProved, review.StatusRefuted)}, "any", 1},
		{"a property that nobody had proved, and is refuted", reviewed{Comparison: equal, Properties: of(review.StatusUnproved, review.StatusRefuted)}, "property", 1},
		{"a property that a new gate has not", reviewed{Comparison: equal, Properties: of("", review.StatusRefuted)}, "property", 1},
		{"a property that was refuted before is not lost", reviewed{Comparison: equal, Properties: of(review.StatusRefuted, review.StatusRefuted)}, "any,property", 0},
		{"a reason that is switched off", reviewed{Comparison: equal, Properties: of("", review.StatusOff)}, "any,property", 0},
		{"a property that nobody proved", reviewed{Comparison: equal, Properties: of(review.StatusProved, review.StatusUnproved)}, "property", 2},
		{"a property that nobody proved before either", reviewed{Comparison: equal, Properties: of(review.StatusUnproved, review.StatusUnproved)}, "property", 2},
		{"a property without a status is not proved", reviewed{Comparison: equal, Properties: of("", "")}, "property", 2},
		{"a fixture that is let in", reviewed{Comparison: equal, Fixtures: flips(review.KindLoosened)}, "loosened", 1},
		{"a fixture that is kept out", reviewed{Comparison: equal, Fixtures: flips(review.KindTightened)}, "loosened", 0},
		{"a fixture without a decision before", reviewed{Comparison: equal, Fixtures: flips("")}, "unproved", 1},
		{"a recorded decision", reviewed{Comparison: equal, Recorded: log}, "tightened", 1},
		{"a recorded decision is any", reviewed{Comparison: equal, Recorded: log}, "any", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			fails, err := parseFailOn([]string{row.fail}, reviewFails())
			require.NoError(t, err)
			require.Equal(t, row.code, conclude(fails.verdict(row.r.found), stdio{err: &strings.Builder{}}))
		})
	}
}

// The exit code is the whole contract with a build.
func TestExitCodesOfAComparison(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.CopyFS("base", edited(t)))
	require.NoError(t, os.CopyFS("head", edited(t, swap("thresholds.yaml", "token_ceiling: 5000", "token_ceiling: 8000"))))
	require.NoError(t, os.CopyFS("broken", edited(t, swap("thresholds.yaml", "token_ceiling: 5000", `token_ceiling: "8000"`))))
	for _, row := range []struct {
		code int
		args []string
	}{
		{0, []string{"diff", "--base", "base", "--head", "head", "--fail-on", "tightened,mixed"}},
		{1, []string{"diff", "--base", "base", "--head", "head", "--fail-on", "loosened"}},
		{2, []string{"diff", "--base", "base", "--head", "broken", "--fail-on", "loosened"}},
		{2, []string{"diff", "--base", "broken", "--head", "head"}},
		{2, []string{"diff", "--head", "head"}},
		{2, []string{"diff", "--base", "base", "--head", "head", "more"}},
		{0, []string{"review", "--base", "base", "--head", "base", "--fail-on", "any,property"}},
		{1, []string{"review", "--base", "base", "--head", "head", "--fail-on", "any", "-f", "junit"}},
		{2, []string{"review", "--base", "base", "--head", "broken"}},
	} {
		code, _, complaint := command(t, append(row.args, "--solver", "none")...)
		require.Equal(t, row.code, code, "%v: %s", row.args, complaint)
		require.Equal(t, row.code == 2, complaint != "", "%v: %s", row.args, complaint)
	}
}
