package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

// explainedJSON is why a document was decided so, as explain -f json prints it.
type explainedJSON struct {
	File     string          `json:"file"`
	Line     int             `json:"line,omitempty"` // of a file with a document a line
	Decision json.RawMessage `json:"decision"`
	ToDo     string          `json:"to_do,omitempty"` // what the action asks of the caller
	Checks   []checkedJSON   `json:"checks"`
	// Counterfactual is what would turn the decision over; it is not there where that could not be looked for.
	Counterfactual *review.Counterfactual `json:"counterfactual,omitempty"`
}

// checkedJSON is what one row of a decision table made of a document.
type checkedJSON struct {
	Reason    string         `json:"reason"`
	Action    string         `json:"action"`
	Outcome   engine.Outcome `json:"outcome"`
	Title     string         `json:"title"`             // of the violation
	Proved    string         `json:"proved,omitempty"`  // what must hold
	Because   string         `json:"because,omitempty"` // it was not asked
	Observed  inputs.Value   `json:"observed"`
	Limit     inputs.Value   `json:"limit"`
	Margin    inputs.Value   `json:"margin"`
	Unknown   []string       `json:"unknown"`
	LimitFrom []sourceJSON   `json:"limit_from"`
	Reads     []sourceJSON   `json:"reads"`
	File      string         `json:"file"` // of the rule
	Line      int            `json:"line"`
}

// sourceJSON is a threshold, or a field of the document.
type sourceJSON struct {
	Threshold string `json:"threshold,omitempty"`
	Field     string `json:"field,omitempty"`
	Value     any    `json:"value"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
}

func sourcesJSON(sources []engine.Source) []sourceJSON {
	all := make([]sourceJSON, len(sources))
	for i, s := range sources {
		all[i] = sourceJSON{Threshold: s.Threshold, Field: s.Field, Value: s.Value, File: s.At.File, Line: s.At.Line}
	}
	return all
}

func (e *explainer) explained(l *line) explainedJSON {
	own := explainedJSON{File: l.file, Line: l.line, Decision: l.decision.AppendJSON(nil), ToDo: e.toDo(&l.decision), Checks: []checkedJSON{}}
	if l.decision.Error != "" {
		return own
	}
	if e.failed == nil {
		own.Counterfactual = &e.nearest
	}
	for _, c := range e.last.Checks {
		own.Checks = append(own.Checks, checkedJSON{
			Reason: c.Reason, Action: c.Action, Outcome: c.Outcome, Title: c.Title, Proved: c.Proved, Because: c.Because,
			Observed: c.Observed, Limit: c.Limit, Margin: c.Margin, Unknown: append([]string{}, c.Unknown...),
			LimitFrom: sourcesJSON(c.From), Reads: sourcesJSON(c.Reads), File: c.File, Line: c.Line,
		})
	}
	return own
}

func (e *explainer) toDo(d *engine.Decision) string {
	gate, _ := e.side.Program.Gate(d.Gate)
	return gate.Actions[d.Action]
}

// write tells a document: the decision, what to do, and every check.
func (e *explainer) write(text *bytes.Buffer, l *line) {
	d, s := &l.decision, e.style
	colour := s.bad
	if d.Admit {
		colour = s.good
	}
	fmt.Fprintf(text, "%s%s%s", colour, d.Reason, s.reset)
	if d.Gate != "" {
		fmt.Fprintf(text, " of gate %s", d.Gate)
	}
	fmt.Fprintf(text, "  %s%s%s\n", s.dim, appendPlace(nil, &l.answer), s.reset)
	if d.Error != "" {
		fmt.Fprintf(text, "  means       %s\n", engine.Undecided()[d.Reason])
		return
	}
	if first := slices.IndexFunc(e.last.Checks, func(c engine.Explained) bool { return c.Reason == d.Reason && c.Action == d.Action }); first >= 0 {
		fmt.Fprintf(text, "  means       %s. %s\n", e.last.Checks[first].Title, e.last.Checks[first].Description)
	}
	fmt.Fprintf(text, "  do          %s", d.Action)
	if toDo := e.toDo(d); toDo != "" {
		fmt.Fprintf(text, ": %s", toDo)
	}
	text.WriteString("\n")
	if len(d.Unknown) > 0 {
		fmt.Fprintf(text, "  unknown     %s\n", strings.Join(d.Unknown, ", "))
	}
	fmt.Fprintf(text, "  checks      in the order of %s.precedence\n", d.Gate)
	for i := range e.last.Checks {
		e.writeCheck(text, &e.last.Checks[i])
	}
	e.writeNearest(text)
}

// writeCheck tells a check in two lines: what it came to, and what its limit and its rule are.
func (e *explainer) writeCheck(text *bytes.Buffer, c *engine.Explained) {
	s := e.style
	colour := map[engine.Outcome]string{engine.Violated: s.bad, engine.Excused: s.warn, engine.Held: s.good}[c.Outcome]
	if colour == "" {
		colour = s.dim
	}
	fmt.Fprintf(text, "  %s%-10s%s  %s%s", colour, c.Outcome, s.reset, c.Reason, e.alternative(c))
	switch {
	case c.Outcome == engine.NotAsked:
		fmt.Fprintf(text, ": %s", c.Because)
	case c.Outcome == engine.Held && c.Margin.Kind == inputs.KindNull && c.Proved != "":
		fmt.Fprintf(text, ": %s", c.Proved)
	default:
		fmt.Fprintf(text, "%s", measured(engine.Violation{Reason: c.Reason, Observed: c.Observed, Limit: c.Limit}))
		if c.Margin.Kind == inputs.KindNumber {
			fmt.Fprintf(text, ", margin %d", c.Margin.Number)
		}
		if len(c.Unknown) > 0 {
			fmt.Fprintf(text, ", unknown %s", strings.Join(c.Unknown, ", "))
		}
		if c.Outcome != engine.Held {
			fmt.Fprintf(text, ": %s", c.Title)
		}
	}
	fmt.Fprintf(text, "\n              %s", s.dim)
	told := c.From
	if c.Outcome == engine.Violated && len(told) == 0 {
		told = c.Reads
	}
	if c.Outcome != engine.NotAsked {
		for _, source := range told {
			text.WriteString(sourceText(source) + "; ")
		}
	}
	fmt.Fprintf(text, "rule %s:%d%s\n", c.File, c.Line, s.reset)
}

// alternative names the action of a row whose reason has another row too.
func (e *explainer) alternative(c *engine.Explained) string {
	for i := range e.last.Checks {
		if other := &e.last.Checks[i]; other.Reason == c.Reason && other.Action != c.Action {
			return " → " + c.Action
		}
	}
	return ""
}

// sourceText is a threshold and where it is written, or a field of the document.
func sourceText(s engine.Source) string {
	if s.Field != "" {
		return fmt.Sprintf("the document's %s = %s", s.Field, jsonOf(s.Value))
	}
	if s.At.File == "" {
		return s.Threshold + " is not set"
	}
	return fmt.Sprintf("%s = %s %s:%d", s.Threshold, jsonOf(s.Value), s.At.File, s.At.Line)
}
