package journal

import (
	"fmt"
	"unicode/utf8"
)

// Parse takes a record apart into r, whose lists and strings it uses again. What lies in Labels, Input, Result and Metrics
// is JSON, and of the right kind; whether the input is a document, [inputs.Decode] says, and [Decision] reads the result.
// Its error is an *[Error] that is an [ErrRecord]; then r means nothing.
func Parse(raw Raw, r *Record) error {
	p := &parser{scanner: scanner{text: raw.Text, keys: r.keys[:0]}, record: r}
	*r = Record{DecisionID: r.DecisionID, Path: r.Path, Revision: r.Revision, Erased: r.Erased[:0], Masked: r.Masked[:0]}
	err := p.parse()
	r.keys = p.keys
	if err != nil {
		return &Error{File: raw.File, Line: raw.Line, Problem: "no decision record: " + err.Error(), Kind: ErrRecord}
	}
	return nil
}

type parser struct {
	scanner
	record  *Record
	given   uint8  // of the fields that a record has
	named   bool   // the record itself names a revision
	bundle  string // the revision of the bundle of this program, or of the only one
	bundles int
	own     bool // bundle is that of this program
}

// The fields that a record must have, and the path.
const (
	hasID uint8 = 1 << iota
	hasTimestamp
	hasPath
)

// Bundle is the name under which the revision stands in "bundles", where OPA has that of each of its bundles.
const Bundle = "admitctl"

func (p *parser) parse() error {
	if !utf8.Valid(p.text) {
		return p.wrong("it is not UTF-8")
	}
	if p.peek() != '{' {
		return p.wrong("a record is an object")
	}
	if err := p.object(p.member); err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	if p.given&hasPath == 0 {
		p.record.Path = ""
	}
	switch {
	case p.given&hasID == 0:
		return fmt.Errorf(`it has no "decision_id"`)
	case p.given&hasTimestamp == 0:
		return fmt.Errorf(`it has no "timestamp"`)
	case !p.named && (p.own || p.bundles == 1):
		p.record.Revision = p.bundle
	case !p.named:
		p.record.Revision = ""
	}
	return nil
}

func (p *parser) member(key []byte) (err error) {
	r := p.record
	switch string(key) {
	case "decision_id":
		p.given |= hasID
		r.DecisionID, err = p.string(r.DecisionID)
	case "timestamp":
		p.given |= hasTimestamp
		err = p.timestamp()
	case "path":
		p.given |= hasPath
		r.Path, err = p.string(r.Path)
	case "revision":
		p.named = true
		r.Revision, err = p.string(r.Revision)
	case "bundles":
		err = p.object(p.bundleMember)
	case "labels":
		r.Labels, err = p.labels()
	case "metrics":
		r.Metrics, err = p.anyObject()
	case "input":
		r.Input, err = p.orNull()
	case "result":
		r.Result, err = p.orNull()
	case "erased":
		r.Erased, err = p.pointers(r.Erased)
	case "masked":
		r.Masked, err = p.pointers(r.Masked)
	default:
		_, err = p.value(1)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", key, err)
	}
	return nil
}

func (p *parser) timestamp() error {
	where, _, err := p.quoted()
	if err != nil {
		return err
	}
	return p.record.Timestamp.UnmarshalText(p.text[where.from:where.to])
}

func (p *parser) bundleMember(name []byte) error {
	p.bundles++
	own := string(name) == Bundle
	return p.object(func(key []byte) error {
		if string(key) != "revision" {
			_, err := p.value(2)
			return err
		}
		revision, err := p.string(p.record.Revision)
		if own || !p.own {
			p.bundle, p.own = revision, own
		}
		return err
	})
}

func (p *parser) labels() ([]byte, error) {
	p.peek()
	from := p.at
	err := p.object(func([]byte) error {
		_, _, err := p.quoted()
		return err
	})
	return p.text[from:p.at], err
}

func (p *parser) anyObject() ([]byte, error) {
	if p.peek() != '{' {
		return nil, p.wrong("expected an object")
	}
	return p.value(1)
}

// orNull passes over any value, and gives none for null.
func (p *parser) orNull() ([]byte, error) {
	if p.isNull() {
		return nil, nil
	}
	return p.value(1)
}

func (p *parser) pointers(into []string) ([]string, error) {
	err := p.array(func() error {
		pointer, err := p.string("")
		into = append(into, pointer)
		return err
	})
	return into, err
}
