package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// MaxFile is the size of the largest table file, in bytes.
const MaxFile = 16 << 20

// Why a table file is refused; each is an [ErrTable].
var (
	// ErrFormat: the file is no table file.
	ErrFormat = fmt.Errorf("%w: no table file", ErrTable)
	// ErrVersion: the file is a table file that another version of this package wrote.
	ErrVersion = fmt.Errorf("%w: of another version", ErrTable)
	// ErrDamaged: the file is not as it was written.
	ErrDamaged = fmt.Errorf("%w: damaged", ErrTable)
	// ErrTooLarge: the file has, or would have, more than [MaxFile] bytes.
	ErrTooLarge = fmt.Errorf("%w: too large", ErrTable)
)

// A table file is two lines and what the gates come to:
//
//	admitctl table 1
//	sha256:‹digest of the line above and of the content›
//	‹content›
const (
	formatName = "admitctl table "
	formatLine = formatName + "1\n"
	digestName = "sha256:"
	digestLine = len(digestName) + 2*sha256.Size + 1
	rebuild    = "build it anew: admitctl build -o FILE"
)

// Write writes gates of one revision as a table file, for [Read]. The same gates give the same bytes. Its error is an
// [ErrTable], or that of w.
func Write(w io.Writer, gates ...*Gate) error {
	set, err := newSet(gates)
	if err != nil {
		return err
	}
	for _, name := range set.Names() {
		if err := set.gates[name].program.Validate(); err != nil {
			return err
		}
	}
	c := codec{content: make([]byte, 0, 64<<10)}
	c.set(set)
	file := seal(c.content)
	if len(file) > MaxFile {
		return fmt.Errorf("%w: %d bytes, and at most %d are read; keep fewer rows in the thresholds", ErrTooLarge, len(file), MaxFile)
	}
	_, err = w.Write(file)
	return err
}

// Read reads a table file. Its error is an [ErrTable], or that of r: a file that was changed in any way, or that is of
// another version, is refused. The digest finds mistakes and not malice, which could write one: what a file may say is
// checked all the same ([Program.Validate]), but who can write the file decides what is admitted.
func Read(r io.Reader) (*Set, error) {
	file, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(file) > MaxFile:
		return nil, fmt.Errorf("%w: more than %d bytes; is it the right file?", ErrTooLarge, MaxFile)
	}
	content, err := open(file)
	if err != nil {
		return nil, err
	}
	c, set := codec{reading: true, content: content}, &Set{}
	c.set(set)
	switch {
	case c.err != nil:
		return nil, fmt.Errorf("%w; %s", c.err, rebuild)
	case len(c.content) > 0:
		return nil, fmt.Errorf("%w: its content goes on after its gates; %s", ErrTable, rebuild)
	}
	return set, nil
}

// seal puts the two lines before a content.
func seal(content []byte) []byte {
	return slices.Concat([]byte(formatLine), []byte(digestOf(content)), content)
}

func digestOf(content []byte) string {
	digest := sha256.New()
	_, _ = digest.Write([]byte(formatLine)) // it never fails
	_, _ = digest.Write(content)
	return digestName + hex.EncodeToString(digest.Sum(nil)) + "\n"
}

// open is the content of a file that is as it was written.
func open(file []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(file, []byte(formatName))
	if !ok {
		return nil, fmt.Errorf("%w: it does not begin with %q; %s", ErrFormat, formatName, rebuild)
	}
	content, ok := bytes.CutPrefix(file, []byte(formatLine))
	if !ok {
		version, _, _ := bytes.Cut(rest[:min(len(rest), 20)], []byte("\n")) // what is no table file may have no line
		return nil, fmt.Errorf("%w: it is of version %q, and this program reads version 1; build both of one version of admitctl", ErrVersion, version)
	}
	if len(content) < digestLine || string(content[:digestLine]) != digestOf(content[digestLine:]) {
		return nil, fmt.Errorf("%w: its digest is not that of its content: it was cut off, added to or changed; copy it anew, or %s", ErrDamaged, rebuild)
	}
	return content[digestLine:], nil
}

// set goes over all gates, in the order of their names.
func (c *codec) set(s *Set) {
	c.text(&s.revision)
	gates := make([]*Gate, 0, len(s.gates))
	for _, name := range s.Names() {
		gates = append(gates, s.gates[name])
	}
	list(c, &gates, func(c *codec, at **Gate) { c.gate(at, s.revision) })
	if !c.reading || c.err != nil {
		return
	}
	read, err := newSet(gates)
	if err != nil {
		c.err = err
		return
	}
	*s = *read
}

// gate is a program, its constants and its rows.
func (c *codec) gate(at **Gate, revision string) {
	program := new(Program)
	if !c.reading {
		program = (*at).program
	}
	c.program(program)
	if c.reading {
		if c.err == nil {
			c.err = program.Validate()
		}
		if c.err != nil {
			return
		}
		*at = program.unbound(revision)
	}
	g := *at
	for i := range g.constants {
		c.signed(&g.constants[i])
		c.origin(&g.origins[i])
		if literal := program.Constants[i]; literal.Path == nil && g.constants[i] != literal.Value {
			c.fail()
		}
	}
	for i := range g.rows {
		c.rows(&g.rows[i], &program.Lookups[i])
	}
	if c.reading && c.err == nil {
		c.err = g.finish()
	}
}

// rows are the rows of a lookup, in the order of their names.
func (c *codec) rows(r *rows, of *Lookup) {
	names := r.names()
	texts(c, &names)
	if c.reading {
		*r = rows{text: of.Text, first: of.First, width: len(of.Columns), index: make(map[string]uint32, len(names))}
		r.bits, r.numbers = make([]uint64, len(names)), make([]int64, len(names)*r.width)
	}
	for i, name := range names {
		row := i
		switch {
		case !c.reading:
			row = int(r.index[name])
		case i > 0 && names[i-1] >= name:
			c.fail()
			return
		default:
			r.index[name] = uint32(i)
		}
		whole(c, &r.bits[row])
		for column := range r.width {
			c.signed(&r.numbers[row*r.width+column])
		}
		if c.err != nil {
			return
		}
	}
}

// newSet puts gates of one revision together.
func newSet(gates []*Gate) (*Set, error) {
	s := &Set{gates: make(map[string]*Gate, len(gates)), schemas: map[string]*inputs.Schema{}}
	if len(gates) == 0 {
		return nil, fmt.Errorf("%w: there are no gates", ErrTable)
	}
	for _, g := range gates {
		name := g.Name()
		switch {
		case g == nil:
			return nil, fmt.Errorf("%w: one of the gates is not there: it did not tabulate", ErrTable)
		case s.gates[name] != nil:
			return nil, fmt.Errorf("%w: gate %s is there twice", ErrTable, name)
		case len(s.gates) > 0 && g.revision != s.revision:
			return nil, fmt.Errorf("%w: gate %s is of another revision than the others; take all from one program", ErrTable, name)
		}
		s.gates[name], s.revision = g, g.revision
		if inputs.Properties(name) != nil {
			continue
		}
		schema, err := inputs.NewSchema(name, g.program.Properties)
		if err != nil {
			return nil, fmt.Errorf("%w: gate %s: %w", ErrTable, name, err)
		}
		s.schemas[name] = schema
	}
	return s, nil
}
