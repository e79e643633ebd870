package thresholds_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/thresholds"
)

var mutations = flag.Int("mutations", 2000, "how many mutated files of thresholds are read")

// FuzzParse holds the strict reading of thresholds against YAML's own: what is accepted means the same to both,
// and what is refused has a place and a message that can be printed.
func FuzzParse(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(requireStrict)
}

// TestThresholdsAreReadStrictly puts into real files what YAML has surprised people with.
func TestThresholdsAreReadStrictly(t *testing.T) {
	odd := []string{
		"&a ", "*a", "!!int ", "!!str ", "! ", "!", "\t", "\n---\n", "\n...\n", "? ", "<<: ", "|\n", ">-\n", "~", "null", "0o7", "0x1F", "010", "-0", "+1", "1_0", "1e3",
		"1.0", ".inf", ".nan", "yes", "on", "True", "2026-11-30", "1:30", "=", "\"", "'", "{", "}", "[", "]", ",", ": ", ":", "#", "- ", "\ufeff", "\x00", "\x1b", "\x85", "\u2028",
		"\r\n", "\r", "%YAML 1.1\n", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "\\u0041", "\xff", "ü", "  ", "\n", "\n  a: 1", "@", "`",
	}
	files := seeds(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range *mutations {
		text := slices.Clone(files[random.IntN(len(files))])
		for range 1 + random.IntN(4) {
			at := random.IntN(len(text) + 1)
			end := min(at+random.IntN(8)*random.IntN(2), len(text))
			text = slices.Concat(text[:at], []byte(odd[random.IntN(len(odd))]), text[end:])
		}
		requireStrict(t, text)
	}
}

// seeds are the shipped thresholds, the overlays of the fixtures, and odd files.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	shipped, err := fs.ReadFile(policies.Files, "thresholds.yaml")
	require.NoError(t, err)
	all := [][]byte{shipped}
	overlays, err := filepath.Glob(filepath.Join("..", "fixtures", "overlays", "*", "overlay.yaml"))
	require.NoError(t, err)
	for _, name := range overlays {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, text)
	}
	for _, text := range []string{
		"", "a: &b 1\nc: *b\n", "a: ! 5\n", "a: !!int 5\n", "a: 010\n", "a: -0\n", "a: 1_000\n", "a: yes\n", "a:\n\tb: 1\n", "1: 2\n",
		"a: 1\n---\nb: 2\n", "? [a]\n: b\n", "a: |\n  x\n", "a: '1'\n", "{\"a\": [1, true, \"b\"]}", "a: 9223372036854775808\n", "\xff\xfea\x00", "a: {b: 1}}\n",
	} {
		all = append(all, []byte(text))
	}
	return all
}

// requireStrict is the property of FuzzParse.
func requireStrict(t *testing.T, text []byte) {
	t.Helper()
	tree, found := thresholds.Parse("overlay.yaml", text)
	if len(found) > 0 {
		requirePlaces(t, found)
		return
	}
	require.Empty(t, found)
	var loose any
	require.NoError(t, yaml.Unmarshal(text, &loose))
	if loose == nil {
		loose = map[string]any{}
	}
	strict := tree.Value()
	require.Equal(t, widened(loose), strict)

	// Written as JSON and read again it is the same, so that equal thresholds have equal revisions.
	canonical, err := tree.Canonical()
	require.NoError(t, err)
	var back any
	decoder := json.NewDecoder(bytes.NewReader(canonical))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&back))
	require.Equal(t, strict, whole(back))
}

func requirePlaces(t *testing.T, found []thresholds.Problem) {
	t.Helper()
	require.NotEmpty(t, found)
	for _, problem := range found {
		require.Equal(t, "overlay.yaml", problem.At.File)
		require.GreaterOrEqual(t, problem.At.Line, 1)
		require.NotEmpty(t, problem.Problem)
	}
}

// whole has JSON's numbers as the int64 of thresholds.
func whole(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = whole(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = whole(inner)
		}
	case json.Number:
		number, _ := value.Int64()
		return number
	}
	return value
}

// widened has YAML's int as the int64 of thresholds.
func widened(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = widened(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = widened(inner)
		}
	case int:
		return int64(value)
	}
	return value
}
