package inputs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a document.
const (
	// MaxBytes is the size of the largest document, in bytes.
	MaxBytes = 64 << 10
	// MaxDepth is how deep objects and arrays may nest.
	MaxDepth = 32
)

// Source says where a document comes from. The zero Source is a document without a file.
type Source struct {
	File string // named in errors
	Line int    // the line of File that the document begins on, from 1; 0 counts as 1
	Gate string // decides documents that have no "gate"; empty refuses them

	Schemas []*Schema // of gates beside the core ones, whose documents are then decoded too
}

// Decode reads one document: a JSON object whose "gate" says which. It returns the document, valid, or an *[Error].
func Decode(data []byte, source Source) (Document, error) {
	if document, ok := decodeFast(data, &source); ok {
		return document, nil
	}
	return decodeByLibrary(data, &source)
}

// decodeByLibrary says what a document is, and what is wrong with it.
func decodeByLibrary(data []byte, source *Source) (Document, error) {
	d := &decoder{data: data, source: *source}
	document, err := d.document()
	if err != nil {
		return nil, d.place(err)
	}
	return document, nil
}

// decodeInto is [Decode] for a document whose gate is known.
func decodeInto[D any](data []byte, shape *record[D], into *D) error {
	document, err := Decode(data, Source{Gate: shape.gate})
	if err != nil {
		return err
	}
	same, ok := any(document).(*D)
	if !ok {
		return &Error{Path: "$.gate", Problem: "the document is one of " + document.Gate() + ", not of " + shape.gate, Kind: ErrUnknownGate}
	}
	*into = *same
	return nil
}

// decoder reads one document. Errors carry the byte offset until place turns it into line and column.
type decoder struct {
	data   []byte
	source Source
	gate   string // once it is known
	tokens *jsontext.Decoder
}

// jsonObject is an object that is being read: its dotted prefix and where it began.
type jsonObject struct {
	prefix string
	start  int
}

// placed is a problem at a byte offset of the document.
type placed struct {
	problem *Error
	offset  int
}

func (p *placed) Error() string { return p.problem.Error() }

func at(offset int, problem *Error) error { return &placed{problem: problem, offset: offset} }

func (d *decoder) document() (Document, error) {
	if len(d.data) > MaxBytes {
		return nil, at(0, tooLarge())
	}
	if bytes.HasPrefix(d.data, []byte("\xef\xbb\xbf")) {
		return nil, at(0, &Error{Path: "$", Problem: "begins with a byte order mark", Mend: "save it as UTF-8 without one", Kind: ErrMalformed})
	}
	d.tokens = jsontext.NewDecoder(bytes.NewBuffer(d.data))
	start := d.next()
	if kind := d.tokens.PeekKind(); kind != '{' {
		return nil, d.noObject(kind, start)
	}
	shape, err := d.shape(start)
	if err != nil {
		return nil, err
	}
	d.gate = shape.name()
	document, err := shape.decode(d, jsonObject{start: start})
	if err != nil {
		return nil, err
	}
	end := d.next()
	if _, err := d.tokens.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, at(end, &Error{Path: "$", Problem: "more text after the document", Mend: "one file holds one document; with a document a line, name it .ndjson or say --ndjson", Kind: ErrMalformed})
	}
	if err := document.Validate(); err != nil {
		var problem *Error
		errors.As(err, &problem)
		return nil, at(start, problem)
	}
	return document, nil
}

func tooLarge() *Error {
	return &Error{Path: "$", Problem: fmt.Sprintf("more than %d bytes", MaxBytes), Mend: "a document is one decision's evidence, a few hundred bytes", Kind: ErrTooLarge}
}

func (d *decoder) noObject(kind jsontext.Kind, start int) error {
	problem := "expected one JSON object, and there is nothing"
	switch kind {
	case 'n', 't', 'f', '0', '"', '[':
		problem = "expected one JSON object, not " + kindName(kind)
	default:
		if start < len(d.data) {
			return d.broken("$", "")
		}
	}
	return at(start, &Error{Path: "$", Problem: problem, Mend: `write {"gate": …}`, Kind: ErrMalformed})
}

// shape finds the shape of the document by its "gate", wherever in the object that stands, without moving tokens.
func (d *decoder) shape(start int) (shape, error) {
	scan := &decoder{data: d.data, source: d.source, tokens: jsontext.NewDecoder(bytes.NewBuffer(d.data))}
	gate, offset := d.source.Gate, start
	named := false
	var misspelt error
	if _, err := scan.tokens.ReadToken(); err != nil {
		return nil, scan.broken("$", "")
	}
	for scan.tokens.PeekKind() == '"' {
		begin := scan.next()
		name, err := scan.tokens.ReadToken()
		if err != nil {
			return nil, scan.broken("$", "")
		}
		if name.String() != "gate" {
			if strings.EqualFold(name.String(), "gate") {
				misspelt = at(begin, &Error{Path: "$" + member(name.String()), Problem: "unknown field " + shorten(name.String()), Mend: `did you mean "gate"?`, Kind: ErrUnknownField})
			}
			if err := scan.skip(); err != nil {
				return nil, err
			}
			continue
		}
		offset = scan.next()
		value, err := scan.tokens.ReadToken()
		if err != nil {
			return nil, scan.broken("$.gate", "write the name of a gate")
		}
		if value.Kind() != '"' {
			return nil, at(offset, &Error{Path: "$.gate", Problem: kindName(value.Kind()) + " is of the wrong type", Mend: d.source.knownGates(), Kind: ErrWrongType})
		}
		gate, named = value.String(), true
		break
	}
	switch {
	case !named && scan.tokens.PeekKind() != '}':
		return nil, scan.broken("$", "")
	case gate == "" && misspelt != nil:
		return nil, misspelt
	case gate == "":
		return nil, at(start, &Error{Path: "$", Problem: `missing required "gate"`, Mend: d.source.knownGates() + ", or say --gate", Kind: ErrUnknownGate})
	}
	shape, ok := d.source.shape(gate)
	if !ok {
		problem := shorten(gate) + " is no gate"
		if nearest := Nearest(gate, d.source.gates()); nearest != "" {
			problem += fmt.Sprintf(" (did you mean %q?)", nearest)
		}
		return nil, at(offset, &Error{Path: "$.gate", Problem: problem, Mend: d.source.knownGates(), Kind: ErrUnknownGate})
	}
	return shape, nil
}

// skip passes over one value, whatever it is, but for one that nests too deep.
func (d *decoder) skip() error {
	offset := d.next()
	for depth := d.tokens.StackDepth(); ; {
		if _, err := d.tokens.ReadToken(); err != nil {
			return d.broken("", "")
		}
		if d.tokens.StackDepth() > MaxDepth {
			return at(offset, &Error{Path: jsonPath(string(d.tokens.StackPointer()), 1), Problem: fmt.Sprintf("nests deeper than %d", MaxDepth), Mend: "documents are flat", Kind: ErrTooDeep})
		}
		if d.tokens.StackDepth() == depth {
			return nil
		}
	}
}
