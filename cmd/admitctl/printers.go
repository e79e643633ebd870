package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// line is what a printer prints of one document.
type line struct {
	answer
	decision engine.Decision
	title    string // the violation that decided, in a few words
}

// printer writes one line; its error is of the output.
type printer func(line) error

// formats names the formats of eval.
func formats() []string { return []string{"pretty", "reason", "json", "logfmt"} }

// printers are the formats of eval.
func printers(out output) map[string]printer {
	write := func(render func(line) string) printer {
		return func(l line) error {
			_, err := fmt.Fprintln(out, render(l))
			return err
		}
	}
	return map[string]printer{
		"pretty": write(func(l line) string { return pretty(l, out.style) }),
		"reason": write(func(l line) string { return l.decision.Reason }),
		"logfmt": write(logfmt),
		"json": func(l line) error {
			encoder := json.NewEncoder(out)
			encoder.SetEscapeHTML(false)
			return encoder.Encode(l.decision)
		},
	}
}

// place is where a document came from.
func (a answer) place() string {
	file := inputs.PrintableName(a.file)
	if a.line > 0 {
		return fmt.Sprintf("%s:%d", file, a.line)
	}
	return file
}

// pretty is a line for tired eyes: the label, what decided, with what was observed and its limit, the other
// violations, what to do, and where the document is.
func pretty(l line, s style) string {
	const width = 32 // of the longest reason, so that lines of many documents align
	d := l.decision
	colour := s.bad
	if d.Admit {
		colour = s.good
	}
	text := colour + d.Reason + s.reset + strings.Repeat(" ", max(width-len(d.Reason), 1))
	switch {
	case d.Error != "":
		text += "not decided; "
	case !d.Admit:
		text += l.title + measured(d.Violations[0]) + "; "
	}
	if len(d.Violations) > 1 {
		others := make([]string, 0, len(d.Violations)-1)
		for _, violation := range d.Violations[1:] {
			others = append(others, violation.Reason+measured(violation))
		}
		text += "also " + strings.Join(others, ", ") + "; "
	}
	if len(d.Unknown) > 0 {
		text += "unknown: " + strings.Join(d.Unknown, ", ") + "; "
	}
	return text + "do " + d.Action + "  " + s.dim + l.place() + s.reset
}

func measured(v engine.Violation) string {
	unknown := inputs.Value{}
	switch {
	case v.Observed == unknown && v.Limit == unknown:
		return ""
	case v.Observed == unknown:
		return fmt.Sprintf(" (unknown, limit %s)", v.Limit)
	case v.Limit == unknown:
		return fmt.Sprintf(" (observed %s)", v.Observed)
	}
	return fmt.Sprintf(" (observed %s, limit %s)", v.Observed, v.Limit)
}

// logfmt is the collector's line: the reason, the evidence as the document has it, then the rest.
func logfmt(l line) string {
	d := l.decision
	pairs := []string{pair("reason", d.Reason)}
	if l.document != nil {
		for name, value := range l.document.Fields() {
			switch {
			case value.Kind != inputs.KindText:
				pairs = append(pairs, pair(name, value.String()))
			case value.Text == "null": // a name, where a bare null is unknown
				pairs = append(pairs, name+`="null"`)
			default:
				pairs = append(pairs, pair(name, value.Text))
			}
		}
	}
	reasons := make([]string, len(d.Violations))
	for i, violation := range d.Violations {
		reasons[i] = violation.Reason
	}
	pairs = append(pairs, pair("gate", d.Gate), pair("admit", strconv.FormatBool(d.Admit)), pair("action", d.Action),
		pair("violations", strings.Join(reasons, ",")), pair("unknown", strings.Join(d.Unknown, ",")), pair("file", l.place()))
	if d.Error != "" {
		pairs = append(pairs, pair("error", d.Error))
	}
	return strings.Join(pairs, " ")
}

// pair quotes a value wherever a reader of logfmt could stumble.
func pair(key, value string) string {
	quoted := strconv.Quote(value)
	if strings.ContainsAny(value, " =\"") || quoted[1:len(quoted)-1] != value {
		value = quoted
	}
	return key + "=" + value
}
