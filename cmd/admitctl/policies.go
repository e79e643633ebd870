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
)

const embedded = "embedded"

// policySource is a set of policies as the flags name it.
type policySource struct {
	files   fs.FS
	from    string // how output and errors call it
	options []engine.Option
}

// openPolicies finds the policies and reads the thresholds that the flags name.
func openPolicies(policy string, overlays []string, timeout time.Duration) (policySource, error) {
	files, from, err := policyFiles(policy)
	if err != nil {
		return policySource{}, err
	}
	options := []engine.Option{engine.Named(from), engine.Timeout(timeout)}
	for _, name := range overlays {
		text, err := readThresholds(name)
		if err != nil {
			return policySource{}, fmt.Errorf("thresholds: %w", err)
		}
		options = append(options, engine.Overlay(name, text))
	}
	return policySource{files, from, options}, nil
}

// loadProgram loads the policies that the flags name, and says where they are from.
func loadProgram(ctx context.Context, c *common, io stdio, timeout time.Duration, more ...engine.Option) (program *engine.Program, from string, err error) {
	source, err := openPolicies(c.policy, c.thresholds, timeout)
	if err != nil {
		return nil, "", err
	}
	source.options = append(source.options, more...)
	program, err = source.compile(ctx)
	if err != nil {
		return nil, "", err
	}
	warn(io, program.Warnings(), c.quiet)
	return program, source.from, nil
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

// policyFiles finds the policies: the named directory, else ./policies when it is there, else the embedded ones.
func policyFiles(name string) (files fs.FS, from string, err error) {
	const beside = "./policies"
	if name == "" {
		if !isDirectory(beside) {
			return policies.Files, embedded, nil
		}
		name = beside
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, "", fmt.Errorf("policies: %w", err)
	}
	if !info.IsDir() {
		return nil, "", fmt.Errorf("policies: %s is no directory", name)
	}
	return os.DirFS(name), name, nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
