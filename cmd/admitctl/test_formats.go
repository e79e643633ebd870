package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

func testFormats() []string { return []string{"pretty", "json", "junit"} }

// testResults is everything that test has to tell.
type testResults struct {
	policies, base string // how the policies are called; base is empty where there is no BASE
	revision       string
	rego           []engine.RegoTest
	refused        error // of the Rego tests
	fixtures       []fixtureResult
	alone          []string
	coverage       []engine.Coverage
}

// counts are the tests that ran; what was skipped did not.
func (r *testResults) counts() (passed, failed int) {
	for _, t := range r.rego {
		switch {
		case t.Passed:
			passed++
		case !t.Skipped:
			failed++
		}
	}
	for _, f := range r.fixtures {
		if f.wrong == nil {
			passed++
		} else {
			failed++
		}
	}
	return passed, failed
}

func (r *testResults) write(out output, c *common) error {
	switch c.format {
	case "json":
		return encodeJSON(out, r.json())
	case "junit":
		return r.junit(out)
	}
	_, err := io.WriteString(out, r.pretty(out.style, c.verbose, c.quiet))
	return err
}

// problem says why a Rego test failed, "" where it did not.
func problem(t engine.RegoTest) string {
	switch {
	case t.Passed, t.Skipped:
		return ""
	case t.Err != nil:
		return t.Err.Error()
	}
	if len(t.Failed) > 0 {
		return fmt.Sprintf("%d of %s failed: %s", len(t.Failed), count(t.Cases, "case"), strings.Join(t.Failed, ", "))
	}
	return "not true"
}

// pretty is what failed, what flips, and what it comes to; with -v what passed too.
func (r *testResults) pretty(s style, verbose, quiet bool) string {
	text := &strings.Builder{}
	skipped := 0
	for _, t := range r.rego {
		place := fmt.Sprintf("%s:%d", inputs.PrintableName(t.File), t.Line)
		switch {
		case t.Skipped:
			skipped++
			fmt.Fprintf(text, "%sSKIP%s  %s: %s\n", s.warn, s.reset, place, t.Name)
		case !t.Passed:
			fmt.Fprintf(text, "%sFAIL%s  %s: %s: %s\n", s.bad, s.reset, place, t.Name, inputs.Printable(problem(t)))
			text.WriteString(indented(t.Output))
		case verbose:
			fmt.Fprintf(text, "%sPASS%s  %s: %s\n", s.good, s.reset, place, t.Name)
		}
	}
	for _, f := range r.fixtures {
		switch {
		case f.wrong != nil && f.flip != nil: // which tells what is wrong
			fmt.Fprintf(text, "%sFAIL%s  %s\n", s.bad, s.reset, inputs.PrintableName(f.file))
		case f.wrong != nil:
			fmt.Fprintf(text, "%sFAIL%s  %s\n%s", s.bad, s.reset, inputs.PrintableName(f.file), indented(strings.Join(f.wrong, "\n")))
		case verbose:
			fmt.Fprintf(text, "%sPASS%s  %s: %s\n", s.good, s.reset, inputs.PrintableName(f.file), inShort(f.decision))
		}
	}
	if r.base != "" {
		text.WriteString(r.flips(s))
	}
	if quiet {
		return text.String()
	}
	few := 10
	if r.base != "" {
		few = 0 // flips are what was asked for
	}
	r.writeCoverage(text, few, verbose)
	passed, failed := r.counts()
	fmt.Fprintf(text, "%s: %s, %s; %d passed, %d failed", r.policies, count(len(r.rego)-skipped, "Rego test"), count(len(r.fixtures), "fixture"), passed, failed)
	if skipped > 0 {
		fmt.Fprintf(text, ", %d skipped", skipped)
	}
	if len(r.alone) > 0 {
		fmt.Fprintf(text, ", %s without a wanted decision", count(len(r.alone), "document"))
	}
	text.WriteString("\n")
	return text.String()
}

func indented(output string) string {
	var text strings.Builder
	for line := range strings.Lines(output) {
		text.WriteString("      " + inputs.Printable(strings.TrimRight(line, "\n")) + "\n")
	}
	return text.String()
}

// flips lists the fixtures that BASE decides otherwise, those first that it admits and HEAD does not, or the other way.
func (r *testResults) flips(s style) string {
	text := &strings.Builder{}
	flips, admissions := 0, 0
	list := func(admission bool) {
		for _, f := range r.fixtures {
			if f.flip != nil && f.flip.admits() == admission {
				flips++
				fmt.Fprintf(text, "%sFLIP%s  %s: %s\n", s.warn, s.reset, inputs.PrintableName(f.file), inputs.Printable(f.flip.String()))
			}
		}
	}
	list(true)
	admissions = flips
	list(false)
	fmt.Fprintf(text, "from %s to %s %d of %s flip, %d of them between admit and reject\n", r.base, r.policies, flips, count(len(r.fixtures), "fixture"), admissions)
	return text.String()
}

// writeCoverage tells how many rules of each package were evaluated, and which were not, if they are few or with -v.
// Packages of which nothing ran are no gap but another subject.
func (r *testResults) writeCoverage(text *strings.Builder, few int, verbose bool) {
	var shares, idle []string
	var gaps []engine.Uncovered
	whole, rules, lines := true, 0, 0
	for _, c := range r.coverage {
		name := strings.TrimPrefix(c.Package, "admission.")
		if c.CoveredLines == 0 {
			idle = append(idle, name)
			continue
		}
		rules, lines = rules+c.Rules, lines+c.Lines
		whole = whole && c.CoveredRules == c.Rules
		shares = append(shares, fmt.Sprintf("%s %d of %s", name, c.CoveredRules, count(c.Rules, "rule")))
		gaps = append(gaps, c.Uncovered...)
	}
	if len(gaps) > few && !verbose {
		fmt.Fprintf(text, "not covered: %s, which -v lists\n", count(len(gaps), "rule"))
	} else {
		for _, u := range gaps {
			fmt.Fprintf(text, "not covered: %s:%s: %s\n", inputs.PrintableName(u.File), lineList(u.Lines), u.Rule)
		}
	}
	if whole {
		shares = []string{fmt.Sprintf("all %s on %s", count(rules, "rule"), count(lines, "line"))}
	}
	if len(shares) > 0 {
		fmt.Fprintf(text, "coverage: %s", strings.Join(shares, ", "))
		if len(idle) > 0 {
			fmt.Fprintf(text, "; nothing of %s ran", strings.Join(idle, ", "))
		}
		text.WriteString("\n")
	}
}

// lineList writes lines as a compiler would: 3,7-9.
func lineList(lines []int) string {
	var all []string
	for i := 0; i < len(lines); {
		end := i
		for end+1 < len(lines) && lines[end+1] == lines[end]+1 {
			end++
		}
		if end > i {
			all = append(all, fmt.Sprintf("%d-%d", lines[i], lines[end]))
		} else {
			all = append(all, strconv.Itoa(lines[i]))
		}
		i = end + 1
	}
	return strings.Join(all, ",")
}

// testJSON is what test -f json prints.
type testJSON struct {
	Policies  string         `json:"policies"`
	Base      string         `json:"base,omitempty"`
	Revision  string         `json:"revision"`
	Passed    int            `json:"passed"`
	Failed    int            `json:"failed"`
	Skipped   int            `json:"skipped"`
	Rego      []regoJSON     `json:"rego"`
	Fixtures  []fixtureJSON  `json:"fixtures"`
	Documents []string       `json:"documents_without_want"`
	Coverage  []coverageJSON `json:"coverage"`
	Error     string         `json:"error,omitempty"`
}

type regoJSON struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Result string `json:"result"` // pass, fail or skip
	Error  string `json:"error,omitempty"`
	Output string `json:"output,omitempty"`
}

type fixtureJSON struct {
	File     string          `json:"file"`
	Overlays []string        `json:"overlays,omitempty"`
	Result   string          `json:"result"` // pass or fail
	Wrong    []string        `json:"wrong,omitempty"`
	Decision engine.Decision `json:"decision"`
	Flip     *flipJSON       `json:"flip,omitempty"`
}

// flipJSON is the decision of BASE, where that of HEAD is another.
type flipJSON struct {
	Base   engine.Decision `json:"base"`
	Change string          `json:"change"`
}

type coverageJSON struct {
	Package      string          `json:"package"`
	Rules        int             `json:"rules"`
	CoveredRules int             `json:"covered_rules"`
	Lines        int             `json:"lines"`
	CoveredLines int             `json:"covered_lines"`
	Uncovered    []uncoveredJSON `json:"uncovered"`
}

type uncoveredJSON struct {
	Rule  string `json:"rule"`
	File  string `json:"file"`
	Lines []int  `json:"lines"`
}

func (r *testResults) json() testJSON {
	j := testJSON{Policies: r.policies, Base: r.base, Revision: r.revision, Rego: []regoJSON{}, Fixtures: []fixtureJSON{}, Documents: append([]string{}, r.alone...)}
	j.Passed, j.Failed = r.counts()
	for _, t := range r.rego {
		result := "pass"
		switch {
		case t.Skipped:
			result = "skip"
			j.Skipped++
		case !t.Passed:
			result = "fail"
		}
		j.Rego = append(j.Rego, regoJSON{t.Name, t.File, t.Line, result, problem(t), t.Output})
	}
	for _, f := range r.fixtures {
		own := fixtureJSON{File: f.file, Overlays: f.overlays, Result: "pass", Wrong: f.wrong, Decision: f.decision}
		if f.wrong != nil {
			own.Result = "fail"
		}
		if f.flip != nil {
			own.Flip = &flipJSON{f.flip.before, f.flip.String()}
		}
		j.Fixtures = append(j.Fixtures, own)
	}
	for _, c := range r.coverage {
		own := coverageJSON{c.Package, c.Rules, c.CoveredRules, c.Lines, c.CoveredLines, []uncoveredJSON{}}
		for _, u := range c.Uncovered {
			own.Uncovered = append(own.Uncovered, uncoveredJSON(u))
		}
		j.Coverage = append(j.Coverage, own)
	}
	if r.refused != nil {
		j.Error = r.refused.Error()
	}
	return j
}

// junitResult escapes what XML has no way to say.
func junitResult(message, data string) *junit.Result {
	return &junit.Result{Message: inputs.Printable(message), Data: inputs.Printable(data)}
}

func seconds(took time.Duration) string { return fmt.Sprintf("%.6f", took.Seconds()) }

// junit is what continuous integration reads: a suite a file of Rego tests and a folder of fixtures.
func (r *testResults) junit(out io.Writer) error {
	all := junit.Testsuites{Name: "admitctl test"}
	var suite junit.Testsuite
	var took time.Duration
	flush := func() {
		if suite.Tests > 0 {
			suite.Time = seconds(took)
			all.AddSuite(suite)
		}
		suite, took = junit.Testsuite{}, 0
	}
	put := func(name string, own junit.Testcase, time time.Duration) {
		if name != suite.Name {
			flush()
		}
		suite.Name = name
		took += time
		own.Time = seconds(time)
		suite.AddTestcase(own)
	}
	for _, t := range r.rego {
		own := junit.Testcase{Name: t.Name, Classname: t.File}
		switch {
		case t.Skipped:
			own.Skipped = &junit.Result{Message: "todo"}
		case t.Err != nil:
			own.Error = junitResult(problem(t), fmt.Sprintf("%s:%d\n%s", t.File, t.Line, t.Output))
		case !t.Passed:
			own.Failure = junitResult(problem(t), fmt.Sprintf("%s:%d\n%s", t.File, t.Line, t.Output))
		}
		put(t.File, own, t.Took)
	}
	for _, f := range r.fixtures {
		own := junit.Testcase{Name: filepath.Base(f.file), Classname: filepath.Dir(f.file)}
		if f.wrong != nil {
			own.Failure = junitResult(f.wrong[0], strings.Join(append([]string{f.file}, f.wrong...), "\n"))
		}
		put(filepath.Dir(f.file), own, 0)
	}
	flush()
	if r.refused != nil {
		all.AddSuite(junit.Testsuite{Name: "Rego tests", Tests: 1, Errors: 1, Time: seconds(0), Testcases: []junit.Testcase{{Name: "load", Error: junitResult("the Rego tests do not run", r.refused.Error())}}})
	}
	return all.WriteXML(out)
}
