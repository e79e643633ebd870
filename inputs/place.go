package inputs

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// next is the offset at which the next token begins.
func (d *decoder) next() int {
	offset := int(d.tokens.InputOffset())
	for offset < len(d.data) && strings.IndexByte(" \t\r\n:,", d.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// broken is the error of JSON that cannot be read on: the library's words, at the library's place.
func (d *decoder) broken(where, mend string) error {
	_, err := d.tokens.ReadToken()
	problem := &Error{Path: where, Problem: "broken JSON", Mend: mend, Kind: ErrMalformed}
	offset := int(d.tokens.InputOffset())
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset = int(syntactic.ByteOffset)
		problem.Problem = strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
		if where == "" || syntactic.JSONPointer != "" {
			problem.Path = jsonPath(string(syntactic.JSONPointer), -1)
		}
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		problem.Kind, problem.Mend = ErrDuplicateField, "keep one of the two"
		problem.Problem = "duplicate field " + shorten(lastOf(string(syntactic.JSONPointer)))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		problem.Problem, offset = "the document ends in the middle", len(d.data)
	}
	return at(offset, problem)
}

// place gives an error its file, line and column.
func (d *decoder) place(err error) error {
	var found *placed
	if !errors.As(err, &found) {
		return err
	}
	before := d.data[:min(found.offset, len(d.data))]
	line := max(d.source.Line, 1) + bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	problem := found.problem
	problem.File, problem.Line, problem.Column, problem.Gate = d.source.File, line, column, d.gate
	return problem
}

// path is the JSON path of a dotted name or prefix.
func path(dotted string) string {
	dotted = strings.TrimSuffix(dotted, ".")
	if dotted == "" {
		return "$"
	}
	return "$." + dotted
}

// member is one step of a JSON path, quoted unless it is a plain name.
func member(name string) string {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	if plain {
		return "." + name
	}
	return "[" + shorten(name) + "]"
}

// jsonPath turns a JSON pointer into a JSON path, of the first steps alone if most is not negative.
func jsonPath(pointer string, most int) string {
	text := "$"
	for i, step := range strings.Split(pointer, "/") {
		switch {
		case i == 0:
		case most >= 0 && i > most:
			return text
		default:
			step = unescape(step)
			if _, err := strconv.Atoi(step); err == nil {
				text += "[" + step + "]"
			} else {
				text += member(step)
			}
		}
	}
	return text
}

func lastOf(pointer string) string { return unescape(pointer[strings.LastIndexByte(pointer, '/')+1:]) }

func unescape(step string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a flag"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "nothing"
}
