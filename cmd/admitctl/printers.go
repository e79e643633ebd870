package main

import (
	"bytes"
	"strconv"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// line is what a renderer renders of one document.
type line struct {
	answer
	decision engine.Decision
}

// renderer appends one line, without its newline.
type renderer func(dst []byte, l *line) []byte

// formats names the formats of eval.
func formats() []string { return []string{"pretty", "reason", "json", "logfmt"} }

// renderers are the formats of eval. title is a violation in a few words.
func renderers(s style, title func(gate, reason, action string) string) map[string]renderer {
	return map[string]renderer{
		"pretty": func(dst []byte, l *line) []byte { return appendPretty(dst, l, s, title) },
		"reason": appendReason,
		"logfmt": appendLogfmt,
		"json":   func(dst []byte, l *line) []byte { return l.decision.AppendJSON(dst) },
	}
}

func appendReason(dst []byte, l *line) []byte { return append(dst, l.decision.Reason...) }

// appendPlace appends where a document came from.
func appendPlace(dst []byte, a *answer) []byte {
	dst = append(dst, a.file...)
	if a.line > 0 {
		dst = strconv.AppendInt(append(dst, ':'), int64(a.line), 10)
	}
	return dst
}

// appendPretty appends a line for tired eyes: the label, what decided, with what was observed and its limit, the other
// violations, what to do, and where the document is.
func appendPretty(dst []byte, l *line, s style, title func(gate, reason, action string) string) []byte {
	const column = "                                " // as wide as the longest reason, so that lines of many documents align
	d := &l.decision
	colour := s.bad
	if d.Admit {
		colour = s.good
	}
	dst = append(append(append(dst, colour...), d.Reason...), s.reset...)
	dst = append(dst, column[min(len(d.Reason), len(column)-1):]...)
	switch {
	case d.Error != "":
		dst = append(dst, "not decided; "...)
	case !d.Admit:
		dst = append(dst, title(d.Gate, d.Reason, d.Action)...)
		dst = append(appendMeasured(dst, d.Violations[0]), "; "...)
	}
	if len(d.Violations) > 1 {
		dst = append(dst, "also "...)
		for _, violation := range d.Violations[1:] {
			dst = append(appendMeasured(append(dst, violation.Reason...), violation), ", "...)
		}
		dst = append(dst[:len(dst)-len(", ")], "; "...)
	}
	if len(d.Unknown) > 0 {
		dst = append(appendJoined(append(dst, "unknown: "...), d.Unknown, ", "), "; "...)
	}
	dst = append(append(append(dst, "do "...), d.Action...), "  "...)
	return append(appendPlace(append(dst, s.dim...), &l.answer), s.reset...)
}

// measured is what was observed of a violation and its limit, in brackets, or nothing.
func measured(v engine.Violation) string { return string(appendMeasured(nil, v)) }

func appendMeasured(dst []byte, v engine.Violation) []byte {
	unknown := inputs.Value{}
	switch {
	case v.Observed == unknown && v.Limit == unknown:
		return dst
	case v.Observed == unknown:
		dst = append(dst, " (unknown"...)
	default:
		dst = appendValue(append(dst, " (observed "...), v.Observed)
	}
	if v.Limit != unknown {
		dst = appendValue(append(dst, ", limit "...), v.Limit)
	}
	return append(dst, ')')
}

// appendValue appends what [inputs.Value.String] gives.
func appendValue(dst []byte, v inputs.Value) []byte {
	switch v.Kind {
	case inputs.KindNumber:
		return strconv.AppendInt(dst, v.Number, 10)
	case inputs.KindText:
		return strconv.AppendQuote(dst, v.Text)
	}
	return append(dst, v.String()...) // a constant
}

func appendJoined(dst []byte, texts []string, separator string) []byte {
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = append(dst, text...)
	}
	return dst
}

// appendLogfmt appends the collector's line: the reason, the evidence as the document has it, then the rest.
func appendLogfmt(dst []byte, l *line) []byte {
	d := &l.decision
	dst = appendPair(dst, "reason=", d.Reason)
	if l.document != nil {
		for name, value := range l.document.Fields() {
			dst = append(append(append(dst, ' '), name...), '=')
			switch {
			case value.Kind != inputs.KindText:
				dst = appendValue(dst, value)
			case value.Text == "null": // a name, where a bare null is unknown
				dst = append(dst, `"null"`...)
			default:
				dst = appendPair(dst, "", value.Text)
			}
		}
	}
	dst = appendPair(dst, " gate=", d.Gate)
	dst = append(dst, " admit="...)
	dst = strconv.AppendBool(dst, d.Admit)
	dst = appendPair(dst, " action=", d.Action)
	dst = append(dst, " violations="...)
	start := len(dst)
	for i := range d.Violations {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d.Violations[i].Reason...)
	}
	dst = append(quoteFrom(dst, start), " unknown="...)
	start = len(dst)
	dst = append(quoteFrom(appendJoined(dst, d.Unknown, ","), start), " file="...)
	start = len(dst)
	dst = quoteFrom(appendPlace(dst, &l.answer), start)
	if d.Error != "" {
		dst = appendPair(dst, " error=", d.Error)
	}
	return dst
}

func appendPair(dst []byte, key, value string) []byte {
	dst = append(dst, key...)
	start := len(dst)
	return quoteFrom(append(dst, value...), start)
}

// quoteFrom quotes what was appended since, wherever a reader of logfmt could stumble over it.
func quoteFrom(dst []byte, start int) []byte {
	value := dst[start:]
	if isPlain(value) {
		return dst
	}
	quoted := strconv.Quote(string(value))
	if !bytes.ContainsAny(value, " =\"") && quoted[1:len(quoted)-1] == string(value) {
		return dst
	}
	return append(dst[:start], quoted...)
}

// isPlain reports whether a value needs no second look: visible ASCII without what would be quoted or escaped.
func isPlain(value []byte) bool {
	for _, b := range value {
		if b <= ' ' || b > '~' || b == '"' || b == '=' || b == '\\' {
			return false
		}
	}
	return true
}
