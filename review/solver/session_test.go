package solver_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/review/solver"
)

// script is a solver that says what a shell script does.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "solver")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	return path
}

// asked asks one question of a solver, and wants no longer than it may take.
func asked(t *testing.T, path string, limit time.Duration) (solver.Answer, map[string]int64, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	session, err := solver.Start(ctx, path, limit)
	require.NoError(t, err)
	defer session.Close()
	session.Say("(declare-const a Int)(declare-const b Bool)")
	return session.Ask("(and b (> a 3))", []string{"a", "b"})
}

func TestASolverIsNotBelievedWhateverItSays(t *testing.T) {
	says := func(first, then string) string {
		return "while read line; do case \"$line\" in *check-sat*) " + first + " ;; *get-value*) " + then + " ;; esac; done"
	}
	for name, c := range map[string]struct {
		script string
		answer solver.Answer
		fails  bool
	}{
		"none":                  {says("echo unsat", ""), solver.None, false},
		"unknown":               {says("echo unknown", ""), solver.Unknown, false},
		"found, with values":    {says("echo sat", "echo '((a 5) (b true))'"), solver.Found, false},
		"an error":              {says(`echo '(error "line 3")'`, ""), solver.Unknown, true},
		"a word":                {says("echo maybe", ""), solver.Unknown, true},
		"nothing, and ends":     {"exit 0", solver.Unknown, true},
		"ends in the middle":    {says("printf '(sat'; exit 0", ""), solver.Unknown, true},
		"values that are none":  {says("echo sat", "echo '((a x))'"), solver.Unknown, true},
		"values without names":  {says("echo sat", "echo '(5)'"), solver.Unknown, true},
		"a value beyond 64 bit": {says("echo sat", "echo '((a 99999999999999999999))'"), solver.Unknown, true},
		"lists without an end":  {says("head -c 1000 /dev/zero | tr '\\0' '('; exit 0", ""), solver.Unknown, true},
		"the end of a list":     {says("echo ')'", ""), solver.Unknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			answer, values, err := asked(t, script(t, c.script), time.Second)
			require.Equal(t, c.fails, err != nil, "%v", err)
			if c.fails {
				require.ErrorIs(t, err, solver.ErrSolver)
				require.Equal(t, solver.Unknown, answer, "nothing is proved")
				return
			}
			require.Equal(t, c.answer, answer)
			if answer == solver.Found {
				require.Equal(t, map[string]int64{"a": 5, "b": 1}, values)
			}
		})
	}
}

func TestASolverThatDoesNotAnswerIsEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // far more than it may take
	defer cancel()
	session, err := solver.Start(ctx, script(t, "sleep 600"), time.Millisecond)
	require.NoError(t, err)
	defer session.Close()
	_, _, err = session.Ask("true", nil)
	require.ErrorIs(t, err, solver.ErrSolver)
	require.NoError(t, ctx.Err())
}

func TestASolverThatIsNotThereSaysWhatToDo(t *testing.T) {
	_, err := solver.Start(t.Context(), filepath.Join(t.TempDir(), "z3"), time.Second)
	require.ErrorIs(t, err, solver.ErrSolver)
	require.ErrorContains(t, err, "--solver none")
}

func TestASessionThatFailedAnswersNothingMore(t *testing.T) {
	session, err := solver.Start(t.Context(), script(t, "exit 0"), time.Second)
	require.NoError(t, err)
	defer session.Close()
	_, _, first := session.Ask("true", nil)
	require.ErrorIs(t, first, solver.ErrSolver)
	_, _, second := session.Ask("true", nil)
	require.Equal(t, first, second)
}

// Without z3 this proves that nothing is there to be tried; CI has it.
func TestZ3Answers(t *testing.T) {
	path, err := exec.LookPath("z3")
	if err != nil {
		_, err = solver.Start(t.Context(), "z3", time.Second)
		require.ErrorIs(t, err, solver.ErrSolver)
		return
	}
	session, err := solver.Start(t.Context(), path, 10*time.Second)
	require.NoError(t, err)
	defer session.Close()
	session.Say("(declare-const a Int)(declare-const b Int)(declare-const c Bool)(assert (<= 0 a 10))(assert (<= (- 5) b 5))")
	answer, values, err := session.Ask("(and c (= (+ a b) (- 5)))", []string{"a", "b", "c"})
	require.NoError(t, err)
	require.Equal(t, solver.Found, answer)
	require.Equal(t, map[string]int64{"a": 0, "b": -5, "c": 1}, values)
	answer, _, err = session.Ask("(< (+ a b) (- 5))", nil)
	require.NoError(t, err)
	require.Equal(t, solver.None, answer, "and what was asked before does not count")
}
