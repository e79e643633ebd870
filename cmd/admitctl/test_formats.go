package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

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
