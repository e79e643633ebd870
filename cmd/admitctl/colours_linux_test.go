package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// pseudoTerminal opens a terminal that nobody looks at.
func pseudoTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	control := func(request uintptr, value *uint32) {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(value)))
		require.Zero(t, failed)
	}
	var unlocked, number uint32
	control(syscall.TIOCSPTLCK, &unlocked)
	control(syscall.TIOCGPTN, &number)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = terminal.Close() })
	return master, terminal
}

func TestColoursAreForTerminalsWhoseUserWantsThem(t *testing.T) {
	screen, terminal := pseudoTerminal(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "out.txt"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	tests := []struct {
		name    string
		environ []string
		flag    bool
		want    bool
	}{
		{"nothing set", nil, false, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false, false},
		{"NO_COLOR that is empty", []string{"NO_COLOR="}, false, true},
		{"dumb terminal", []string{"TERM=dumb"}, false, false},
		{"real terminal", []string{"TERM=xterm"}, false, true},
		{"--no-color", nil, true, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.False(t, colours(file, test.environ), "a file is no terminal")
			require.False(t, colours(&bytes.Buffer{}, test.environ))
			decision := engine.Decision{Gate: "compaction", Admit: true, Reason: "admit", Action: "submit"}
			require.NoError(t, writeOutput(&common{noColor: test.flag}, embedded, nil, stdio{out: terminal, environ: test.environ}, func(out output) error {
				_, err := out.Write(renderers(out.style, nil)["pretty"](nil, &line{decision: decision}))
				return err
			}))
			shown := make([]byte, 1000)
			count, err := screen.Read(shown)
			require.NoError(t, err)
			require.Contains(t, string(shown[:count]), "admit")
			require.Equal(t, test.want, bytes.Contains(shown[:count], []byte("\x1b[32m")))
		})
	}
}

// A name of a file is echoed on both outputs, and must not write to the terminal.
func TestNamesOfFilesAreEchoedAsText(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"red\x1b[31m.json", "bidi\u202e.json", "c1\u009b2J.json", "line\nadmit.json", "bell\a.json", "bytes\xff.json"}
	for _, name := range names[:3] {
		require.NoError(t, os.WriteFile(name, []byte(good), 0o600))
	}
	for _, format := range formats() {
		code, out, _ := command(t, append([]string{"eval", "-f", format}, names...)...)
		require.Equal(t, exitNoVerdict, code)
		require.Equal(t, len(names), strings.Count(out, "\n"), out)
	}
	for _, name := range names {
		for _, args := range [][]string{{"-p", name}, {"-t", name}, {"--settings", name}, {"-o", name + "/out"}, {"--gate", name}, {"-f", name}, {"--" + name}} {
			code, out, _ := command(t, append([]string{"eval", "names.json"}, args...)...)
			require.Equal(t, exitNoVerdict, code)
			require.Empty(t, out)
		}
	}
}

// What takes seconds says so to whoever watches, and to nobody else.
func TestProgressIsForTerminals(t *testing.T) {
	screen, terminal := pseudoTerminal(t)
	var file bytes.Buffer
	progress(stdio{err: &file}, &common{}, "comparing")()
	require.Empty(t, file.String())
	progress(stdio{err: terminal}, &common{quiet: true}, "quietly")()
	done := progress(stdio{err: terminal}, &common{}, "comparing")
	done()
	const want = "comparing …\r\x1b[K"
	shown := make([]byte, len(want)) // a terminal gives what was written in as many reads as it likes
	_, err := io.ReadFull(screen, shown)
	require.NoError(t, err)
	require.Equal(t, want, string(shown))
}
