package policy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// judge says whether a mutant that nothing killed decides anything otherwise than the policies do: documents that are
// generated, and damaged ones, under every set of thresholds.
type judge struct {
	once   sync.Once
	corpus []caseSet // made when it is first asked for; the answers are those of the policies
	err    error
}

// judged is how many documents a gate and set of thresholds the judge keeps for every 5000 of -documents.
const judged = 40

// differs is a document that the mutant decides otherwise, or "".
func (j *judge) differs(p *patient) string {
	j.once.Do(func() { j.corpus, j.err = corpusOf(p.s) })
	if j.err != nil {
		return "no documents to judge by: " + j.err.Error()
	}
	return p.decide(j.corpus)
}

func corpusOf(s *suite) (all []caseSet, err error) {
	compiler := ast.NewCompiler()
	if compiler.Compile(s.modules); compiler.Failed() {
		return nil, compiler.Errors
	}
	for i, set := range thresholdSets() {
		c := caseSet{overlay: parseTree(set.Overlay), store: storeOf(set.Tree)}
		for _, gate := range gates() {
			query, err := prepareGate(compiler, c.store, gate)
			if err != nil {
				return nil, err
			}
			r := rand.New(rand.NewPCG(*seed, uint64(i)))
			for _, d := range append(unlikeDocuments(r, gate, set.Tree), damagedDocuments(r, gate, set)...) {
				each, err := judgedCase(query, gate, d)
				if err != nil {
					return nil, err
				}
				each.name = fmt.Sprintf("thresholds %q: %s", set.Name, each.name)
				c.cases = append(c.cases, each)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// judgedCase is a document and what the policies decide.
func judgedCase(query rego.PreparedEvalQuery, gate string, d document) (mutantCase, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return mutantCase{}, err
	}
	input, err := ast.ValueFromReader(bytes.NewReader(text))
	if err != nil {
		return mutantCase{}, err
	}
	want, err := answerOf(query, input)
	return mutantCase{string(text), gate, input, want}, err
}

// unlikeDocuments are generated documents, few of which are decided for the same reasons.
func unlikeDocuments(r *rand.Rand, gate string, tree thresholds) (all []document) {
	alike := map[string]int{}
	most := judged * *documents / 5000
	for i := 0; i < 20*most && len(all) < most; i++ {
		d := generate(r, gate, tree)
		decided := model(gate, d, tree)
		signature := decided.Action
		for _, v := range decided.Violations {
			signature += fmt.Sprintf(" %s %t", v.Reason, v.Observed == nil)
		}
		if alike[signature]++; alike[signature] <= 2+most/40 {
			all = append(all, d)
		}
	}
	return all
}

// damagedDocuments are generated documents with one or two fields damaged; under the defaults each damage of each field
// of a nominal document, its gate included, once.
func damagedDocuments(r *rand.Rand, gate string, set namedThresholds) (all []document) {
	fields := append(slices.Clone(docFields[gate]), wordField("gate", gate))
	for range judged / 4 * *documents / 5000 {
		d := generate(r, gate, set.Tree)
		for range 1 + r.IntN(2) {
			damageOne(r, d, oneOf(r, fields))
		}
		all = append(all, d)
	}
	if set.Overlay != "" {
		return all
	}
	whole := nominal(gate)
	for _, f := range fields {
		for i, damage := range append(damages(f), moreDamages()...) {
			d := clone(whole[i%len(whole)])
			if _, _, possible := lookUp(d, f.path); possible {
				place(d, f.path, damage.value)
				all = append(all, d)
			}
		}
	}
	return all
}

// moreDamages are not all wrong for every field; the judge wants documents, not rejects.
func moreDamages() []damage {
	return []damage{{"off", false}, {"zero", int64(0)}, {"control first", "\na"}, {"control last", "a\n"}, {"bidi first", "\u202ea"},
		{"bidi last", "a\u202e"}, {"separator first", "\u2028a"}, {"separator last", "a\u2028"}, {"only a control", "\n"}}
}

func damageOne(r *rand.Rand, d document, f docField) {
	if _, _, possible := lookUp(d, f.path); possible {
		place(d, f.path, oneOf(r, damages(f)).value)
	}
}
