// Command service is the smallest service that decides without OPA: it reads a table file that "admitctl build" wrote,
// and one document, and says what to do.
//
//	service -table gates.table [FILE]
//
// FILE holds the document; without it standard input does. The exit code is that of admitctl eval: 0 admitted, 1
// rejected, 2 not decided.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

const (
	admitted   = 0
	rejected   = 1
	notDecided = 2
)

// run decides one document.
func run(args []string, in io.Reader, out, complaints io.Writer) int {
	flags := flag.NewFlagSet("service", flag.ContinueOnError)
	flags.SetOutput(complaints)
	name := flags.String("table", "gates.table", "the `FILE` that admitctl build wrote")
	if err := flags.Parse(args); err != nil {
		return notDecided
	}
	gates, err := load(*name)
	if err != nil { // a service does not start without its gates
		return complain(complaints, err)
	}
	document, err := read(gates, flags.Arg(0), in)
	if err != nil {
		return complain(complaints, err)
	}
	verdict, err := gates.Verdict(document)
	if err != nil {
		return complain(complaints, err)
	}
	if _, err := fmt.Fprintln(out, verdict.Reason, verdict.Action); err != nil {
		return complain(complaints, err)
	}
	if !verdict.Admit {
		return rejected
	}
	return admitted
}

func load(name string) (*table.Set, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	gates, err := table.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return gates, nil
}

// read decodes the document of a file, or of standard input.
func read(gates *table.Set, name string, in io.Reader) (inputs.Document, error) {
	if name != "" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, inputs.MaxBytes+1)) // one more is too many, and the decoder says so
	if err != nil {
		return nil, err
	}
	return gates.Decode(text, inputs.Source{File: name})
}

func complain(to io.Writer, err error) int {
	_, _ = fmt.Fprintln(to, "service:", err) // there is nobody left to tell if that fails
	return notDecided
}
