package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func addOutputFlag(verb *cobra.Command, c *common) {
	verb.Flags().StringVarP(&c.output, "output", "o", "", "write to `FILE` instead of standard output")
}

// output is what a verb prints to, and the colours that its reader wants.
type output struct {
	io.Writer
	style style
}

// writeOutput runs write on standard output or on the file that -o names, which must be none of the policies (from is
// their directory) and none of the files that are read. The file is opened here and not before, so that no earlier
// mistake has emptied it.
func writeOutput(c *common, from string, read []string, io stdio, write func(output) error) (err error) {
	if err := mayWrite("output", c, from, read); err != nil {
		return err
	}
	out, closeOut, err := openOutput(c.output, io)
	if err != nil {
		return err
	}
	defer func() {
		if closed := closeOut(); closed != nil {
			err = fmt.Errorf("output: %w", closed)
		}
	}()
	own := style{}
	if !c.noColor && colours(out, io.environ) {
		own = terminal()
	}
	return write(output{out, own})
}

// mayWrite refuses a file for output that is one of the policies (from is their directory), or one that is read. flag names
// it.
func mayWrite(flag string, c *common, from string, read []string) error {
	if c.output != "" && from != embedded && isBelow(c.output, from) {
		return fmt.Errorf("--%s: %s lies in the policies, and would be loaded as one of them", flag, c.output)
	}
	output, err := os.Stat(c.output)
	if err != nil {
		return nil //nolint:nilerr // there is nothing yet that could be emptied
	}
	for _, file := range slices.Concat(read, c.thresholds, []string{c.settings}) {
		if info, err := os.Stat(file); err == nil && os.SameFile(info, output) && !info.IsDir() {
			return fmt.Errorf("--%s: %s is one of the files that are read, and would be %s", flag, c.output, map[string]string{"output": "emptied", "log": "added to"}[flag])
		}
	}
	return nil
}

// openOutput is standard output, or the file that -o names.
func openOutput(name string, io stdio) (out io.Writer, closeOut func() error, err error) {
	if name == "" {
		return io.out, func() error { return nil }, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--output: %w", err)
	}
	return file, file.Close, nil
}

// isBelow reports whether a file lies in a directory or below it.
func isBelow(file, directory string) bool {
	from, err := filepath.Abs(directory)
	if err != nil {
		return false
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	way, err := filepath.Rel(from, to)
	return err == nil && filepath.IsLocal(way)
}

// fileOf is the regular file that a writer writes, or nil.
func fileOf(out io.Writer) fs.FileInfo {
	file, ok := out.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// style holds the terminal's colours, or nothing.
type style struct{ good, bad, warn, dim, reset string }

func terminal() style {
	return style{good: "\x1b[32m", bad: "\x1b[1;31m", warn: "\x1b[33m", dim: "\x1b[2m", reset: "\x1b[0m"}
}

// colours reports whether out is a terminal whose user wants colours.
func colours(out io.Writer, environ []string) bool {
	if !isTerminal(out) {
		return false
	}
	return !slices.ContainsFunc(environ, func(pair string) bool {
		name, value, _ := strings.Cut(pair, "=")
		return name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb"
	})
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
