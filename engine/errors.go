package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// Why a load is refused. Every error of [Compile] matches ErrLoad, and each of its problems one of the others.
var (
	// ErrLoad: the policies do not load; see [LoadError].
	ErrLoad = errors.New("policies do not load")
	// ErrFiles: a file or directory cannot be read, or there are no policies in it.
	ErrFiles = errors.New("unreadable")
	// ErrRego: OPA's parser, compiler or type checker refuses a module.
	ErrRego = errors.New("rego")
	// ErrBuiltin: a rule calls a built-in function that gates do not have.
	ErrBuiltin = errors.New("built-in not available")
	// ErrForm: a rule is not written so that it fails closed.
	ErrForm = errors.New("form")
	// ErrEntrypoint: a gate has no decision, or one that can be undefined, of the wrong type, or admit by default.
	ErrEntrypoint = errors.New("entrypoint")
	// ErrSchema: a gate declares no input schema, or one that cannot be used.
	ErrSchema = errors.New("schema")
	// ErrThresholds: thresholds are missing, misspelt, of the wrong type, out of range, or set twice.
	ErrThresholds = errors.New("thresholds")
)

// Why [Program.Decide] could not decide. The decision then rejects with the reason of the same name.
var (
	// ErrUndefined: the gate gave no decision ([ReasonUndefined]).
	ErrUndefined = errors.New("policy undefined")
	// ErrConflict: two rules gave different decisions ([ReasonConflict]).
	ErrConflict = errors.New("policy conflict")
	// ErrEvaluation: a built-in failed, the decision has the wrong shape or effects, or the evaluation panicked
	// ([ReasonError]).
	ErrEvaluation = errors.New("policy error")
	// ErrTimeout: the time limit passed or the context ended ([ReasonTimeout]).
	ErrTimeout = errors.New("policy timeout")
)

// ErrTabulation is a gate that OPA decides, since its rules do not come to a table. It is a warning alone.
var ErrTabulation = errors.New("tabulation")

// ErrProperty is a property that a gate should have and has not, as somebody proved. It is a warning alone.
var ErrProperty = errors.New("property")

// Problem is one thing that keeps policies from loading, or a warning about them.
type Problem struct {
	File    string // as loaded; empty when the problem is of the whole
	Line    int    // from 1; 0 when unknown
	Column  int    // from 1, in bytes; 0 when unknown
	Path    string // in the thresholds: "compaction.token_ceiling"
	Text    string // the line itself
	Problem string // what is wrong
	Mend    string // what to do
	Kind    error  // the sentinel
}

// String is the problem on one line, and the line of the file below it.
func (p Problem) String() string {
	text := p.Message()
	if place := p.Place(); place != "" {
		text = place + ": " + text
	}
	if line := p.Source(); line != "" {
		text += "\n\t" + line
	}
	return text
}

// Place is "FILE:LINE:COLUMN", as much of it as is known.
func (p Problem) Place() string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d:%d", inputs.PrintableName(p.File), p.Line, max(p.Column, 1))
	case p.File != "":
		return inputs.PrintableName(p.File)
	}
	return ""
}

// Message says what is wrong, with which threshold, and what to do.
func (p Problem) Message() string {
	text := p.Problem
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.Mend != "" {
		text += "; " + p.Mend
	}
	return inputs.Printable(text)
}

// Source is the line of the file without its indentation, cut where somebody's program wrote a long one.
func (p Problem) Source() string { return inputs.Printable(cut(strings.TrimSpace(p.Text))) }

// Category names the sentinel in a word: files, rego, built-in, form, entrypoint, schema or thresholds; of warnings
// tabulation, disagreement or property too.
func (p Problem) Category() string {
	for sentinel, name := range map[error]string{
		ErrFiles: "files", ErrRego: "rego", ErrBuiltin: "built-in", ErrForm: "form", ErrEntrypoint: "entrypoint", ErrSchema: "schema", ErrThresholds: "thresholds",
		ErrTabulation: "tabulation", ErrDisagreement: "disagreement", ErrProperty: "property",
	} {
		if errors.Is(p.Kind, sentinel) {
			return name
		}
	}
	return "load"
}

// cut keeps a line that somebody's program wrote from filling the screen.
func cut(line string) string {
	const most = 200
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

// LoadError lists everything that is wrong with policies, in the order of files and lines.
type LoadError struct {
	Problems []Problem // at least one
}

func (e *LoadError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives [ErrLoad] and the sentinels of all problems.
func (e *LoadError) Unwrap() []error {
	all := []error{ErrLoad}
	for _, problem := range e.Problems {
		all = append(all, problem.Kind)
	}
	return all
}
