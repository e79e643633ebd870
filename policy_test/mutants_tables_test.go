package policy_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Whatever a mutant does to the rules, the table changes as OPA does, or the gate has none: on every fixture and
// boundary document of the gate, and on those that the mutant's own table thinks telling. No load lints the mutants
// here: what OPA compiles must be tabulated right.
func TestTablesOfMutants(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	s := newSuite(t)
	all := slices.DeleteFunc(chosen(allMutants(t, s)), func(m mutant) bool { return m.file == thresholdsFile })
	if !*mutants && *mutantsOf == "" { // and fewer still than of TestMutants
		for i := range all[:len(all)/4] {
			all[i] = all[4*i]
		}
		all = all[:len(all)/4]
	}
	found := &tablesOfMutants{unsupported: map[string]int{}}
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				found.try(t, s, all[i])
			}
		})
	}
	group.Wait()
	lines := fmt.Sprintf("%d mutants: %d do not compile; of the gates that the others touch %d have a table that is OPA's on %d documents and leaves %d to OPA, and %d have none",
		len(all), found.broken, found.tables, found.documents, found.outside, found.gates-found.tables)
	for _, construct := range slices.Sorted(maps.Keys(found.unsupported)) {
		lines += fmt.Sprintf("\n%6d %s", found.unsupported[construct], construct)
	}
	t.Log(lines)
	require.NotZero(t, found.tables)
	for construct := range found.unsupported {
		require.NotContains(t, construct, "mistake")
	}
}

// tablesOfMutants counts what came of them.
type tablesOfMutants struct {
	mutex                                     sync.Mutex
	broken, gates, tables, documents, outside int
	unsupported                               map[string]int
}

// try tabulates every gate that a mutant touches, and holds it against OPA.
func (f *tablesOfMutants) try(t *testing.T, s *suite, m mutant) {
	p := s.admit(m)
	if p.compile() != "" {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.broken++
		return
	}
	for _, gate := range p.gates {
		documents, outside, err := p.tabulated(gate)
		f.mutex.Lock()
		f.gates++
		var unsupported *tabulate.Unsupported
		switch {
		case errors.As(err, &unsupported):
			f.unsupported[unsupported.Construct]++
		case err != nil:
			t.Errorf("%s\n%s:%d\n\t%v", m.key, m.file, m.line, err)
		default:
			f.tables++
			f.documents += documents
			f.outside += outside
		}
		f.mutex.Unlock()
	}
}

// tabulated holds the table of a gate against OPA. Its error is a [*tabulate.Unsupported], or what they disagree on.
func (p *patient) tabulated(gate string) (documents, outside int, err error) {
	plan, err := planOf(p.compiler, gate)
	if err != nil {
		return 0, 0, err
	}
	tree := parseTree(p.s.texts[thresholdsFile])
	result, err := tabulate.Gate(context.Background(), gate, plan, inputs.Properties(gate), tree)
	if err != nil {
		return 0, 0, err
	}
	own, err := result.Program.Bind(tree, nil, "")
	if err != nil {
		return 0, 0, err
	}
	query, err := prepareGate(p.compiler, storeOf(tree), gate)
	if err != nil {
		return 0, 0, err
	}
	for _, flat := range own.Directed(table.Effort{Draws: 1000, Most: 24}) {
		document, err := flat.Document(gate)
		if err != nil {
			return documents, outside, err
		}
		left, err := heldMutant(own, query, document)
		if err != nil {
			return documents, outside, err
		}
		documents++
		if left {
			outside++
		}
	}
	for _, document := range p.s.decodable(gate) {
		left, err := heldMutant(own, query, document)
		if err != nil {
			return documents, outside, err
		}
		documents++
		if left {
			outside++
		}
	}
	return documents, outside, nil
}

// heldMutant compares a table with OPA, where the rules may be wrong: then the table leaves the document to OPA, or
// refuses the effects.
func heldMutant(own *table.Gate, query rego.PreparedEvalQuery, document inputs.Document) (left bool, err error) {
	var d table.Decision
	answered := own.Answer(document, &d)
	if errors.Is(answered, table.ErrOutside) || errors.Is(answered, table.ErrEffects) {
		return true, nil
	}
	return compared(own, query, document, &d)
}

// decodable are the fixtures and boundary documents of a gate that are documents.
func (s *suite) decodable(gate string) (all []inputs.Document) {
	for _, set := range slices.Concat(s.cases, s.rows) {
		for _, c := range set.cases {
			if c.gate != gate {
				continue
			}
			if document, err := inputs.Decode([]byte(c.input.String()), inputs.Source{}); err == nil {
				all = append(all, document)
			}
		}
	}
	return all
}

// mutantPlan is the target that gives OPA's plan of a query and evaluates nothing.
const mutantPlan = "policy_test/plan"

var registeredPlan = sync.OnceFunc(func() { rego.RegisterPlugin(mutantPlan, planning{}) })

type planning struct{}

type planKey struct{}

func (planning) IsTarget(name string) bool { return name == mutantPlan }

func (planning) PrepareForEval(ctx context.Context, plan *ir.Policy, _ ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	*ctx.Value(planKey{}).(**ir.Policy) = plan
	return nil, nil
}

func planOf(compiler *ast.Compiler, gate string) (plan *ir.Policy, err error) {
	registeredPlan()
	ctx := context.WithValue(context.Background(), planKey{}, &plan)
	_, err = rego.New(rego.Compiler(compiler), rego.Target(mutantPlan), rego.Query("data.admission."+gate+".decision")).PrepareForEval(ctx)
	return plan, err
}
