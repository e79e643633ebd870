// Command bench compares decisions of this project with the same contract written by hand and with general policy
// engines, in one run, and prints one table of ratios with their targets:
//
//	cd bench && go run . -write ../docs/performance.md
//
// It takes many minutes, and wants a machine that does nothing else. -only names the sections to run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/engine"
)

// bench is one run.
type bench struct {
	settings
	program *engine.Program // the shipped policies, with thresholds of three planes
	folder  string          // for what is built and generated
	busy    string          // how busy the machine was at the beginning
	rows    []report.Row
	log     *log.Logger
}

// settings are what the command line says.
type settings struct {
	rounds    int
	least     time.Duration
	mix       int
	documents int
	planes    int
	root      string
	opa       string
	only      string
	write     string
}

// section measures one kind of thing.
type section struct {
	name string
	run  func(*bench) error
}

func sections() []section {
	return []section{
		{"decisions", (*bench).decisions},
		{"bare", (*bench).bare},
		{"cores", (*bench).cores},
		{"planes", (*bench).manyPlanes},
		{"checks", (*bench).manyChecks},
		{"stream", (*bench).stream},
		{"load", (*bench).load},
		{"reload", (*bench).reload},
		{"processes", (*bench).processes},
	}
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(arguments []string, stdout, stderr io.Writer) error {
	b := &bench{busy: busy(), log: log.New(stderr, "bench: ", log.Ltime)}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.rounds, "rounds", 7, "rounds in which everything is timed")
	flags.DurationVar(&b.least, "least", 50*time.Millisecond, "the least time of a thing in a round")
	flags.IntVar(&b.mix, "mix", 1000, "documents in a mix")
	flags.IntVar(&b.documents, "documents", 1_000_000, "documents in the stream")
	flags.IntVar(&b.planes, "planes", 100_000, "planes in the largest thresholds")
	flags.StringVar(&b.root, "root", "..", "the folder of the repository")
	flags.StringVar(&b.opa, "opa", "", "the opa binary (default .bin/opa of the repository where it is there, else it is built)")
	flags.StringVar(&b.only, "only", "", "sections to run, with commas between (default all)")
	flags.StringVar(&b.write, "write", "", "write the page to this file too")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if b.rounds < 1 || b.mix < 10 || b.documents < 10 || b.planes < 1 {
		return fmt.Errorf("-rounds and -planes are at least 1, -mix and -documents at least 10")
	}
	var err error
	if b.root, err = filepath.Abs(b.root); err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	if b.program, err = compile(); err != nil {
		return err
	}
	if err := b.measure(); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.Write(&page, b.preface(), b.rows, b.notes()); err != nil {
		return err
	}
	if b.write != "" {
		if err := os.WriteFile(b.write, page.Bytes(), 0o644); err != nil { // a document is for everybody to read
			return err
		}
	}
	_, err = stdout.Write(page.Bytes())
	return err
}

// measure runs the sections that were asked for.
func (b *bench) measure() error {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(b.only, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	for _, section := range sections() {
		if b.only != "" && !wanted[section.name] {
			continue
		}
		delete(wanted, section.name)
		b.log.Print(section.name)
		if err := section.run(b); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	for name := range wanted {
		if name != "" {
			return fmt.Errorf("-only: there is no section %q", name)
		}
	}
	return nil
}

// add keeps a row for the table.
func (b *bench) add(row report.Row) { b.rows = append(b.rows, row) }
