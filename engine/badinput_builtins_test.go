package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/policies"
)

// callOf is a rule that calls a built-in with arguments of its types.
func callOf(builtin *ast.Builtin, number int) string {
	var args []string
	for _, arg := range builtin.Decl.FuncArgs().Args {
		args = append(args, example(arg))
	}
	return fmt.Sprintf("call_%d if %s(%s)\n", number, builtin.Name, strings.Join(args, ", "))
}

func example(of types.Type) string {
	switch of := of.(type) {
	case *types.NamedType:
		return example(of.Type)
	case types.Any:
		if len(of) > 0 {
			return example(of[0])
		}
		return `"a"`
	case types.Number:
		return "1"
	case types.Boolean:
		return "true"
	case types.Null:
		return "null"
	case *types.Array:
		return "[]"
	case *types.Set:
		return "set()"
	case *types.Object:
		return "{}"
	}
	return `"a"`
}

// problemsOf compiles the shipped policies with one more file of rules.
func problemsOf(t *testing.T, text string) []Problem {
	t.Helper()
	files := fstest.MapFS{"zz/calls.rego": {Data: []byte(text)}}
	require.NoError(t, fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	}))
	_, err := Compile(t.Context(), files)
	var refused *LoadError
	require.ErrorAs(t, err, &refused)
	return refused.Problems
}

// Row 25: of all that OPA has, gates call what the list of pure functions names, and nothing else.
func TestEveryOtherBuiltInIsRefused(t *testing.T) {
	text := "package admission.fanout\n\n"
	lines := map[int]string{}
	for i, builtin := range ast.Builtins {
		if !slices.Contains(pure(), builtin.Name) {
			lines[strings.Count(text, "\n")+1] = builtin.Name
			text += callOf(builtin, i)
		}
	}
	require.Greater(t, len(lines), 100)
	for _, problem := range problemsOf(t, text) {
		if name, ok := lines[problem.Line]; ok && errors.Is(problem.Kind, ErrBuiltin) {
			require.Equal(t, name+" is not available to gates", problem.Problem)
			require.Equal(t, "pass it in as input", problem.Mend)
			delete(lines, problem.Line)
		}
	}
	require.Empty(t, lines)
	for _, named := range []string{"http.send", "opa.runtime", "time.now_ns", "rand.intn", "net.lookup_ip_addr", "io.jwt.decode", "walk", "numbers.range", "uuid.rfc4122", "trace", "internal.print"} {
		require.NotContains(t, pure(), named)
	}
}

// Should a call ever get past the lint, OPA's own compiler does not know the function.
func TestCapabilitiesHaveNoOtherBuiltIn(t *testing.T) {
	for _, builtin := range capabilities().Builtins {
		require.Contains(t, pure(), builtin.Name)
	}
	require.Equal(t, []string{}, capabilities().AllowNet)
}

// Row 27: what orders or computes is for the guards, and so is what puts a value where there is none.
func TestOrderingIsForTheGuardsAlone(t *testing.T) {
	text := "package admission.fanout\n\n"
	lines := map[int]string{}
	for i, builtin := range ast.Builtins {
		if slices.Contains(ordering(), builtin.Name) || slices.Contains(defaulting(), builtin.Name) {
			lines[strings.Count(text, "\n")+1] = builtin.Name
			text += callOf(builtin, i)
		}
	}
	require.Len(t, lines, len(ordering())+len(defaulting()))
	for _, problem := range problemsOf(t, text) {
		if errors.Is(problem.Kind, ErrForm) {
			delete(lines, problem.Line)
		}
	}
	require.Empty(t, lines)
}

func TestEveryPureBuiltInExists(t *testing.T) {
	for _, name := range slices.Concat(pure(), ordering(), defaulting()) {
		require.Contains(t, ast.BuiltinMap, name)
		require.Contains(t, pure(), name)
	}
}
