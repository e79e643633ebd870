package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

// DefaultTimeout is how long one decision may take: far above the fraction of a millisecond that a gate needs, and
// below what a caller would wait.
const DefaultTimeout = time.Second

// proofTimeout is the least time that a gate has to prove, at load, that it rejects an empty document: what a service
// allows a decision says nothing about a busy machine that starts up.
const proofTimeout = 10 * time.Second

// Program is a set of gates and thresholds, checked and ready to decide. It never changes: a new set is a new Program.
type Program struct {
	gates     map[string]*gate
	core      coreGates
	described map[string]Gate
	schemas   map[string]*inputs.Schema // of the gates that operators added
	revision  string
	declared  *schemas
	tree      *thresholds.Tree
	data      []byte
	warnings  []Problem
	timeout   time.Duration
	rules     *rules
	whole     func() (*Program, error) // of a program that has tables alone; else nil
}

// gate is what decides the documents of one gate.
type gate struct {
	name  string
	query rego.PreparedEvalQuery
	table *table.Gate // nil where OPA decides
	why   error       // it has no table
}

// coreGates are found without a map.
type coreGates struct{ fence, retry, bind, compaction, fanout *gate }

// Option changes how [Compile] loads.
type Option func(*options)

type options struct {
	root     string
	overlays []overlay
	timeout  time.Duration
	tables   []byte // a table file that may be of these policies
}

type overlay struct {
	name string
	text []byte
}

// Named says how errors call the directory that files holds. The default is "policies".
func Named(root string) Option { return func(o *options) { o.root = root } }

// Overlay puts a file of thresholds (YAML or JSON, in the shape of thresholds.yaml) over those of the policies: what
// it leaves out keeps its value, and a list is replaced whole. Later overlays win.
func Overlay(name string, text []byte) Option {
	return func(o *options) { o.overlays = append(o.overlays, overlay{name, text}) }
}

// Timeout limits the time of one decision; it must be positive. The default is [DefaultTimeout].
func Timeout(limit time.Duration) Option { return func(o *options) { o.timeout = limit } }

// Compile loads the gates and thresholds that files holds, rooted as the folder policies is. It refuses whatever could
// make a decision wrong later with a *[LoadError] (an [ErrLoad]) that lists all that was found: rules that do not
// parse, compile or type-check against the schemas of their gates, call built-ins that gates do not have, or are not
// written so that they fail closed; gates without an entrypoint that always decides; thresholds that are missing,
// misspelt, of the wrong type or out of range.
func Compile(ctx context.Context, files fs.FS, opts ...Option) (*Program, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return compile(ctx, take(files, o.root), o)
}

func newOptions(opts []Option) (*options, error) {
	o := &options{root: "policies", timeout: DefaultTimeout}
	for _, option := range opts {
		option(o)
	}
	o.root = path.Clean(o.root) // however it is spelt, the revision is the same
	if o.timeout <= 0 {
		return nil, fmt.Errorf("%w: the time limit of a decision must be positive, not %s", ErrLoad, o.timeout)
	}
	return o, nil
}

// compile is [Compile] of files that are read already.
func compile(ctx context.Context, snap *snapshot, o *options) (*Program, error) {
	if program, ok := deferred(snap, o); ok {
		return program, nil
	}
	return newLoading(snap, o, nil).finish(ctx)
}

// finish gives the program, or a *LoadError.
func (l *loading) finish(ctx context.Context) (*Program, error) {
	program, err := l.run(ctx)
	if err != nil {
		return nil, err
	}
	if program == nil {
		return nil, &LoadError{Problems: l.found.told()}
	}
	program.warnings = slices.Concat(l.idle, warn(l.gates, l.tree, l.found.texts), program.disagreements(l.found.texts))
	return program, nil
}

// loading is one load: what was read, and what is wrong with it.
type loading struct {
	*options
	found  *problems
	source *source
	tree   *thresholds.Tree
	gates  map[string]Gate
	idle   []Problem // overlays that set nothing
	known  *rules    // of an earlier load, where they are these; else nil
	digest [sha256.Size]byte
}

// newLoading parses the files, and puts the thresholds together. Rules that are the known ones are not parsed again.
func newLoading(snap *snapshot, o *options, known *rules) *loading {
	l := &loading{options: o, found: &problems{texts: map[string][]byte{}}, digest: digestOf(snap)}
	if known != nil && known.digest == l.digest && len(snap.wrong) == 0 {
		l.known = known
	}
	l.source = load(snap, l.found, l.known)
	l.merge()
	return l
}

// merge puts the thresholds of the files and of the overlays together.
func (l *loading) merge() {
	l.tree = merge(l.source.root, l.source.data, l.found)
	for _, over := range l.overlays {
		parsed := l.found.parse(over.name, over.text)
		l.tree.Overlay(parsed)
		if len(parsed.Keys) == 0 && !parsed.Broken {
			l.idle = append(l.idle, Problem{File: over.name, Line: 1, Column: 1, Problem: "sets no threshold", Mend: "is it the file that you meant?", Kind: ErrThresholds})
		}
	}
}

// run checks everything, whatever else is wrong, and gives the program, or nil where something is. Its error is that of
// ctx: what was found until then may be for that alone.
func (l *loading) run(ctx context.Context) (*Program, error) {
	r := l.known
	if r == nil {
		r = l.rules()
	}
	sound := validateThresholds(l.source, r.declared, l.tree, l.found)
	l.gates = describeGates(l.source, l.tree, r.checks, r.documents)
	p := &Program{gates: map[string]*gate{}, described: l.gates, schemas: r.documents.schemas, declared: r.declared, tree: l.tree, timeout: l.timeout}
	if r.compiler != nil && sound {
		if err := p.seal(l.source, moduleNames(l.source), l.tree); err != nil {
			l.found.add(Problem{File: l.root, Problem: err.Error(), Kind: ErrThresholds})
		}
		p.prepare(ctx, l.source, r.compiler, l.tree, l.found)
		if len(l.found.list) == 0 {
			p.tabulate(ctx, r)
		}
	}
	if (r.compiler == nil || !sound) && len(l.found.list) == 0 { // whoever refuses says why; if not, it is refused all the same
		l.found.add(Problem{File: l.root, Problem: "the policies do not compile, and nothing says why", Mend: "report it, with these files", Kind: ErrRego})
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %w", ErrLoad, context.Cause(ctx))
	case len(l.found.list) > 0:
		return nil, nil
	}
	return p, nil
}

// rules reads, lints and compiles the rules.
func (l *loading) rules() *rules {
	r := &rules{digest: l.digest, source: l.source}
	lintPackages(l.source, l.found)
	r.declared = readSchemas(l.source, l.found)
	checkEntrypoints(l.source, r.declared, l.found)
	r.checks = readChecks(l.source)
	lint(l.source, r.checks, l.found)
	r.documents = readDocuments(l.source, r.declared, l.found)
	r.compiler = compileRego(l.source, l.found)
	return r
}

// seal computes the revision: a digest of the rules and of the resolved thresholds together.
func (p *Program) seal(s *source, rules []string, tree *thresholds.Tree) error {
	data, err := tree.Canonical()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLoad, err)
	}
	digest := sha256.New()
	for _, name := range rules {
		relative := strings.TrimPrefix(strings.TrimPrefix(name, s.root), "/")
		digest.Write(fmt.Appendf(nil, "%d:%s%d:%s", len(relative), relative, len(s.texts[name]), s.texts[name]))
	}
	digest.Write(fmt.Appendf(nil, "%d:%s", len(data), data))
	p.data, p.revision = data, "sha256:"+hex.EncodeToString(digest.Sum(nil))
	return nil
}

// gateNames lists the packages that decide: those below admission that have a rule named decision.
func gateNames(s *source) []string {
	var names []string
	for _, module := range s.modules {
		for _, rule := range module.Rules {
			if gate, ok := strings.CutPrefix(packageName(module), "admission."); ok && ruleName(rule) == "decision" && rule.Head.Args == nil {
				names = append(names, gate)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Revision is "sha256:" and a digest of the rules and of the resolved thresholds together: equal revisions decide
// alike, wherever their files lie.
func (p *Program) Revision() string {
	if p == nil {
		return ""
	}
	return p.revision
}

// Thresholds lists every resolved threshold with the file and line that set it, sorted by path.
func (p *Program) Thresholds() []thresholds.Setting {
	if p = p.loaded(); p == nil || p.tree == nil {
		return nil
	}
	return p.tree.Settings()
}

// Data is the resolved thresholds as one JSON object, keys sorted: what the rules read below data.
func (p *Program) Data() json.RawMessage {
	if p == nil {
		return nil
	}
	return slices.Clone(p.data)
}

// Warnings lists thresholds that load and will surprise, such as a limit that admits nothing, and tables that do not
// agree with OPA, which then decides (an [ErrDisagreement]). There are none where [Tables] decide: whoever made them was
// told.
func (p *Program) Warnings() []Problem {
	if p == nil {
		return nil
	}
	return slices.Clone(p.warnings)
}

// core are the gates that every set of policies has.
func core() []string { return inputs.Gates() }
