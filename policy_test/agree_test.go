package policy_test

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documents is how many generated documents a gate gets, over all sets of thresholds. CI asks for 100,000.
var documents = flag.Int("documents", 5_000, "generated documents a gate for TestDoorsAndModelAgree")

// seed makes a failure repeatable: it is printed with it.
var seed = flag.Uint64("seed", 20261130, "seed of the generated documents")

// Both doors and the independent model give the same whole decision, violations, effects and unknown included, for
// documents drawn from the thresholds' own constants ±1, nulls and domain ends, under every set of thresholds.
func TestDoorsAndModelAgree(t *testing.T) {
	sets := thresholdSets()
	for _, set := range sets {
		d := open(t, set.Overlay)
		for _, gate := range gates() {
			t.Run(set.Name+"/"+gate, func(t *testing.T) {
				agree(t, d, gate, set, *documents/len(sets)+1)
			})
		}
	}
}

// agree shares the documents over the cores; each has a generator of its own, so that the seed repeats the run.
func agree(t *testing.T, d *doors, gate string, set namedThresholds, count int) {
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			r := rand.New(rand.NewPCG(*seed, uint64(worker)))
			for i := worker; i < count && !t.Failed(); i += workers {
				document := generate(r, gate, set.Tree)
				if !agreeOn(t, d, gate, set, document) {
					t.Logf("thresholds %q, -seed %d", set.Name, *seed)
				}
			}
		})
	}
	group.Wait()
}

func agreeOn(t *testing.T, d *doors, gate string, set namedThresholds, document document) bool {
	text := textOf(t, document)
	typed, err := d.typedDecision(text)
	if err != nil {
		t.Errorf("typed door: %v\n%s", err, text)
		return false
	}
	raw, err := d.rawDecision(gate, text)
	if err != nil {
		t.Errorf("raw door: %v\n%s", err, text)
		return false
	}
	return assert.Equal(t, model(gate, document, set.Tree), raw, "the model and the raw door disagree on %s", text) &&
		assert.Equal(t, raw, typed, "the doors disagree on %s", text)
}

// Thresholds as the generator resolves them are those that the engine resolves.
func TestEngineResolvesTheSameThresholds(t *testing.T) {
	for _, set := range thresholdSets() {
		t.Run(set.Name, func(t *testing.T) {
			require.JSONEq(t, string(textOf(t, set.Tree)), string(open(t, set.Overlay).program.Data()))
		})
	}
}
