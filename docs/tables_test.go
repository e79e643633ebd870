package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

const tablesPage = "tables.md"

// obstacle is what keeps a rule from a table, as the tabulator says it: what is not literal in the source is any text.
type obstacle struct{ construct, mend *regexp.Regexp }

// obstacles are all that the source of the tabulator can say.
func obstacles(t *testing.T) []obstacle {
	t.Helper()
	files, err := filepath.Glob("../engine/tabulate/*.go")
	require.NoError(t, err)
	var parsed []*ast.File
	constants := map[string]ast.Expr{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		parsed = append(parsed, file)
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 1 {
				constants[spec.Names[0].Name] = spec.Values[0]
			}
			return true
		})
	}
	var all []obstacle
	add := func(construct, mend ast.Expr) {
		all = append(all, obstacle{regexp.MustCompile(pattern(construct, constants)), regexp.MustCompile(pattern(mend, constants))})
	}
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CallExpr:
				if called, ok := n.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "unsupported" {
					add(n.Args[0], n.Args[1])
				}
			case *ast.CompositeLit:
				fields := map[string]ast.Expr{}
				for _, element := range n.Elts {
					if pair, ok := element.(*ast.KeyValueExpr); ok {
						if name, ok := pair.Key.(*ast.Ident); ok {
							fields[name.Name] = pair.Value
						}
					}
				}
				if name, ok := n.Type.(*ast.Ident); ok && name.Name == "Unsupported" && !isParameter(fields["Construct"]) {
					add(fields["Construct"], fields["Mend"])
				}
			}
			return true
		})
	}
	return all
}

// isParameter recognises the one literal that unsupported itself makes.
func isParameter(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "construct"
}

// pattern is what an expression of strings can come to.
func pattern(e ast.Expr, constants map[string]ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			return ".+"
		}
		return regexp.QuoteMeta(text)
	case *ast.BinaryExpr:
		return pattern(e.X, constants) + pattern(e.Y, constants)
	case *ast.Ident:
		if value, ok := constants[e.Name]; ok {
			return pattern(value, constants)
		}
	case *ast.CallExpr:
		if called, ok := e.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Sprintf" {
			return regexp.MustCompile(`%[a-z]`).ReplaceAllString(pattern(e.Args[0], constants), ".+")
		}
	}
	return ".+"
}

// row is a line of a table of the page.
type row []string

var code = regexp.MustCompile("`[^`]+`")

// rows are the rows of the page that tell an obstacle.
func rows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(tablesPage)
	require.NoError(t, err)
	var all []row
	before, _, _ := strings.Cut(string(text), "\n## Limits")
	for line := range strings.Lines(before) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| it says") {
			var cells row
			for _, cell := range strings.Split(strings.Trim(line, "|"), " | ") {
				cells = append(cells, strings.TrimSpace(cell))
			}
			all = append(all, cells)
		}
	}
	return all
}

// Whatever the tabulator can say is on the page, with what it says to write instead; and nothing else is.
func TestThePageOfTablesHasWhatTheTabulatorSays(t *testing.T) {
	text, err := os.ReadFile(tablesPage)
	require.NoError(t, err)
	flowing := strings.Join(strings.Fields(string(text)), " ")
	all, told := rows(t), map[int]bool{}
	found := obstacles(t)
	require.Greater(t, len(found), 40)
	for _, o := range found {
		known := false
		for i, cells := range all {
			instead := cells[len(cells)-1]
			if instead == "" || o.mend.String() == "" {
				instead = flowing
			}
			if at := o.construct.FindStringIndex(cells[0]); at != nil && at[0] == 0 && o.mend.MatchString(instead) {
				known, told[i] = true, true
			}
		}
		require.True(t, known, "%s does not say %q, instead %q", tablesPage, o.construct, o.mend)
	}
	for i, cells := range all {
		require.True(t, told[i], "%s says %q, which the tabulator does not, or not with this mend", tablesPage, cells[0])
	}
}

// Rules on the left come to no table, for the reason that stands beside them; those on the right do.
func TestRulesOnThePageOfTablesAreAsItSays(t *testing.T) {
	var instead []string
	examples := 0
	for _, cells := range rows(t) {
		instead = append(instead, code.FindAllString(cells[len(cells)-1], -1)...)
		if len(cells) < 3 {
			continue
		}
		examples++
		told := obstaclesOfFence(t, cells[1])
		require.Len(t, told, 1, cells[1])
		says := cells[0]
		for _, remark := range []string{", as every", ", such as", ", or an object"} {
			says, _, _ = strings.Cut(says, remark)
		}
		require.Contains(t, told[0], "rule example_0: "+says, cells[1])
	}
	require.Greater(t, examples, 10)
	require.Empty(t, obstaclesOfFence(t, instead...))
}

// obstaclesOfFence loads the policies with checks that are added to gate fence, and gives the warnings of tables.
func obstaclesOfFence(t *testing.T, bodies ...string) []string {
	t.Helper()
	files := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	}))
	var text strings.Builder
	text.WriteString("package admission.fence\n\n")
	if strings.Contains(strings.Join(bodies, ""), "guard.") {
		text.WriteString("import data.admission.guard\n\n")
	}
	for i, body := range bodies {
		fmt.Fprintf(&text, "# METADATA\n# title: An example\n# description: Of the page.\n# custom:\n#   reason: reject_%d\n#   action: reject\nviolated contains rego.metadata.rule().custom if not example_%d\n\n", i, i)
		fmt.Fprintf(&text, "# METADATA\n# title: It holds\nexample_%d if {\n%s\n}\n\n", i, strings.ReplaceAll(strings.Trim(body, "`"), "; ", "\n"))
	}
	files["fence/example.rego"] = &fstest.MapFile{Data: []byte(text.String())}
	report, err := engine.Inspect(t.Context(), files, engine.Overlay("planes.yaml", []byte("fence: {planes: {gpu-a: {depth_limit: 2}, free-eval: {depth_limit: 3}}}")))
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	var told []string
	for _, warning := range report.Warnings {
		switch warning.Category() {
		case "tabulation", "disagreement":
			told = append(told, warning.Message())
		}
	}
	return told
}

var limitMarks = regexp.MustCompile(`(?s)<!-- limits -->\n.*?<!-- end -->`)

func TestLimitsOnThePageOfTablesAreThoseOfTheCode(t *testing.T) {
	text, err := os.ReadFile(tablesPage)
	require.NoError(t, err)
	require.Regexp(t, limitMarks, string(text))
	var out strings.Builder
	out.WriteString("| of a gate with a table | at most |\n|---|---|\n")
	for _, limit := range []struct {
		what string
		most int
	}{
		{"fields of a document, objects included", inputs.MaxFlatFields},
		{"numbers among them", inputs.MaxFlatNumbers},
		{"strings among them", inputs.MaxFlatTexts},
		{"checks", table.MaxMarks},
		{"signals that can be unknown", table.MaxMarks},
		{"rows of the thresholds that a document chooses, such as its planes", table.MaxLookups},
		{"numbers in those rows", table.MaxColumns},
		{"branches", table.MaxNodes},
	} {
		fmt.Fprintf(&out, "| %s | %d |\n", limit.what, limit.most)
	}
	check(t, tablesPage, limitMarks.ReplaceAllString(string(text), "<!-- limits -->\n"+out.String()+"<!-- end -->"))
}
