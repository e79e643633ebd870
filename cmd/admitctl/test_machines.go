package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

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
