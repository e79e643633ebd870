package main

import (
	"fmt"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/review"
)

// solverFlags say which solver a verb asks, and for how long.
type solverFlags struct {
	path  string
	limit time.Duration
}

// The solvers that have no path.
const (
	solverOnPath = "z3"
	solverNone   = "none"
)

func (f *solverFlags) add(verb *cobra.Command) {
	verb.Flags().StringVar(&f.path, "solver", "", "the `PATH` of z3 (default z3 where it is on the PATH; none: ask no solver)")
	verb.Flags().DurationVar(&f.limit, "solver-timeout", review.DefaultLimit, "the most that one question to the solver may take")
}

// options are what a proof needs of the flags.
func (f *solverFlags) options() (review.Options, error) {
	o := review.Options{Limit: f.limit}
	if f.limit <= 0 {
		return o, fmt.Errorf("--solver-timeout: must be more than 0, not %s", f.limit)
	}
	switch f.path {
	case solverNone:
	case "":
		if path, err := exec.LookPath(solverOnPath); err == nil {
			o.Solver = path
		}
	default:
		path, err := exec.LookPath(f.path)
		if err != nil {
			return o, fmt.Errorf("--solver: %w", err)
		}
		o.Solver = path
	}
	return o, nil
}
