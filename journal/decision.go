package journal

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Decision reads the result of a record into d, whose lists it uses again. A decision that stock OPA made has no policy;
// one without the other fields is refused, as is one with more.
func Decision(result []byte, d *table.Decision) error {
	r := &resultReader{scanner: scanner{text: result}, into: d}
	*d = table.Decision{Violations: none(d.Violations), Effects: none(d.Effects), Unknown: none(d.Unknown)}
	if !utf8.Valid(result) {
		return fmt.Errorf("%w: it is not UTF-8", ErrRecord)
	}
	err := r.object(r.member)
	if err == nil {
		err = r.end()
	}
	if err == nil && r.given != hasAll {
		err = fmt.Errorf("it lacks a part of a decision")
	}
	if err != nil {
		return fmt.Errorf("%w: the result is no decision: %w", ErrRecord, err)
	}
	return nil
}

// none is an empty list in the place of one that is there, and never nil, as decisions have it.
func none[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list[:0]
}

type resultReader struct {
	scanner
	into  *table.Decision
	given uint8
}

// hasAll has a bit for each of the seven fields that every decision has.
const hasAll = 1<<7 - 1

func (r *resultReader) member(key []byte) (err error) {
	d := r.into
	switch string(key) {
	case "gate":
		r.given |= 1
		d.Gate, err = r.string("")
	case "admit":
		r.given |= 1 << 1
		d.Admit, err = r.flag()
	case "reason":
		r.given |= 1 << 2
		d.Reason, err = r.string("")
	case "action":
		r.given |= 1 << 3
		d.Action, err = r.string("")
	case "violations":
		r.given |= 1 << 4
		err = r.array(r.violation)
	case "effects":
		r.given |= 1 << 5
		err = r.array(r.effect)
	case "unknown":
		r.given |= 1 << 6
		err = r.array(func() error {
			name, err := r.string("")
			d.Unknown = append(d.Unknown, name)
			return err
		})
	case "policy":
		err = r.object(r.policy)
	case "error":
		d.Error, err = r.string("")
	default:
		err = fmt.Errorf("a decision has no such field")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", key, err)
	}
	return nil
}

func (r *resultReader) policy(key []byte) (err error) {
	if string(key) != "revision" {
		return fmt.Errorf("%q: a decision has no such field", key)
	}
	r.into.Policy.Revision, err = r.string("")
	return err
}

func (r *resultReader) violation() error {
	var v table.Violation
	err := r.object(func(key []byte) (err error) {
		switch string(key) {
		case "reason":
			v.Reason, err = r.string("")
		case "observed":
			v.Observed, err = r.scalar()
		case "limit":
			v.Limit, err = r.scalar()
		default:
			err = fmt.Errorf("%q: a violation has no such field", key)
		}
		return err
	})
	r.into.Violations = append(r.into.Violations, v)
	return err
}

func (r *resultReader) effect() error {
	var e table.Effect
	err := r.object(func(key []byte) (err error) {
		switch string(key) {
		case "plane":
			e.Plane, err = r.string("")
		case "counter":
			e.Counter, err = r.string("")
		case "delta":
			var delta inputs.Value
			if delta, err = r.scalar(); err == nil && delta.Kind != inputs.KindNumber {
				err = r.wrong("expected a whole number")
			}
			e.Delta = delta.Number
		default:
			err = fmt.Errorf("%q: an effect has no such field", key)
		}
		return err
	})
	r.into.Effects = append(r.into.Effects, e)
	return err
}

func (r *resultReader) flag() (bool, error) {
	value, err := r.scalar()
	if err == nil && value.Kind != inputs.KindFlag {
		err = r.wrong("expected true or false")
	}
	return value.Flag, err
}

// scalar reads a whole number, a flag, a string or null.
func (r *resultReader) scalar() (inputs.Value, error) {
	if r.peek() == '"' {
		text, err := r.string("")
		return inputs.Value{Kind: inputs.KindText, Text: text}, err
	}
	text, err := r.value(maxDepth)
	switch {
	case err != nil:
		return inputs.Value{}, err
	case string(text) == "null":
		return inputs.Value{}, nil
	case string(text) == "true", string(text) == "false":
		return inputs.Value{Kind: inputs.KindFlag, Flag: text[0] == 't'}, nil
	}
	number, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return inputs.Value{}, r.wrong("expected a whole number, a flag, a string or null")
	}
	return inputs.Value{Kind: inputs.KindNumber, Number: number}, nil
}
