package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/tester"

	"github.com/admitctl/admitctl/inputs"
)

// Tester is a set of policies under test: it decides documents, runs Rego tests, and keeps what both have covered. It is
// for one goroutine.
type Tester struct {
	Program *Program
	options *options
	files   *snapshot
	source  *source
	store   storage.Store
	cover   *cover.Cover
}

// NewTester loads policies as [Compile] does, with its errors.
func NewTester(ctx context.Context, files fs.FS, opts ...Option) (*Tester, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return newTester(ctx, take(files, o.root), o, cover.New(), nil)
}

// Overlaid is the same policies under more thresholds; it adds to the same coverage.
func (t *Tester) Overlaid(ctx context.Context, opts ...Option) (*Tester, error) {
	o := *t.options
	o.overlays = slices.Clone(o.overlays)
	for _, option := range opts {
		option(&o)
	}
	return newTester(ctx, t.files, &o, t.cover, t.Program.rules)
}

func newTester(ctx context.Context, files *snapshot, o *options, covered *cover.Cover, known *rules) (*Tester, error) {
	l := newLoading(files, o, known)
	program, err := l.finish(ctx)
	if err != nil {
		return nil, err
	}
	return &Tester{program, o, files, l.source, newStore(l.tree), covered}, nil
}

// Decide is what OPA decides, and counts what that covers. Where the gate has a table, it must decide alike: if it does
// not, or did not when the policies were loaded, the error is an [ErrDisagreement] with both decisions.
func (t *Tester) Decide(ctx context.Context, document inputs.Document) (Decision, error) {
	var decision Decision
	gate, document, err := t.Program.open(ctx, document, &decision)
	if err != nil {
		return decision, err
	}
	decision, err = t.Program.ask(ctx, gate, document, rego.EvalQueryTracer(t.cover))
	switch {
	case errors.Is(gate.why, ErrDisagreement):
		return decision, gate.why
	case gate.table == nil || errors.Is(err, ErrTimeout):
		return decision, err
	}
	if _, wrong := held(gate, document, decision); wrong != nil {
		return decision, wrong
	}
	return decision, err
}

// RegoTest is the outcome of one test rule.
type RegoTest struct {
	Name    string // "data.admission.fanout_test.test_depth_at_limit"
	File    string
	Line    int // from 1
	Passed  bool
	Skipped bool          // its name begins with todo_
	Err     error         // the test could not be evaluated, or ran out of time
	Cases   int           // of a test with named cases; else 0
	Failed  []string      // the cases that failed
	Output  string        // what it printed
	Took    time.Duration // of evaluation
}

// TestFile is a file of Rego tests.
type TestFile struct {
	Name string
	Text []byte
}

// Run runs the tests of files, those whose names match a regular expression if it is not empty, and gives their
// outcomes in the order of files and lines. limit is the most that one test may take. Tests may call every built-in of
// OPA. A file that does not parse or compile is a *[LoadError].
func (t *Tester) Run(ctx context.Context, files []TestFile, pattern string, limit time.Duration) ([]RegoTest, error) {
	found := &problems{texts: map[string][]byte{}}
	modules := map[string]*ast.Module{}
	for name, module := range t.source.modules {
		modules[name] = module
	}
	for _, file := range files {
		found.texts[file.Name] = file.Text
		module, err := ast.ParseModuleWithOpts(file.Name, string(file.Text), ast.ParserOptions{RegoVersion: ast.RegoV1, ProcessAnnotation: true})
		switch {
		case err != nil:
			found.addRego(err)
		case module == nil:
			found.add(Problem{File: file.Name, Problem: "the file is empty", Mend: "remove it", Kind: ErrRego})
		default:
			t.keepApart(module, found)
			modules[file.Name] = module
		}
	}
	if len(found.list) > 0 {
		return nil, &LoadError{Problems: found.told()}
	}
	txn, err := t.store.NewTransaction(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEvaluation, err)
	}
	defer t.store.Abort(ctx, txn)
	compiler := ast.NewCompiler().WithEnablePrintStatements(true).SetErrorLimit(0)
	runner := tester.NewRunner().SetCompiler(compiler).SetDefaultRegoVersion(ast.RegoV1).SetStore(t.store).SetModules(modules).CapturePrintOutput(true).
		SetTimeout(limit).Filter(pattern).SetCoverageQueryTracer(t.cover)
	results, err := runner.RunTests(ctx, txn)
	var refused ast.Errors
	switch {
	case errors.As(err, &refused):
		found.addRego(refused)
		return nil, &LoadError{Problems: found.told()}
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrEvaluation, err)
	}
	return collect(results), nil
}

// renamed is what OPA appends to tests of one name, in an order that differs from run to run; file and line tell them
// apart.
var renamed = regexp.MustCompile(`#[0-9]+$`)

// keepApart refuses a test that adds to a rule of the policies, which then are not the ones that are tested.
func (t *Tester) keepApart(module *ast.Module, found *problems) {
	rules := bodiesOf(t.source, packageName(module))
	for _, rule := range module.Rules {
		if rules[ruleName(rule)] != nil {
			found.add(Problem{File: rule.Location.File, Line: rule.Location.Row, Column: rule.Location.Col, Problem: fmt.Sprintf("a test that adds to the rule %s of the policies", ruleName(rule)), Mend: "give it another name, or the test a package of its own", Kind: ErrRego})
		}
	}
}

// collect waits for all outcomes.
func collect(results chan *tester.Result) []RegoTest {
	var all []RegoTest
	for result := range results {
		test := RegoTest{
			Name: result.Package + "." + renamed.ReplaceAllString(result.Name, ""), File: result.Location.File, Line: result.Location.Row,
			Passed: result.Pass(), Skipped: result.Skip, Err: result.Error, Output: string(result.Output), Took: result.Duration,
		}
		test.addCases("", result.SubResults)
		all = append(all, test)
	}
	slices.SortFunc(all, func(a, b RegoTest) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// addCases counts the cases of a test, which nest, and names those that failed.
func (r *RegoTest) addCases(path string, cases tester.SubResultMap) {
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		own := cases[name]
		switch {
		case len(own.SubResults) > 0:
			r.addCases(path+name+"/", own.SubResults)
			continue
		case own.Fail:
			r.Failed = append(r.Failed, path+name)
		}
		r.Cases++
	}
}

// Coverage is what decisions and tests have evaluated of one package.
type Coverage struct {
	Package             string      // "admission.fanout"
	Rules, CoveredRules int         // a rule of two bodies counts twice
	Lines, CoveredLines int         // that hold a rule's head or an expression
	Uncovered           []Uncovered // in the order of files and lines
}

// Uncovered is a rule of which something was never evaluated.
type Uncovered struct {
	Rule  string // its name
	File  string
	Lines []int // from 1
}

// Coverage tells what has been covered so far, by package and sorted by its name.
func (t *Tester) Coverage() []Coverage {
	report := t.cover.Report(t.source.modules)
	packages := map[string]*Coverage{}
	for _, name := range moduleNames(t.source) {
		module, file := t.source.modules[name], report.Files[name]
		own := packages[packageName(module)]
		if own == nil {
			own = &Coverage{Package: packageName(module)}
			packages[own.Package] = own
		}
		own.Lines += file.CoveredLines + file.NotCoveredLines
		own.CoveredLines += file.CoveredLines
		own.add(name, module.Rules, file.NotCovered)
	}
	var all []Coverage
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		all = append(all, *packages[name])
	}
	return all
}

// add counts the rules of a file, and names those in which there are lines that were not covered.
func (c *Coverage) add(file string, rules []*ast.Rule, notCovered []cover.Range) {
	missing := map[*ast.Rule][]int{}
	for _, part := range notCovered {
		for row := part.Start.Row; row <= part.End.Row; row++ {
			if rule := ruleAt(rules, row); rule != nil && !slices.Contains(missing[rule], row) {
				missing[rule] = append(missing[rule], row)
			}
		}
	}
	c.Rules += len(rules)
	c.CoveredRules += len(rules) - len(missing)
	for _, rule := range rules {
		if missing[rule] != nil {
			c.Uncovered = append(c.Uncovered, Uncovered{Rule: ruleName(rule), File: file, Lines: missing[rule]})
		}
	}
}

// ruleAt is the rule that a line belongs to.
func ruleAt(rules []*ast.Rule, row int) *ast.Rule {
	var found *ast.Rule
	for _, rule := range rules {
		if rule.Location.Row <= row && (found == nil || rule.Location.Row >= found.Location.Row) {
			found = rule
		}
	}
	return found
}

// IsTest reports whether a file of this name holds Rego tests, which no load of policies reads.
func IsTest(name string) bool { return strings.HasSuffix(name, "_test.rego") }
