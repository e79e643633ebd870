package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

func newExplain(io stdio, c *common) *cobra.Command {
	solver := &solverFlags{}
	verb := &cobra.Command{
		Use:   "explain REASON | GATE | FILE | -",
		Short: "Say what a reason means and what to do, or why a document was decided so",
		Long: `explain says what a reason means and what to do, which thresholds and fields it is proved from, what the thresholds are
set to and where, and where the rule is written. Of a gate it lists all reasons. It is what the METADATA of the rules
and the comments of the thresholds say, those of added checks and gates included.

Of a FILE with documents (.json, or .ndjson and .jsonl with one a line), of those of a directory, and of the one of
standard input (-), it says why each was decided so: what every check of its gate made of it, where its limit is set,
and the smallest change of signals that would turn the decision over. That there is no smaller one is proved, by a
solver (z3) where one is there and needed; where it is not, that is said.

What is the name of a reason or a gate is taken as one; ./NAME is the file that is called so.

Exit codes: 0 it could explain, whatever was decided; 2 it could not.`,
		Example: `  admitctl explain reject_tokens
  admitctl explain fanout
  admitctl explain -p mine --gate subagent token_burn_vs_success
  admitctl explain rejected.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return explain(cmd.Context(), c, solver, args[0], io) },
	}
	addPolicyFlags(verb, c)
	addFormatFlag(verb, &c.format, explainFormats())
	addOutputFlag(verb, c)
	verb.Flags().StringVar(&c.gate, "gate", "", "only the reasons of this `GATE`; of documents, that of those that name none")
	solver.add(verb)
	return verb
}

func explainFormats() []string { return []string{"pretty", "json"} }

// explanation is one reason of one gate, with one action.
type explanation struct {
	Gate        string        `json:"gate,omitempty"`
	Reason      string        `json:"reason"`
	Title       string        `json:"title,omitempty"`
	Description string        `json:"description"`
	Admits      bool          `json:"admits"`
	Action      string        `json:"action"`
	ToDo        string        `json:"to_do,omitempty"`
	Place       int           `json:"place,omitempty"` // in the order of precedence, from 1; 0 where the list does not name it
	Of          int           `json:"of,omitempty"`
	Thresholds  []settingJSON `json:"thresholds"`
	Fields      []string      `json:"fields"`
	File        string        `json:"file,omitempty"`
	Line        int           `json:"line,omitempty"`
}

func explain(ctx context.Context, c *common, solver *solverFlags, subject string, io stdio) error {
	if err := knownFormat(c.format, explainFormats()); err != nil {
		return err
	}
	program, from, err := loadProgram(ctx, c, io, engine.DefaultTimeout)
	if err != nil {
		return err
	}
	if gates := program.Gates(); c.gate != "" && !slices.Contains(gates, c.gate) {
		return fmt.Errorf("--gate: there is no gate %q; one of %s", c.gate, strings.Join(gates, ", "))
	}
	gate, isGate := program.Gate(subject)
	all := explanations(program, c.gate, subject)
	if isGate {
		all = explanations(program, subject, "")
	}
	if len(all) == 0 && namesDocuments(subject) {
		options, err := solver.options()
		if err != nil {
			return err
		}
		return explainDocuments(ctx, c, &explainer{side: review.Side{Name: from, Program: program}, options: options, json: c.format == "json"}, subject, io)
	}
	if len(all) == 0 || subject == "" {
		return unknownReason(program, c.gate, subject)
	}
	return writeOutput(c, from, nil, io, func(out output) error {
		switch {
		case c.format == "json":
			return encodeJSON(out, all)
		case isGate:
			return writeGate(out, program, gate, all, out.style)
		}
		return writeExplanations(out, all, out.style)
	})
}

// explanations are those of a reason, or of all if it is empty, in one gate or in all.
func explanations(program *engine.Program, only, reason string) []explanation {
	var all []explanation
	for _, name := range program.Gates() {
		if only != "" && name != only {
			continue
		}
		gate, _ := program.Gate(name)
		for _, check := range gate.Checks {
			if reason != "" && check.Reason != reason {
				continue
			}
			e := explanation{Gate: name, Reason: check.Reason, Title: check.Title, Description: check.Description, Action: check.Action, ToDo: gate.Actions[check.Action],
				Place: slices.Index(gate.Precedence, check.Reason) + 1, Of: len(gate.Precedence), Thresholds: settingsJSON(program.Feeding(check)), Fields: append([]string{}, check.Fields...), File: check.File, Line: check.Line}
			all = append(all, e)
		}
		for _, way := range gate.Admits {
			if reason == "" || way.Reason == reason {
				all = append(all, explanation{Gate: name, Reason: way.Reason, Title: "The gate admits", Description: admitsWhen(way), Admits: true,
					Action: way.Action, ToDo: gate.Actions[way.Action], Thresholds: settingsJSON(program.Deciding(way)), Fields: append([]string{}, way.Fields...), File: way.File, Line: way.Line})
			}
		}
	}
	if meaning := engine.Undecided()[reason]; meaning != "" && reason != engine.ReasonInvalidInput {
		all = append(all, explanation{Reason: reason, Title: "The gate did not decide", Description: meaning, Action: engine.ActionReject, Thresholds: []settingJSON{}, Fields: []string{}})
	}
	return all
}

// admitsWhen is a sentence about a way to admit.
func admitsWhen(way engine.Admission) string {
	if len(way.When) == 0 {
		return "No violation stands."
	}
	return "No violation stands, and: " + strings.Join(way.When, "; ") + "."
}

func unknownReason(program *engine.Program, gate, subject string) error {
	if gate != "" && len(explanations(program, "", subject)) > 0 {
		return fmt.Errorf("no check of gate %s gives the reason %q; another gate does: leave out --gate", gate, subject)
	}
	known := slices.Sorted(maps.Keys(engine.Undecided()))
	for _, e := range explanations(program, "", "") {
		known = append(known, e.Reason)
	}
	known = append(known, program.Gates()...)
	mend := "see: admitctl explain GATE, with one of " + strings.Join(program.Gates(), ", ")
	if nearest := inputs.Nearest(subject, known); nearest != "" {
		mend = fmt.Sprintf("did you mean %q?", nearest)
	}
	return fmt.Errorf("no check gives the reason %q, and no gate and no file is called so; %s", subject, mend)
}

// writeGate lists the reasons of a gate, each with what it means and what to do.
func writeGate(out io.Writer, program *engine.Program, gate engine.Gate, all []explanation, s style) error {
	text := &strings.Builder{}
	fmt.Fprintf(text, "%s: %s  %s%s:%d%s\n", gate.Name, gate.Description, s.dim, gate.File, gate.Line, s.reset)
	if gate.Protects != "" {
		fmt.Fprintf(text, "protects %s\n", gate.Protects)
	}
	for _, own := range deciders(program.Evaluators()) {
		if own.Gate == gate.Name {
			text.WriteString(own.By + "\n")
		}
	}
	for _, e := range all {
		colour := s.bad
		if e.Admits {
			colour = s.good
		}
		fmt.Fprintf(text, "\n%s%s%s  %s: %s\n", colour, e.Reason, s.reset, e.Action, e.ToDo)
		if !e.Admits {
			fmt.Fprintf(text, "  %s. %s\n", e.Title, e.Description)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// writeExplanations tells everything about a reason, a block for each gate and action that has it.
func writeExplanations(out io.Writer, all []explanation, s style) error {
	text := &strings.Builder{}
	for i, e := range all {
		if i > 0 {
			text.WriteString("\n")
		}
		colour := s.bad
		if e.Admits {
			colour = s.good
		}
		fmt.Fprintf(text, "%s%s%s", colour, e.Reason, s.reset)
		if e.Gate != "" {
			fmt.Fprintf(text, " of gate %s", e.Gate)
		}
		fmt.Fprintf(text, "\n  means       %s. %s\n", e.Title, e.Description)
		fmt.Fprintf(text, "  do          %s", e.Action)
		if e.ToDo != "" {
			fmt.Fprintf(text, ": %s", e.ToDo)
		}
		text.WriteString("\n")
		switch {
		case e.Place > 0:
			fmt.Fprintf(text, "  order       %d of %d in %s.precedence\n", e.Place, e.Of, e.Gate)
		case e.Reason == engine.ReasonInvalidInput:
			text.WriteString("  order       before all others\n")
		case !e.Admits && e.Gate != "":
			fmt.Fprintf(text, "  order       after those of %s.precedence, by name\n", e.Gate)
		}
		writeFeeds(text, e, s)
		if e.File != "" {
			fmt.Fprintf(text, "  written     %s:%d\n", e.File, e.Line)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// writeFeeds lists what a check is proved from; of many planes or classes the first few.
func writeFeeds(text *strings.Builder, e explanation, s style) {
	const few = 20
	for i, setting := range e.Thresholds {
		label := ""
		if i == 0 {
			label = "thresholds"
		}
		if i == few {
			fmt.Fprintf(text, "  %-10s  and %d more, in -f json\n", label, len(e.Thresholds)-few)
			break
		}
		if setting.File == "" {
			fmt.Fprintf(text, "  %-10s  %s is not set\n", label, setting.Path)
			continue
		}
		fmt.Fprintf(text, "  %-10s  %s = %s  %s%s:%d%s\n", label, setting.Path, jsonOf(setting.Value), s.dim, setting.File, setting.Line, s.reset)
		if setting.Notes != "" {
			fmt.Fprintf(text, "  %-10s    %s\n", "", setting.Notes)
		}
	}
	if len(e.Fields) > 0 {
		fmt.Fprintf(text, "  reads       %s\n", strings.Join(e.Fields, ", "))
	}
}
