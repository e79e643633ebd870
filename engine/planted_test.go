package engine_test

import (
	"flag"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

// fault is one line of the shipped policies, broken in one slip.
type fault struct {
	slip
	file  string
	index int // of the line, from 0
	text  string
}

// line is where the fault must be told, from 1; 0 is anywhere in the file.
func (f fault) line() int {
	if f.after < 0 {
		return 0
	}
	return f.index + 1 + f.after
}

func (f fault) String() string {
	return fmt.Sprintf("%s at policies/%s:%d: %s", f.kind, f.file, f.index+1, strings.TrimSpace(f.text))
}

// slip breaks a line wherever its pattern fits.
type slip struct {
	kind    string
	in      string // a pattern of file names
	pattern string
	broken  string
	after   int  // lines between the broken one and the one where it is told; negative is anywhere in the file
	warns   bool // it is a warning
	alone   bool
}

// slips are how people break policies, by slips of the finger and by good intentions.
func slips() []slip {
	const yaml, rego, gate = `\.yaml$`, `\.rego$`, `(fence|retry|bind|compaction|fanout|document)\.rego$`
	return []slip{
		{kind: "a threshold is misspelt", in: yaml, pattern: `^( +[a-z]+)_([a-z_]+: [0-9a-z].*)$`, broken: "${1}__$2"},
		{kind: "a number is quoted", in: yaml, pattern: `^( +[a-z_]+: )([0-9]+)$`, broken: `$1"$2"`},
		{kind: "a number is grouped", in: yaml, pattern: `^( +[a-z_]+: [0-9])([0-9]+)$`, broken: "${1}_$2"},
		{kind: "a number is a fraction", in: yaml, pattern: `^( +[a-z_]+: [0-9]+)$`, broken: "$1.5"},
		{kind: "a number is out of range", in: yaml, pattern: `^( +[a-z_]+: )[0-9]+$`, broken: "${1}1099511627777"},
		{kind: "a value is gone", in: yaml, pattern: `^( +[a-z_]+:) [0-9a-z]+$`, broken: "$1"},
		{kind: "a switch is a word of YAML 1.1", in: yaml, pattern: `^( +[a-z_]+: )(true|false)$`, broken: "${1}yes"},
		{kind: "an anchor", in: yaml, pattern: `^( +[a-z_]+: )([0-9]+)$`, broken: "$1&limit $2"},
		{kind: "a threshold is set twice", in: yaml, pattern: `^( +[a-z_]+: [0-9]+)$`, broken: "$1\n$1", after: 1},
		{kind: "a tab", in: yaml, pattern: `^ +([a-z_]+: [0-9]+)$`, broken: "\t$1", alone: true},
		{kind: "a reason that no check has", in: yaml, pattern: `^( +- )([a-z_]+)$`, broken: "${1}x$2", warns: true},
		{kind: "a limit that admits nothing", in: yaml, pattern: `^( +(?:depth_limit|token_ceiling|tokens_per_success_est): )[0-9]+$`, broken: "${1}0", warns: true},
		{kind: "a switch that rejects everything", in: yaml, pattern: `^( +enabled: )true$`, broken: "${1}false", warns: true},

		{kind: "a field is misspelt", in: gate, pattern: `^([a-z_]+ .*input\.[a-z_.]*[a-z])([ )].*|$)`, broken: "${1}x$2"},
		{kind: "a threshold is misspelt in a rule", in: gate, pattern: `^([^#]*data\.(?:fence|compaction|fanout)\.[a-z_]+)(\b.*)$`, broken: "${1}x$2"},
		{kind: "a bare comparison", in: gate, pattern: `^(.*)guard\.(?:less|at_most)\(([a-z_]+), ([a-z_.]+)\)(.*)$`, broken: "$1$2 < $3$4"},
		{kind: "two values compared as they are", in: gate, pattern: `^(.*)guard\.(?:same|alike)\(([a-z_]+), ([a-z_.]+)\)(.*)$`, broken: "$1$2 == $3$4"},
		{kind: "a guard is misspelt", in: gate, pattern: `^([a-z_]+ .*guard\.[a-z_]+)(\(.*)$`, broken: "${1}x$2"},
		{kind: "a rule that is not there", in: gate, pattern: `^(violated contains .* if not [a-z_]+)$`, broken: "${1}x"},
		{kind: "a row that does not negate", in: gate, pattern: `^(violated contains .* if) not ([a-z_]+)$`, broken: "$1 $2"},
		{kind: "a row whose head reads input", in: gate, pattern: `^violated contains rego\.metadata\.rule\(\)\.custom (if not [a-z_]+)$`, broken: `violated contains {"reason": "r", "action": input.gate} $1`},
		{kind: "a row without a reason", in: gate, pattern: `^#   reason: [a-z_]+$`, broken: "#   because: x", after: 2},
		{kind: "a row without an action", in: gate, pattern: `^#   action: [a-z_]+$`, broken: "#   do: nothing", after: 1},
		{kind: "a reason that is no word", in: gate, pattern: `^(#   reason: [a-z_]+)$`, broken: "$1 !", after: 2},
		{kind: "an observed value of no check", in: gate, pattern: `^(observed\["[a-z_]+)("\] := .*)$`, broken: "${1}x$2"},
		{kind: "a limit of no check", in: gate, pattern: `^(limit\["[a-z_]+)("\] := .*)$`, broken: "${1}x$2"},
		{kind: "a default that guesses", in: gate, pattern: `^(default [a-z_]+ := )null$`, broken: "${1}0"},
		{kind: "a rule that nothing reads", in: gate, pattern: `^(violated)( contains .* if not [a-z_]+)$`, broken: "${1}_$2"},
		{kind: "the clock", in: gate, pattern: `^([a-z_]+ if )(guard\..*\))$`, broken: "$1{ $2; time.now_ns() == 0 }"},
		{kind: "randomness", in: gate, pattern: `^([a-z_]+ if )(guard\..*\))$`, broken: `$1{ $2; rand.intn("a", 2) == 0 }`},
		{kind: "with", in: gate, pattern: `^([a-z_]+ if guard\..*\))$`, broken: `$1 with input.gate as "a"`},
		{kind: "object.get on input", in: gate, pattern: `^([a-z_]+ := )input\.([a-z_]+)( .*)?$`, broken: `${1}object.get(input, "$2", 0)$3`},
		{kind: "a parenthesis is gone", in: gate, pattern: `^([a-z_]+ if guard\..*)\)$`, broken: "$1", alone: true, after: -1},
		{kind: "an if is gone", in: gate, pattern: `^([a-z_]+) if (guard\..*)$`, broken: "$1 $2", alone: true},
		{kind: "a built-in that is none", in: gate, pattern: `^([a-z_]+ if )guard\.[a-z_]+\((.*)$`, broken: "${1}no_such($2"},
		{kind: "a default that admits", in: gate, pattern: `^(default decision := \{)$`, broken: "default decision := {\"admit\": true} \n\nspare := {", alone: true},
		{kind: "an import that is not used", in: rego, pattern: `^(import data\.admission\.guard)$`, broken: "$1\nimport data.compaction", after: 1},
		{kind: "a rule without METADATA", in: `document\.rego$`, pattern: `^# title: .*[a-z]$`, broken: "# organizations: [a]", warns: true, after: -1},
		{kind: "an action that nothing explains", in: `document\.rego$`, pattern: `^(#     [a-z_]+)(: [A-Z].*\.)$`, broken: "${1}x$2", warns: true},
		{kind: "a property that documents are not held to", in: `document\.rego$`, pattern: `^(#         [a-z_]+: \{type: string.*)(, description.*)$`, broken: "$1, pattern: a$2"},
		{kind: "a range of a core gate's field", in: `document\.rego$`, pattern: `^(#           maximum: [0-9]+)$`, broken: "${1}0", after: -1},
	}
}

// faults enumerates every line that a slip fits, spread over the files: no more than most of each.
func faults(t *testing.T, most int) []fault {
	t.Helper()
	shipped := edited(t, "", "", "")
	var all []fault
	for _, slip := range slips() {
		pattern, in := regexp.MustCompile(slip.pattern), regexp.MustCompile(slip.in)
		var fits []fault
		for _, name := range slices.Sorted(maps.Keys(shipped)) {
			if !in.MatchString(path.Base(name)) || strings.HasPrefix(name, "guard") && slip.in != `\.rego$` {
				continue
			}
			for i, line := range strings.Split(string(shipped[name].Data), "\n") {
				if !pattern.MatchString(line) {
					continue
				}
				fits = append(fits, fault{slip, name, i, pattern.ReplaceAllString(line, slip.broken)})
			}
		}
		require.NotEmpty(t, fits, slip.kind)
		for i := range min(most, len(fits)) {
			all = append(all, fits[i*len(fits)/min(most, len(fits))])
		}
	}
	return all
}

// plant breaks lines of the shipped policies.
func plant(t *testing.T, all ...fault) fstest.MapFS {
	t.Helper()
	files := edited(t, "", "", "")
	for _, f := range all {
		lines := strings.Split(string(files[f.file].Data), "\n")
		lines[f.index] = f.text
		files[f.file].Data = []byte(strings.Join(lines, "\n"))
	}
	return files
}

func inspect(t *testing.T, files fstest.MapFS) engine.Report {
	t.Helper()
	report, err := engine.Inspect(t.Context(), files)
	require.NoError(t, err)
	return report
}

// told reports whether a report tells of a fault at its place, as the problem or the warning that it is.
func (f fault) told(report engine.Report) bool {
	list := report.Problems
	if f.warns {
		list = report.Warnings
	}
	return slices.ContainsFunc(list, func(p engine.Problem) bool {
		return p.File == "policies/"+f.file && p.Line > 0 && (p.Line == f.line() || f.line() == 0)
	})
}

func TestNothingIsWrongWithTheShippedPolicies(t *testing.T) {
	report, err := engine.Inspect(t.Context(), policies.Files)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.Empty(t, report.Warnings)
	require.NotNil(t, report.Program)
	require.Equal(t, report.Program.Thresholds(), report.Thresholds)
}

var planted = flag.Int("planted", 2, "how many faults of each slip are planted alone")

// Every fault alone is told on its line; what is no warning keeps the policies from loading.
func TestEveryPlantedFaultIsTold(t *testing.T) {
	all := faults(t, *planted)
	require.Greater(t, len(all), 60)
	for _, f := range all {
		t.Run(strings.ReplaceAll(f.String(), "/", "|"), func(t *testing.T) {
			t.Parallel()
			report := inspect(t, plant(t, f))
			require.True(t, f.told(report), "%s\n%v\n%v", f, report.Problems, report.Warnings)
			require.Equal(t, f.warns, report.Program != nil, "%v", report.Problems)
		})
	}
}

// Forty and more faults at once are told at once, each on its line.
func TestPlantedFaultsAreToldTogether(t *testing.T) {
	const apart = 8 // lines, so that each is in a rule of its own
	var all []fault
	for _, f := range faults(t, 6) {
		near := func(other fault) bool {
			return other.file == f.file && max(f.index-other.index, other.index-f.index) < apart
		}
		if !f.alone && f.after >= 0 && !strings.Contains(f.text, "\n") && !slices.ContainsFunc(all, near) {
			all = append(all, f)
		}
	}
	require.GreaterOrEqual(t, len(all), 40)
	report := inspect(t, plant(t, all...))
	var untold []string
	for _, f := range all {
		if !f.told(report) {
			untold = append(untold, f.String())
		}
	}
	require.Empty(t, untold, "of %d\n%v", len(all), report.Problems)
	t.Logf("%d faults of %d planted at once, %d problems and %d warnings told", len(all)-len(untold), len(all), len(report.Problems), len(report.Warnings))
}
