package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// badInput is one hostile, broken or merely odd input and what it must get, at the library and at the command line
// alike. row is its row in the project's list of such inputs.
type badInput struct {
	row  int
	what string

	// The input: the first of these that is set, in this order.
	file     func(t *testing.T, name string) // makes what the command line finds under a name
	bundle   func(t *testing.T) []byte       // policies as a bundle
	answers  string                          // a document that edited policies load for, and must not answer
	edit     []edit                          // an edit of the shipped policies
	overlay  string                          // thresholds over the shipped ones
	document string                          // a document as JSON

	// The same input where Go code can make it: a document as a struct.
	literal inputs.Document

	// The secret that a bundle must be signed with; none is given where it is empty.
	key string

	// What it must get.
	place  string   // line:column, of a file of policies with its name
	says   []string // parts of the message: the path, what is wrong, how to mend it
	kind   error    // the sentinel
	reason string   // of the decision
	warns  string   // part of a warning: the input loads, and says so
}

// good is a document that every policy here admits, unless it was edited not to.
const good = `{"gate":"compaction","slack_ms":9000,"queue_age_ms":1200,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":9,"latest_version":9}`

func rows() []badInput {
	return slices.Concat(documentRows(), identifierRows(), fileRows(), thresholdRows(), warningRows(), policyRows(), entrypointRows(), answerRows(), bundleRows())
}

func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	answers := decideTogether(t, rows())
	for _, row := range rows() {
		t.Run(row.name(), func(t *testing.T) {
			t.Parallel() // each has files of its own
			switch {
			case row.file != nil:
				answers[row.name()].require(t, row.says[0])
			case row.bundle != nil:
				row.testBundle(t)
			case row.answers != "":
				row.testAnswer(t)
			case row.edit != nil:
				row.testPolicies(t)
			case row.overlay != "":
				row.testOverlay(t)
			default:
				row.testDocument(t, answers[row.name()])
			}
		})
	}
}

func TestBadInputCoversItsRows(t *testing.T) {
	covered, names := map[int]bool{}, map[string]bool{}
	for _, row := range rows() {
		require.False(t, names[row.name()], row.name())
		covered[row.row], names[row.name()] = true, true
	}
	for number := 1; number <= 30; number++ {
		require.True(t, covered[number], "row %d", number)
	}
	require.True(t, covered[32])
}

// name is a file name too.
func (row badInput) name() string {
	return fmt.Sprintf("%02d_%s", row.row, strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, row.what))
}

// badAnswer is what the command line said to one bad document.
type badAnswer struct {
	decision engine.Decision
	told     string // of standard error, the lines that name the file
	line     string // of standard error, where the document was a line of an NDJSON file: its message from the column on
}

func (a badAnswer) require(t *testing.T, part string) {
	t.Helper()
	requireReject(t, a.decision, engine.ReasonInvalidInput)
	require.Contains(t, a.told, part)
	require.Contains(t, a.decision.Error, part)
}

// decideTogether decides all bad documents in one command, each between good ones, which must be decided all the same.
func decideTogether(t *testing.T, all []badInput) map[string]badAnswer {
	t.Helper()
	writeFiles(t, ".", map[string]string{"good.json": good})
	var bad []badInput
	args := []string{"eval", "good.json"}
	for _, row := range all {
		name := row.name() + ".json"
		switch {
		case row.file != nil:
			row.file(t, name)
		case row.bundle != nil || row.answers != "" || row.edit != nil || row.overlay != "":
			continue
		default:
			writeFiles(t, ".", map[string]string{name: row.document})
		}
		bad = append(bad, row)
		args = append(args, name, "good.json")
	}
	for _, format := range []string{"pretty", "logfmt", "reason"} {
		code, out, _ := command(t, append(args, "-f", format)...)
		require.Equal(t, exitNoVerdict, code)
		require.Equal(t, len(bad), strings.Count(linesWith(out, engine.ReasonInvalidInput), "\n"), format)
		require.Equal(t, 2*len(bad)+1, strings.Count(out, "\n"), format)
	}
	code, out, complaint := command(t, append(args, "-f", "json")...)
	require.Equal(t, exitNoVerdict, code)
	lines := decisions(t, out)
	require.Len(t, lines, 2*len(bad)+1)
	answers := map[string]badAnswer{}
	for i, row := range bad {
		require.True(t, lines[2*i].Admit, "the document before %s", row.name())
		answers[row.name()] = badAnswer{decision: lines[2*i+1], told: linesWith(complaint, row.name())}
	}
	require.True(t, lines[2*len(bad)].Admit)
	readAsLines(t, bad, answers)
	return answers
}

// readAsLines decides the bad documents that are no more than a line again, as lines of one NDJSON file.
func readAsLines(t *testing.T, bad []badInput, answers map[string]badAnswer) {
	t.Helper()
	bad = slices.DeleteFunc(slices.Clone(bad), func(row badInput) bool {
		return row.file != nil || strings.Contains(row.document, "\n")
	})
	text := good + "\n"
	for _, row := range bad {
		text += row.document + "\n" + good + "\n"
	}
	writeFiles(t, ".", map[string]string{"lines.ndjson": text})
	code, out, complaint := command(t, "eval", "-f", "json", "lines.ndjson")
	require.Equal(t, exitNoVerdict, code)
	lines := decisions(t, out)
	require.Len(t, lines, 2*len(bad)+1)
	for i, row := range bad {
		require.True(t, lines[2*i].Admit && lines[2*i+2].Admit, row.name())
		requireReject(t, lines[2*i+1], engine.ReasonInvalidInput)
		answer := answers[row.name()]
		answer.line = linesWith(complaint, fmt.Sprintf("lines.ndjson:%d:", 2*i+2))
		answers[row.name()] = answer
	}
}

func linesWith(text, part string) string {
	var found strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			found.WriteString(line)
		}
	}
	return found.String()
}

func (row badInput) testDocument(t *testing.T, answer badAnswer) {
	source := inputs.Source{File: row.name() + ".json"}
	_, err := inputs.Decode([]byte(row.document), source)
	row.requireError(t, err, source.File+":"+row.place+": ")
	require.ErrorIs(t, err, inputs.ErrInvalid)
	_, again := inputs.Read(strings.NewReader(row.document), source)
	require.EqualError(t, again, err.Error())
	answer.require(t, err.Error())
	if !strings.Contains(row.document, "\n") {
		_, column, _ := strings.Cut(err.Error(), ":1:")
		require.Contains(t, answer.line, column)
	}
	if row.literal == nil {
		return
	}
	require.ErrorIs(t, row.literal.Validate(), row.kind)
	program, err := shipped()
	require.NoError(t, err)
	decision, err := program.Decide(t.Context(), row.literal)
	require.ErrorIs(t, err, row.kind)
	requireReject(t, decision, engine.ReasonInvalidInput)
}

func (row badInput) testOverlay(t *testing.T) {
	name := row.name() + ".yaml"
	writeFiles(t, ".", map[string]string{name: row.overlay})
	if row.warns == "" {
		row.requireRefused(t, name+":"+row.place+": ", "eval", "-t", name, "good.json")
		return
	}
	_, _, complaint, err := outcome(t, "eval", "-t", name, "good.json")
	require.NotErrorIs(t, err, engine.ErrLoad)
	require.Contains(t, complaint, "admitctl: warning: ")
	require.Contains(t, complaint, row.place+": ")
	require.Contains(t, complaint, row.warns)
}

func (row badInput) testPolicies(t *testing.T) {
	require.NoError(t, os.CopyFS(row.name(), edited(t, row.edit...)))
	row.requireRefused(t, row.place, "eval", "-p", row.name(), "good.json")
}

// requireRefused runs a command line whose policies must not load: the error that Compile gave comes back with its
// sentinel, everything of it is told, and no decision is printed.
func (row badInput) requireRefused(t *testing.T, place string, args ...string) {
	t.Helper()
	code, out, complaint, err := outcome(t, args...)
	row.requireError(t, err, place)
	require.ErrorIs(t, err, engine.ErrLoad)
	require.Equal(t, exitNoVerdict, code)
	require.Empty(t, out)
	require.Contains(t, complaint, "the policies do not load")
	for _, part := range append(row.says, place) {
		require.Contains(t, complaint, part)
	}
}

// testAnswer has edited policies that load, and a document that they must not answer; others are decided all the same.
func (row badInput) testAnswer(t *testing.T) {
	files := edited(t, row.edit...)
	program, err := engine.Compile(t.Context(), files)
	require.NoError(t, err)
	document, err := inputs.Decode([]byte(row.answers), inputs.Source{})
	require.NoError(t, err)
	decision, err := program.Decide(t.Context(), document)
	row.requireError(t, err, "gate "+document.Gate()+": ")
	requireReject(t, decision, row.reason)

	require.NoError(t, os.CopyFS(row.name(), files))
	writeFiles(t, ".", map[string]string{row.name() + ".ndjson": good + "\n" + row.answers + "\n" + good + "\n"})
	code, out, complaint := command(t, "eval", "-f", "json", "-p", row.name(), row.name()+".ndjson")
	require.Equal(t, exitNoVerdict, code)
	require.Contains(t, complaint, row.name()+".ndjson:2: gate "+document.Gate()+": ")
	lines := decisions(t, out)
	require.Len(t, lines, 3)
	require.True(t, lines[0].Admit && lines[2].Admit)
	requireReject(t, lines[1], row.reason)
}
