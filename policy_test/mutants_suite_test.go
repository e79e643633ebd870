package policy_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

// suite is everything that can kill a mutant, read and parsed once.
type suite struct {
	texts   map[string]string      // every policy file
	modules map[string]*ast.Module // those of them that are Rego
	tests   map[string]*ast.Module // Rego tests
	cases   []caseSet              // fixtures, a set an overlay, the one without first
	rows    []caseSet              // the same of boundary_test.go
	judge   judge
}

// caseSet are cases under one set of thresholds.
type caseSet struct {
	overlay thresholds
	store   storage.Store // the shipped thresholds under the overlay
	cases   []mutantCase
}

// mutantCase is a document and its decision, as OPA takes and gives them.
type mutantCase struct {
	name, gate  string
	input, want ast.Value
}

const guardPackage, guardFile, thresholdsFile = "guard", "guard/guard.rego", "thresholds.yaml"

func newSuite(t *testing.T) *suite {
	s := &suite{texts: map[string]string{}, modules: map[string]*ast.Module{}, tests: map[string]*ast.Module{}}
	err := fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() || path.Ext(name) == ".table" { // what the policies come to is not what they say
			return nil
		}
		text, err := fs.ReadFile(policies.Files, name)
		s.texts[name] = string(text)
		if strings.HasSuffix(name, ".rego") {
			s.modules[name], err = parseRego(name, string(text))
		}
		return err
	})
	require.NoError(t, err)
	tests, err := filepath.Glob("*_test.rego")
	require.NoError(t, err)
	require.NotEmpty(t, tests)
	for _, file := range tests {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s.tests[file], err = parseRego(file, string(text))
		require.NoError(t, err)
	}
	fixtureSets(t, func(_, _, overlay string, fixtures []fixture) {
		set := s.setOf(overlay)
		for _, f := range fixtures {
			set.cases = append(set.cases, mutantCase{f.file, f.gate, valueOf(t, f.text), decisionValue(t, f.want)})
		}
		s.cases = append(s.cases, set)
	})
	for _, row := range boundaryRows() {
		set := s.setOf(row.overlay)
		set.cases = []mutantCase{{row.name, row.want.Gate, valueOf(t, textOf(t, row.doc)), decisionValue(t, row.want)}}
		s.rows = append(s.rows, set)
	}
	return s
}

func (s *suite) setOf(overlay string) caseSet {
	tree := parseTree(overlay)
	return caseSet{overlay: tree, store: storeOf(overlaid(parseTree(s.texts[thresholdsFile]), tree))}
}

// gateOf is the gate that a file belongs to; the guards belong to all.
func (s *suite) gateOf(file string) string {
	return strings.TrimPrefix(s.modules[file].Package.Path.String(), "data.admission.")
}

// gatesOf are the gates that a mutant can touch.
func (s *suite) gatesOf(m mutant) []string {
	if m.file == thresholdsFile {
		return slices.DeleteFunc(gates(), func(gate string) bool {
			owner, _, _ := strings.Cut(gate, ".")
			top, _, _ := strings.Cut(m.name, ".")
			readers := map[string]string{"fence": "fence", "compaction": "compaction", "classes": "fanout", "fanout": "fanout"}
			return readers[top] != "" && readers[top] != owner
		})
	}
	if gate := s.gateOf(m.file); gate != guardPackage {
		return []string{gate}
	}
	return gates()
}

// patient is a mutant in the suite's hands.
type patient struct {
	s      *suite
	m      mutant
	module *ast.Module // the mutated module, nil where thresholds are
	base   thresholds  // the mutated thresholds, nil where a module is
	gates  []string    // that it can touch

	compiler *ast.Compiler
	program  *engine.Program
}

// Verdicts, in the order in which they are tried.
const (
	atLoad      = "load"
	byFixtures  = "fixtures"
	byRegoTests = "Rego tests"
	byRows      = "rows"
	byJudge     = "generated"
	survives    = "survives"
)

// try gives the first that kills a mutant, and how. What is cheap comes first: OPA's compiler, the fixtures, then our
// own load, which compiles the schemas, then the rest.
func (s *suite) try(m mutant, judged bool) (verdict, how string) {
	p := s.admit(m)
	for _, stage := range []struct {
		verdict string
		kill    func() string
	}{
		{atLoad, p.compile},
		{byFixtures, func() string { return p.decide(s.cases) }},
		{byRows, func() string { return p.decide(s.rows) }},
		{atLoad, p.load},
		{byRegoTests, func() string { return p.regoTests(quickTests) }},
		{byRegoTests, func() string { return p.regoTests(slowTests) }},
		{byJudge, func() string { return s.judge.differs(p) }},
	} {
		if stage.verdict == byJudge && !judged {
			break
		}
		if how := stage.kill(); how != "" {
			return stage.verdict, how
		}
	}
	return survives, ""
}

// admit takes a mutant in.
func (s *suite) admit(m mutant) *patient {
	return &patient{s: s, m: m, gates: s.gatesOf(m)}
}

// compile compiles what the mutant can touch, as stock OPA does.
func (p *patient) compile() string {
	if p.m.file == thresholdsFile {
		if how := p.load(); how != "" {
			return how // thresholds are read by the engine before anything is decided
		}
		p.base = parseTree(p.m.text)
	} else {
		module, err := parseRego(p.m.file, p.m.text)
		if err != nil {
			return err.Error()
		}
		p.module = module
	}
	p.compiler = ast.NewCompiler()
	if p.compiler.Compile(p.touched()); p.compiler.Failed() {
		return p.compiler.Errors.Error()
	}
	return ""
}

// touched are the mutated module and those that are decided with it.
func (p *patient) touched() map[string]*ast.Module {
	modules := map[string]*ast.Module{}
	for name, module := range p.s.modules {
		if gate := p.s.gateOf(name); gate == guardPackage || slices.Contains(p.gates, gate) {
			modules[name] = module
		}
	}
	if p.module != nil {
		modules[p.m.file] = p.module
	}
	return modules
}

// load has the engine load the mutant, once.
func (p *patient) load() string {
	if p.program != nil {
		return ""
	}
	files := p.s.files()
	files[p.m.file] = &fstest.MapFile{Data: []byte(p.m.text)}
	var err error
	if p.program, err = engine.Compile(context.Background(), files); err != nil {
		return err.Error()
	}
	for _, evaluator := range p.program.Evaluators() {
		if errors.Is(evaluator.Why, engine.ErrDisagreement) {
			panic(evaluator.Why) // a table that is not what its rules say is no mutant's fault
		}
	}
	return ""
}

// files are the policies as a directory.
func (s *suite) files() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range s.texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}
