package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

var (
	tag      = regexp.MustCompile(`<[^>]*>`)
	codeSpan = regexp.MustCompile(`(?s)<code[^>]*>.*?</code>`)
)

// rendered is Markdown as GitHub reads it, raw HTML and all.
func rendered(t require.TestingT, text string) string {
	var page bytes.Buffer
	err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())).Convert([]byte(text), &page)
	require.NoError(t, err)
	return page.String()
}

// requireOnlyText wants a report on something called name to have the structure of one on something harmless, and the
// name itself to stand in code, where it mentions and links nothing.
func requireOnlyText(t require.TestingT, report func(name string) string, name string) {
	const mark = "zqz"
	page := rendered(t, report(name+mark))
	require.Equal(t, tag.FindAllString(rendered(t, report(mark)), -1), tag.FindAllString(page, -1), "%q", name)
	require.NotContains(t, codeSpan.ReplaceAllString(page, ""), mark, "%q", name)
}

func reportOn(t *testing.T) func(name string) string {
	return func(name string) string {
		at := table.Origin{File: name, Line: 1}
		c := withHostile(t, name)
		c.Gates = map[string]review.GateComparison{name: c.Gates[name], "equal": {Verdict: review.Equal}}
		r := &reviewed{Comparison: c, Meanings: map[string]string{name: name}, gates: map[string]table.Origin{name: at}, Properties: lostProperties(t),
			Fixtures: &fixtureFlips{Failing: []string{name}, Flips: []fixtureFlip{{File: name, Gate: name, Kind: review.KindLoosened, Change: name}}},
			Recorded: []recorded{{Log: name, Flips: []recordedFlip{{Gate: name, Kind: review.KindTightened, Base: review.Outcome{Reason: name}}}}}}
		r.Properties.Lost[0].Gate, r.Properties.Lost[0].Of = name, name
		return within(mostSummary, r.markdown) + within(20_000, r.markdown)
	}
}

func TestHostileNamesAreCodeToAReaderOfMarkdown(t *testing.T) {
	report := reportOn(t)
	for _, name := range hostile() {
		requireOnlyText(t, report, name)
	}
}

func TestAnyNameIsCodeToAReaderOfMarkdown(t *testing.T) {
	report := reportOn(t)
	piece := rapid.SampledFrom([]string{"a", " ", "|", `\`, "`", "``", "```", "\n", "\r", "\t", "<", ">", "&", "&#124;", "*", "_", "~~", "[", "](", ")", "!", "#", "@", "-", "+", ".", ":", "//",
		"https://", "www.", "a@b.c", "<b>", "</code>", "<!--", "-->", "</details>", "\u2028", "\u202e", "é", "{", "}", "$", "1.", "---", "\x00", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		requireOnlyText(t, report, strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces"), ""))
	})
}
