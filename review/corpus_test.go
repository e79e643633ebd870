package review_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

// policyEdit is an entry of testdata/corpus/edits.yaml, which says what the fields mean.
type policyEdit struct {
	Name    string
	Why     string
	Edits   []replacement
	Overlay string
	Both    string
	Verdict map[string]review.Verdict
	Swapped bool
	OPA     []string
	Refused []string
	Same    bool
	Domain  map[string]smallDomain
}

// replacement is an edit of one text in one file.
type replacement struct{ In, From, To string }

// corpus is what testdata/corpus holds.
type corpus struct {
	edits   []policyEdit
	domains map[string]smallDomain
}

func readCorpus(t *testing.T) corpus {
	t.Helper()
	var c corpus
	for name, into := range map[string]any{"edits.yaml": &c.edits, "domains.yaml": &c.domains} {
		text, err := os.ReadFile(path.Join("testdata", "corpus", name))
		require.NoError(t, err)
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		require.NoError(t, decoder.Decode(into), name)
	}
	return c
}

// domain is the small set of documents that an edit is tried with.
func (c corpus) domain(gate string, e policyEdit) smallDomain {
	values := maps.Clone(c.domains[gate])
	maps.Copy(values, e.Domain[gate])
	return values
}

// shippedFiles are the shipped policies, to be edited.
func shippedFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		files[name] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	}))
	return files
}

// apply makes the files of the head.
func (e policyEdit) apply(t *testing.T, files fstest.MapFS) fstest.MapFS {
	t.Helper()
	for _, r := range e.Edits {
		if r.From == "" {
			require.NotContains(t, files, r.In, "a new file")
			files[r.In] = &fstest.MapFile{Data: []byte(r.To), Mode: 0o600}
			continue
		}
		require.Contains(t, files, r.In)
		text := string(files[r.In].Data)
		require.Equal(t, 1, strings.Count(text, r.From), "%s holds this once: %s", r.In, r.From)
		files[r.In] = &fstest.MapFile{Data: []byte(strings.Replace(text, r.From, r.To, 1)), Mode: 0o600}
	}
	return files
}

// sides loads the two sets of policies that an edit lies between.
func (e policyEdit) sides(t *testing.T, shipped *engine.Program) (base, head *engine.Program) {
	t.Helper()
	var both, own []engine.Option
	if e.Both != "" {
		both = append(both, engine.Overlay("both.yaml", []byte(e.Both)))
	}
	if e.Overlay != "" {
		own = append(own, engine.Overlay("overlay.yaml", []byte(e.Overlay)))
	}
	base, err := shipped, error(nil)
	if both != nil {
		base, err = shipped.Reload(t.Context(), policies.Files, both...)
		require.NoError(t, err)
	}
	head, err = shipped.Reload(t.Context(), e.apply(t, shippedFiles(t)), slices.Concat(both, own)...)
	require.NoError(t, err)
	return base, head
}

// gates are those whose rules or thresholds an edit touches, in the order of their names.
func (e policyEdit) gates(t *testing.T, base, head *engine.Program) []string {
	t.Helper()
	touched := map[string]bool{}
	for _, r := range e.Edits {
		switch folder := strings.ReplaceAll(path.Dir(r.In), "/", "."); folder {
		case ".":
		case "guard":
			for _, gate := range inputs.Gates() {
				touched[gate] = true
			}
		default:
			touched[folder] = true
		}
	}
	for _, key := range slices.Concat(dataChanges(t, base, head, "", ""), dataChanges(t, base, head, "fence", "fence.")) {
		switch key {
		case "fence": // its parts are told besides
		case "fence.default", "fence.planes", "fence.precedence":
			touched["fence"] = true
		case "classes", "queue", "meter", "rollback":
			touched["fanout"] = true
		default:
			touched[key] = true
		}
	}
	return sortedKeys(touched)
}

// dataChanges are the keys of the thresholds, or of the map at one of them, whose values differ.
func dataChanges(t *testing.T, base, head *engine.Program, at, prefix string) []string {
	t.Helper()
	var values [2]map[string]json.RawMessage
	for side, program := range []*engine.Program{base, head} {
		require.NoError(t, json.Unmarshal(program.Data(), &values[side]))
		if at != "" {
			whole := values[side][at]
			values[side] = nil
			require.NoError(t, json.Unmarshal(whole, &values[side]))
		}
	}
	var changed []string
	for _, key := range sortedKeys(values[1]) {
		if !bytes.Equal(values[0][key], values[1][key]) {
			changed = append(changed, prefix+key)
		}
	}
	require.Len(t, values[0], len(values[1]), "no edit of the corpus adds a key here")
	return changed
}

// flip is a verdict with the two sides in the other order.
func flip(v review.Verdict) review.Verdict {
	switch v {
	case review.Loosened:
		return review.Tightened
	case review.Tightened:
		return review.Loosened
	}
	return v
}

// The corpus says of each edit what it is, once.
func TestEveryEditOfTheCorpusIsNamedOnceAndFits(t *testing.T) {
	c := readCorpus(t)
	require.GreaterOrEqual(t, len(c.edits), 48)
	names := map[string]bool{}
	words := []review.Verdict{review.Loosened, review.Tightened, review.Mixed, review.Relabelled}
	for _, e := range c.edits {
		require.False(t, names[e.Name], e.Name)
		names[e.Name] = true
		require.NotEmpty(t, e.Why, e.Name)
		require.NotEmpty(t, len(e.Edits)+len(e.Overlay), e.Name)
		for gate, verdict := range e.Verdict {
			require.Contains(t, inputs.Gates(), gate, e.Name)
			require.Contains(t, words, verdict, e.Name)
		}
		e.apply(t, shippedFiles(t))
	}
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
