package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interrupted runs a command line that its user ends once it reads (or, where it does not get that far, prints).
func interrupted(t *testing.T, in io.Reader, once string, args ...string) (code int, out, complaint string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	var stdout, stderr bytes.Buffer
	begun := make(chan string, 2)
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, args, stdio{in: telling{in, &stdout, begun}, out: telling{in, &stdout, begun}, err: &stderr})
	}()
	for said := ""; said != once; said = <-begun {
		continue
	}
	cancel(errors.New("interrupt signal received"))
	select {
	case code = <-done:
	case <-time.After(time.Minute):
		require.Fail(t, "the command does not end")
	}
	return code, stdout.String(), stderr.String()
}

// telling tells what is done with it, if somebody listens.
type telling struct {
	from  io.Reader
	to    io.Writer
	begun chan string
}

func (t telling) tell(what string) {
	select {
	case t.begun <- what:
	default:
	}
}

func (t telling) Read(into []byte) (int, error) {
	t.tell("reads")
	return t.from.Read(into)
}

func (t telling) Write(text []byte) (int, error) {
	defer t.tell("prints")
	return t.to.Write(text)
}

// Nobody writes to standard input: an interrupt must end the wait, which a read alone would not notice.
func TestAnInterruptEndsTheWaitForStandardInput(t *testing.T) {
	t.Run("for a document", func(t *testing.T) {
		in, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		code, out, complaint := interrupted(t, in, "reads", "eval", "-q", "-f", "reason", "-")
		require.Equal(t, exitNoVerdict, code)
		require.NotContains(t, out, "admit\n")
		require.Contains(t, complaint, "-: interrupt signal received")
	})
	t.Run("for a line", func(t *testing.T) {
		in, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		go func() { _, _ = io.WriteString(writer, good+"\n") }()
		code, out, complaint := interrupted(t, in, "prints", "eval", "-q", "-f", "reason", "--ndjson", "-")
		require.Equal(t, exitNoVerdict, code)
		require.Equal(t, "admit\n", out)
		require.Contains(t, complaint, "-: after line 1: interrupt signal received")
	})
}

// An interrupt ends the work too, and does not print a line for each document that was left.
func TestAnInterruptEndsTheWork(t *testing.T) {
	directory := t.TempDir()
	const lines = 20_000
	writeFiles(t, directory, map[string]string{"many.ndjson": strings.Repeat(good+"\n", lines)})
	require.NoError(t, os.Mkdir(filepath.Join(directory, "more"), 0o700))
	writeFiles(t, filepath.Join(directory, "more"), map[string]string{"a.json": good, "b.json": good})
	code, out, complaint := interrupted(t, strings.NewReader(""), "prints", "eval", "-q", "-f", "reason", directory)
	require.Equal(t, exitNoVerdict, code)
	require.Less(t, strings.Count(out, "\n"), lines)
	require.Contains(t, complaint, "stopped after line")
	require.Contains(t, complaint, "interrupt signal received")
}

func TestAReaderThatBreaksOffIsNoVerdict(t *testing.T) {
	for _, args := range [][]string{{"-"}, {"--ndjson", "-"}} {
		var out, complaint bytes.Buffer
		in := io.MultiReader(strings.NewReader(good+"\n"), brokenReader{})
		code := run(t.Context(), append([]string{"eval", "-q", "-f", "reason"}, args...), stdio{in: in, out: &out, err: &complaint})
		require.Equal(t, exitNoVerdict, code)
		require.Contains(t, complaint.String(), "broken pipe")
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }
