package main

import (
	"fmt"
	"strings"
)

// What GitHub takes: of a comment 65,536 characters, some of which whoever writes it needs, and of the summary of a step
// 1 MiB.
const (
	mostComment = 65_000
	mostSummary = 1 << 20
)

// mostEcho is how much of one name or value is echoed in Markdown, in characters.
const mostEcho = 300

// code is a text that somebody else wrote, as code: nothing in it is Markdown, HTML, a mention, a link or another cell of
// a table.
func code(text string) string {
	text = shortened(text)
	if text == "" {
		return "(empty)"
	}
	if !strings.ContainsAny(text, "`|\\<>&") && strings.TrimSpace(text) == text {
		return "`" + text + "`"
	}
	return element(text) // since in code of backticks a table still sees the bar, and there is no way to escape it
}

// element is the same as an element of HTML, in which nothing is Markdown: for where Markdown is not read.
func element(text string) string {
	text = shortened(text)
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

// shortened is a text on one line, and no more of it than anybody reads.
func shortened(text string) string {
	text = oneLine(text)
	if runes := []rune(text); len(runes) > mostEcho {
		return string(runes[:mostEcho]) + "…"
	}
	return text
}

// markdown is a report in blocks, of which the first come first where not all have room. A block is whole by itself.
type markdown struct {
	blocks []string
	brief  bool // without whole documents, and of what lets nobody in or out no example
}

// within is a report in no more than so many bytes, which are never fewer than its characters: whole, else brief, else
// as much of it as has room.
func within(most int, write func(m *markdown)) string {
	whole := &markdown{}
	write(whole)
	if text := strings.Join(whole.blocks, ""); len(text) <= most {
		return text
	}
	short := &markdown{brief: true}
	write(short)
	return short.upTo(most)
}

func (m *markdown) add(format string, args ...any) {
	m.blocks = append(m.blocks, fmt.Sprintf(format, args...))
}

// upTo is as much of the report as has room, and a note of what is left out.
func (m *markdown) upTo(most int) string {
	const mend = "`admitctl review -f pretty` with the same flags prints all.\n"
	if text := strings.Join(m.blocks, "") + "\n\nExamples and whole documents are left out here for want of room; " + mend; len(text) <= most {
		return text
	}
	note := func(left int) string {
		return fmt.Sprintf("\n\n**%d of %d parts are left out here for want of room.** %s", left, len(m.blocks), mend)
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
