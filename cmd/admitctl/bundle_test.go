package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
	"github.com/rogpeppe/go-internal/testscript"
)

// opaBuild is "opa build FOLDER", and with a key "opa build -b FOLDER --signing-key KEY": OPA's own packages write it.
func opaBuild(files fs.FS, folder string, key *bundle.SigningConfig, keyID string) ([]byte, error) {
	var out bytes.Buffer
	build := compile.New().WithFS(files).WithPaths(folder).WithOutput(&out)
	if key != nil {
		build = build.WithAsBundle(true).WithBundleSigningConfig(key).WithBundleVerificationKeyID(keyID)
	}
	err := build.Build(context.Background())
	return out.Bytes(), err
}

// bundleFolder is the command "bundle FILE FOLDER [KEY ALGORITHM KEYID]".
func bundleFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 && len(args) != 5 {
		ts.Fatalf("usage: bundle FILE FOLDER [KEY ALGORITHM KEYID]")
	}
	var key *bundle.SigningConfig
	var keyID string
	if len(args) == 5 {
		key, keyID = bundle.NewSigningConfig(ts.ReadFile(args[2]), args[3], ""), args[4]
	}
	folder := ts.MkAbs(args[1])
	packed, err := opaBuild(os.DirFS(filepath.Dir(folder)), filepath.Base(folder), key, keyID)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), packed, 0o600))
}
