package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// damage is one thing done to one field of an admitting document.
type damage struct {
	what  string
	value any // gone takes the field away
}

// damages are all that can be wrong with a field: taken away, null, each wrong type, out of range.
func damages(f docField) []damage {
	all := []damage{
		{"gone", gone}, {"null", nil}, {"array", []any{}}, {"object", document{}}, {"string", "15000"}, {"empty string", ""},
		{"flag", true}, {"number", int64(1)}, {"fraction", json.Number("1.5")}, {"too large for anything", json.Number("1" + strings.Repeat("0", 400))},
		{"below every range", -maxAmount - 1}, {"above every range", maxVersion + 1}, {"just below", f.min - 1}, {"just above", f.max + 1},
		{"long name", strings.Repeat("a", 129)}, {"newline", "a\nb"}, {"bidi control", "a\u202eb"}, {"outer space", " a"}, {"no word of it", "Free"},
	}
	var wrong []damage
	for _, d := range all {
		if d.value == gone || d.value == nil || !f.accepts(d.value) {
			wrong = append(wrong, d)
		}
	}
	return wrong
}

// harmless says which unknown signals a document is admitted with all the same: those that its checks do not read, or
// are proved without.
func harmless(gate string, d document, path string, what string) bool {
	if what != "null" && what != "gone" {
		return false
	}
	switch gate + " " + path {
	case "fanout retries_in_window":
		successes, _ := d["successes_in_window"].(int64)
		return successes > 0
	case "fanout inflight":
		return d["successes_in_window"] != int64(0)
	case "compaction cancelable", "compaction same_turn", "compaction console_age_ms":
		return d["path"] != "free"
	case "fence borrowed.depth", "fence borrowed.retry_budget", "fence borrowed.health_age_ms":
		return d["borrow"] == false
	}
	return false
}

// optional says that a field may be gone because it then is not asked for; its document decides as one without it.
func optional(gate string, d document, f docField) bool {
	without := clone(d)
	place(without, f.path, gone)
	return !f.required && checkDocument(gate, without) == nil
}

// Stock OPA never admits a document of which one field was dropped, nulled, given another type or put out of range,
// but for the unknown signals that do not matter to it, which each are tried. Our own doors refuse the document, or
// decide it alike.
func TestDamagedDocumentsAreNeverAdmitted(t *testing.T) {
	d := open(t, "")
	tried, spared := 0, map[string]bool{}
	for _, gate := range gates() {
		for i, nominal := range nominal(gate) {
			require.True(t, d.decide(t, gate, textOf(t, nominal)).Admit, "%s %d", gate, i)
			for _, f := range docFields[gate] {
				_, present, possible := lookUp(nominal, f.path)
				if !possible {
					continue
				}
				for _, damage := range damages(f) {
					if damage.value == gone && (!present || optional(gate, nominal, f)) {
						continue
					}
					tried++
					damaged := clone(nominal)
					place(damaged, f.path, damage.value)
					text := textOf(t, damaged)
					where := fmt.Sprintf("%s %d: %s %s\n%s", gate, i, f.path, damage.what, text)
					raw, err := d.rawDecision(gate, text)
					require.NoError(t, err, where)
					if harmless(gate, nominal, f.path, damage.what) {
						spared[gate+" "+f.path] = true
						require.True(t, raw.Admit, where)
					} else {
						require.False(t, raw.Admit, where)
						require.NotEmpty(t, raw.Violations, where)
					}
					typed, err := d.typedDecision(text)
					if err != nil {
						require.ErrorIs(t, err, inputs.ErrInvalid, where)
						require.False(t, typed.Admit, where)
						continue
					}
					require.Equal(t, raw, typed, where)
				}
			}
		}
	}
	require.Greater(t, tried, 2000)
	require.Len(t, spared, 8, "each harmless unknown was tried: %v", spared)
}

// What is no object at all is rejected by stock OPA too.
func TestInputThatIsNoDocumentIsRejected(t *testing.T) {
	d := open(t, "")
	for _, gate := range gates() {
		raw, err := d.rawDecision(gate, []byte(`{}`))
		require.NoError(t, err)
		require.False(t, raw.Admit)
		require.Equal(t, "invalid_input", raw.Reason)
	}
}
