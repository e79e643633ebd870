package docs_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/journal"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/thresholds"
)

var (
	gateMarks      = regexp.MustCompile(`(?s)<!-- gate (\S+) -->\n.*?<!-- end -->`)
	undecidedMarks = regexp.MustCompile(`(?s)<!-- undecided -->\n.*?<!-- end -->`)
)

func shipped(t *testing.T) *engine.Program {
	t.Helper()
	program, err := engine.Compile(context.Background(), policies.Files, engine.Named("policies"))
	require.NoError(t, err)
	return program
}

func TestPagesOfGatesAreThoseOfThePolicies(t *testing.T) {
	program := shipped(t)
	var described []string
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		want := gateMarks.ReplaceAllStringFunc(string(text), func(block string) string {
			name := gateMarks.FindStringSubmatch(block)[1]
			described = append(described, name)
			return "<!-- gate " + name + " -->\n" + gatePage(t, program, name) + "<!-- end -->"
		})
		want = undecidedMarks.ReplaceAllStringFunc(want, func(string) string {
			return "<!-- undecided -->\n" + undecided() + "<!-- end -->"
		})
		check(t, page, want)
	}
	slices.Sort(described)
	require.Equal(t, program.Gates(), described, "a page a gate")
}

func undecided() string {
	var out strings.Builder
	out.WriteString("| reason | what happened, and what to do |\n|---|---|\n")
	meanings := engine.Undecided()
	for _, reason := range slices.Sorted(maps.Keys(meanings)) {
		fmt.Fprintf(&out, "| `%s` | %s |\n", reason, meanings[reason])
	}
	return out.String()
}

// gatePage is what METADATA, schemas and thresholds say of a gate.
func gatePage(t *testing.T, program *engine.Program, name string) string {
	t.Helper()
	gate, ok := program.Gate(name)
	require.True(t, ok, name)
	var out strings.Builder
	fmt.Fprintf(&out, "**Protects** %s\n\n", strings.ToLower(gate.Protects[:1])+gate.Protects[1:])
	writeFields(&out, gate)
	writeReasons(&out, gate)
	writeThresholds(&out, program, gate)
	return out.String()
}

func writeFields(out *strings.Builder, gate engine.Gate) {
	out.WriteString("## Fields\n\n| field | holds | must be there | meaning |\n|---|---|---|---|\n")
	for _, p := range gate.Properties {
		holds := map[inputs.Kind]string{inputs.KindNull: "an object", inputs.KindFlag: "true or false", inputs.KindText: "a name of 1 to 128 characters"}[p.Kind]
		switch {
		case p.Kind == inputs.KindNumber:
			holds = fmt.Sprintf("a whole number from %d to %d", p.Low, p.High)
		case p.Words != nil:
			holds = "one of `" + strings.Join(p.Words, "`, `") + "`"
		}
		if p.Signal {
			holds += ", or null when unknown"
		}
		must := "no"
		if p.Required {
			must = "yes"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s | %s |\n", p.Name, holds, must, p.Description)
	}
}

func writeReasons(out *strings.Builder, gate engine.Gate) {
	rank := func(c engine.Check) int {
		if c.Reason == engine.ReasonInvalidInput {
			return -1
		}
		return slices.Index(gate.Precedence, c.Reason)
	}
	checks := slices.Clone(gate.Checks)
	slices.SortStableFunc(checks, func(a, b engine.Check) int { return cmp.Compare(rank(a), rank(b)) })
	fmt.Fprintf(out, "\n## Reasons\n\nIn the order of `%s.precedence` as it is shipped: the first that is violated is the reason.\n\n", gate.Name)
	out.WriteString("| reason | violated when | what to do | thresholds |\n|---|---|---|---|\n")
	for _, c := range checks {
		fmt.Fprintf(out, "| `%s` | %s. %s | `%s`: %s | %s |\n", c.Reason, c.Title, c.Description, c.Action, gate.Actions[c.Action], quoted(c.Thresholds))
	}
	out.WriteString("\nIt admits when none is violated, by the first of these:\n\n| reason | when | what to do | thresholds |\n|---|---|---|---|\n")
	for _, way := range gate.Admits {
		fmt.Fprintf(out, "| `%s` | %s | `%s`: %s | %s |\n", way.Reason, strings.Join(way.When, "; "), way.Action, gate.Actions[way.Action], quoted(way.Thresholds))
	}
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return strings.Join(all, ", ")
}

func writeThresholds(out *strings.Builder, program *engine.Program, gate engine.Gate) {
	out.WriteString("\n## Thresholds\n\n| threshold | shipped | holds | what it is |\n|---|---|---|---|\n")
	for _, declared := range program.Declared(gate.Name) {
		fmt.Fprintf(out, "| `%s` | %s | %s | %s |\n", declared.Path, shippedAs(declared), declared.Holds, declared.Description)
	}
	out.WriteString("\n")
}

// shippedAs is the value of a threshold, or that of each class or plane that has one.
func shippedAs(declared engine.Threshold) string {
	var values []string
	before, after, computed := strings.Cut(declared.Path, ".*")
	for _, setting := range declared.Settings {
		value := valueOf(setting)
		if computed {
			value = strings.TrimSuffix(strings.TrimPrefix(setting.Path, before+"."), after) + " " + value
		}
		values = append(values, value)
	}
	if values == nil {
		return "not set"
	}
	return strings.Join(values, ", ")
}

func valueOf(setting thresholds.Setting) string {
	list, ok := setting.Value.([]any)
	if !ok {
		return fmt.Sprintf("`%v`", setting.Value)
	}
	if len(list) == 0 {
		return "an empty list"
	}
	return "the order above"
}

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// Every document in the docs is one.
func TestDocumentsInDocsAreValid(t *testing.T) {
	count := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range jsonBlock.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(block[1], `"gate"`) && !strings.Contains(block[1], `"subagent"`) {
				count++
				_, err := inputs.Decode([]byte(block[1]), inputs.Source{File: page})
				require.NoError(t, err)
			}
		}
	}
	require.GreaterOrEqual(t, count, 5)
}

// The published schemas are those of the shipped policies and of the decision log, and no others.
func TestPublishedSchemasAreThoseOfThePolicies(t *testing.T) {
	published := shipped(t).Published()
	published["record.schema.json"] = journal.Schema()
	for name, text := range published {
		check(t, filepath.Join("schemas", name), string(text))
	}
	files, err := filepath.Glob(filepath.Join("schemas", "*"))
	require.NoError(t, err)
	require.Len(t, files, len(published))
}
