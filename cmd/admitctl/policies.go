package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/revision"
)

const embedded = "embedded"

// policySource is a set of policies as the flags name it.
type policySource struct {
	files   fs.FS
	from    string // how output calls it
	root    string // how places in it begin
	options []engine.Option
}

// openPolicies finds the policies, in place of the flag's those of policy, and reads the thresholds that the flags name.
func openPolicies(ctx context.Context, c *common, policy string, timeout time.Duration) (policySource, error) {
	source, err := findPolicies(ctx, policy, c.key)
	if err != nil {
		return policySource{}, fmt.Errorf("policies: %w", err)
	}
	source.options = []engine.Option{engine.Named(source.root), engine.Timeout(timeout)}
	for _, name := range c.thresholds {
		text, err := readThresholds(name)
		if err != nil {
			return policySource{}, fmt.Errorf("thresholds: %w", err)
		}
		source.options = append(source.options, engine.Overlay(name, text))
	}
	return source, nil
}

// loadProgram loads the policies that the flags name, and says where they are from.
func loadProgram(ctx context.Context, c *common, io stdio, timeout time.Duration, more ...engine.Option) (program *engine.Program, from string, err error) {
	program, source, err := loadSource(ctx, c, io, timeout, more...)
	return program, source.from, err
}

// loadSource is [loadProgram] with all that is known of where the policies are from.
func loadSource(ctx context.Context, c *common, io stdio, timeout time.Duration, more ...engine.Option) (*engine.Program, policySource, error) {
	source, err := openPolicies(ctx, c, c.policy, timeout)
	if err != nil {
		return nil, policySource{}, err
	}
	source.options = append(source.options, more...)
	program, err := source.compile(ctx)
	if err != nil {
		return nil, policySource{}, err
	}
	warn(io, program.Warnings(), c.quiet)
	return program, source, nil
}

// warn tells the warnings of a load; that a table and OPA disagree is told to those too who want quiet.
func warn(io stdio, warnings []engine.Problem, quiet bool) {
	for _, warning := range warnings {
		if !quiet || errors.Is(warning.Kind, engine.ErrDisagreement) {
			complain(io, "warning: "+warning.String())
		}
	}
}

func (s policySource) compile(ctx context.Context) (*engine.Program, error) {
	program, err := engine.Compile(ctx, s.files, s.options...)
	if err != nil {
		return nil, s.refused(err)
	}
	return program, nil
}

func (s policySource) refused(err error) error {
	return fmt.Errorf("the policies do not load (%s):\n%w", s.from, err)
}

// readThresholds reads an overlay, which may be a pipe, and of one without an end no more than anybody writes.
func readThresholds(name string) ([]byte, error) {
	const most = 64 << 20
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := readAtMost(file, most+1)
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s: more than %d bytes", name, most)
	}
	return text, err
}

func readAtMost(from io.Reader, bytes int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(from, bytes))
}

// findPolicies finds what is named, else ./policies when it is there, else the embedded ones.
func findPolicies(ctx context.Context, name string, key keyFlags) (policySource, error) {
	const beside = "./policies"
	verify, err := key.verifier()
	if err != nil {
		return policySource{}, err
	}
	if name == "" {
		switch {
		case isDirectory(beside):
			name = beside
		case verify != nil:
			return policySource{}, fmt.Errorf("%w: the embedded policies carry none; name the signed bundle: -p FILE.tar.gz", revision.ErrSignature)
		default:
			return policySource{files: policies.Files, from: embedded, root: embedded}, nil
		}
	}
	opened, err := revision.Open(ctx, name, revision.Options{Verify: verify})
	if err != nil {
		return policySource{}, err
	}
	return policySource{files: opened.FS, from: opened.Name, root: opened.Root}, nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
