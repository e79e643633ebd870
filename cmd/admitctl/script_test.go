package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/admitctl/admitctl/policies"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"admitctl": main})
}

// TestSessions runs testdata/script: each file is a session at a terminal, with what every command must print.
func TestSessions(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"edit": editFile, "bundle": bundleFolder},
		Setup: func(env *testscript.Env) error {
			return errors.Join(
				os.CopyFS(filepath.Join(env.WorkDir, "shipped"), policies.Files),
				os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))),
				os.CopyFS(filepath.Join(env.WorkDir, "deploy"), os.DirFS(filepath.Join("..", "..", "deploy"))),
			)
		},
	})
}

// editFile is the command "edit FILE OLD NEW": as an operator's editor it replaces what must be there, every time.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	old, replaced := unescape.Replace(args[1]), unescape.Replace(args[2])
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, old) {
		ts.Fatalf("%s does not have %q", args[0], old)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, old, replaced)), 0o600))
}
