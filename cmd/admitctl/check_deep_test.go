package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// disagreeing is what check knows of policies of which a table is wrong.
func disagreeing(t *testing.T) (checked, engine.Agreement) {
	t.Helper()
	program, err := shipped()
	require.NoError(t, err)
	own := engine.Agreement{
		Gate: "fanout", Table: true, Documents: 3602, Outside: 2, Mismatches: 7,
		Err: fmt.Errorf(`%w: gate fanout: the table decides {"admit":true}, and OPA {"admit":false}, on {"gate":"fanout"}`, engine.ErrDisagreement),
	}
	c := checked{Report: engine.Report{Program: program}, from: "mine", deep: []engine.Agreement{own}}
	c.Warnings = append(c.Warnings, c.mismatch(own))
	return c, own
}

// A table that is wrong fails a check, strict or not, and every format shows both decisions and the document.
func TestADisagreementFailsACheckInEveryFormat(t *testing.T) {
	c, _ := disagreeing(t)
	var failed *exitError
	require.ErrorAs(t, c.verdict(false), &failed)
	require.Equal(t, exitReject, failed.code)
	c.Warnings[0].Kind = engine.ErrTabulation
	require.NoError(t, c.verdict(false), "OPA may decide")
	require.Error(t, c.verdict(true))

	c, _ = disagreeing(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"pretty": func(out *bytes.Buffer) error { return c.writePretty(out, style{}, false, false) },
		"json":   func(out *bytes.Buffer) error { return c.writeJSON(out) },
		"sarif":  func(out *bytes.Buffer) error { return c.writeSARIF(out) },
		"github": func(out *bytes.Buffer) error { return c.writeGitHub(out) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		text := string(bytes.ReplaceAll(out.Bytes(), []byte(`\"`), []byte(`"`)))
		require.Contains(t, text, `the table decides {"admit":true}, and OPA {"admit":false}, on {"gate":"fanout"}`, name)
		if name != "pretty" {
			require.Contains(t, text, "disagreement", name)
		}
	}
}

// Whoever wants quiet is spared limits of 0, and not a table that is wrong.
func TestADisagreementIsToldEvenWhenQuiet(t *testing.T) {
	c, _ := disagreeing(t)
	all := slices.Concat(c.Warnings, []engine.Problem{{Problem: "is 0", Kind: engine.ErrThresholds}})
	var loud, quiet bytes.Buffer
	warn(stdio{err: &loud}, all, false)
	warn(stdio{err: &quiet}, all, true)
	require.Contains(t, loud.String(), "is 0")
	require.NotContains(t, quiet.String(), "is 0")
	require.Contains(t, quiet.String(), "admitctl: warning: ")
	require.Contains(t, quiet.String(), "the table and OPA disagree: gate fanout: the table decides")
}

func TestALineAGateSaysWhatWasCompared(t *testing.T) {
	_, own := disagreeing(t)
	require.Equal(t, "gate fanout: 3602 documents compared with OPA, with its rule index and without; 2 left to OPA, 7 decided differently", compared(own))
	require.Equal(t, "gate fanout: no table to compare with OPA", compared(engine.Agreement{Gate: "fanout"}))
}

func TestAnInterruptEndsTheComparison(t *testing.T) {
	program, err := shipped()
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	c := checked{Report: engine.Report{Program: program}}
	err = c.deepen(ctx, &common{}, stdio{err: &bytes.Buffer{}})
	require.EqualError(t, err, "--deep: stopped in gate compaction: interrupt signal received")
	require.Empty(t, c.deep)
}
