// Package docs_test keeps the documentation true: every command in a console block is run, and what it prints is what
// stands below it; every part between generated markers is what the policies say; the published schemas are those of the policies.
//
//	go test ./docs -update
//
// writes both anew.
package docs_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the outputs and tables in the docs anew")

// pages are the files that are held to be true.
func pages(t *testing.T) []string {
	t.Helper()
	more, err := filepath.Glob("../*.md")
	require.NoError(t, err)
	err = filepath.WalkDir(".", func(name string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			more = append(more, name)
		}
		return err
	})
	require.NoError(t, err)
	examples, err := filepath.Glob("../examples/*/*.md")
	require.NoError(t, err)
	return append(more, examples...)
}

// check compares a page with what it should be, or writes it.
func check(t *testing.T, page, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644)) // a document is for everybody to read
		return
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, want, string(text), "%s is not what the program prints; write it anew with: go test ./docs -update", page)
}

var console = regexp.MustCompile("(?s)```console\n(.*?)```")

func TestCommandsInDocsPrintWhatTheDocsSay(t *testing.T) {
	t.Cleanup(func() { // what the docs make, if a command failed in between
		for _, made := range []string{"mine", "decisions.ndjson", "masked.ndjson"} {
			_ = os.RemoveAll(filepath.Join("..", made))
		}
	})
	commands := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		want := console.ReplaceAllStringFunc(string(text), func(block string) string {
			var out strings.Builder
			out.WriteString("```console\n")
			for _, line := range strings.Split(console.FindStringSubmatch(block)[1], "\n") {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					commands++
					out.WriteString(line + "\n" + shell(t, command))
				}
			}
			return out.String() + "```"
		})
		check(t, page, want)
	}
	require.Greater(t, commands, 10, "the docs show commands")
}

// shell runs a command at the root of the repository, as a reader would, and gives its standard output.
func shell(t *testing.T, command string) string {
	t.Helper()
	run := exec.Command("sh", "-c", command)
	run.Dir = ".."
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, command)
		require.NotEqual(t, 127, exit.ExitCode(), "%s: %s", command, stderr.String())
	}
	out := stdout.String()
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out
}

var shellBlock = regexp.MustCompile("(?s)```(?:sh|bash|shell)\n(.*?)```")

// Commands that are not run here are run elsewhere, or cannot be.
func TestEveryCommandInTheDocsIsRun(t *testing.T) {
	elsewhere := map[string]string{
		"go test ./...":                       "by CI, which looks for it in the README",
		"go get github.com/admitctl/admitctl": "by whoever depends on the module; in here it is the module itself",
	}
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			for _, command := range strings.Split(strings.TrimSpace(block[1]), "\n") {
				require.Contains(t, elsewhere, command, "%s: show it in a console block, which is run", page)
			}
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)`)

func TestLinksInDocsLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(match[1], "://") {
				_, err := os.Stat(filepath.Join(filepath.Dir(page), match[1]))
				require.NoError(t, err, page)
			}
		}
	}
}
