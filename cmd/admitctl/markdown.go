package main

import (
	"fmt"
	"strings"
)

// The limits of GitHub: characters of a comment, and bytes of the summary of a step.
const (
	mostComment = 65_536
	mostSummary = 1 << 20
)

// mostEcho is how much of one name or value is echoed in Markdown, in characters.
const mostEcho = 300

// code is a text that somebody else wrote, as code: nothing in it is Markdown, HTML, a mention, a link or another cell of
// a table.
func code(text string) string {
	text = oneLine(text)
	if runes := []rune(text); len(runes) > mostEcho {
		text = string(runes[:mostEcho]) + "…"
	}
	if text == "" {
		return "(empty)"
	}
	if !strings.ContainsAny(text, "`|\\<>&") && strings.TrimSpace(text) == text {
		return "`" + text + "`"
	}
	// In code of backticks a table still sees the bar, and there is no way to write a backslash before one.
	var safe strings.Builder
	for _, r := range text {
		if strings.ContainsRune("`|\\*_~[]()#@:!$+-.<>&\"'", r) {
			fmt.Fprintf(&safe, "&#%d;", r)
		} else {
			safe.WriteRune(r)
		}
	}
	return "<code>" + safe.String() + "</code>"
}

// markdown is a report in blocks, of which the first come first where not all have room. A block is whole by itself.
type markdown struct{ blocks []string }

func (m *markdown) add(format string, args ...any) {
	m.blocks = append(m.blocks, fmt.Sprintf(format, args...))
}

// upTo is the report in no more than so many bytes, which are never fewer than its characters.
func (m *markdown) upTo(most int) string {
	whole := strings.Join(m.blocks, "")
	if len(whole) <= most {
		return whole
	}
	note := func(left int) string {
		return fmt.Sprintf("\n\n**%d of %d parts are left out here, since a report may have %d bytes.** `admitctl review -f pretty` with the same flags prints all.\n", left, len(m.blocks), most)
	}
	room := most - len(note(len(m.blocks)))
	if room < 0 {
		return ""
	}
	var text strings.Builder
	shown := 0
	for _, block := range m.blocks {
		if text.Len()+len(block) > room {
			break
		}
		text.WriteString(block)
		shown++
	}
	return text.String() + note(len(m.blocks)-shown)
}
