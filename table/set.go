package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// Set is the gates of a table file. It is immutable and safe for concurrent use; the zero Set, and nil, reject.
type Set struct {
	gates    map[string]*Gate
	schemas  map[string]*inputs.Schema // of those that have no struct
	revision string
}

// Gate is a gate of the set, nil where it has none of this name. It decides documents that have a struct and those of
// [Set.Decode]; [Set.Decide] also those that were decoded elsewhere.
func (s *Set) Gate(name string) *Gate {
	if s == nil {
		return nil
	}
	return s.gates[name]
}

// Names lists the gates of the set, sorted.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.gates))
}

// Revision names the policies that the set was built of: "sha256:" and a digest.
func (s *Set) Revision() string {
	if s == nil {
		return ""
	}
	return s.revision
}

// Schemas describes the documents of the gates that operators added, sorted: what [inputs.Source] needs to decode them.
func (s *Set) Schemas() []*inputs.Schema {
	if s == nil {
		return nil
	}
	schemas := make([]*inputs.Schema, 0, len(s.schemas))
	for _, name := range slices.Sorted(maps.Keys(s.schemas)) {
		schemas = append(schemas, s.schemas[name])
	}
	return schemas
}

// Decode is [inputs.Decode] of documents of every gate, those that operators added included.
func (s *Set) Decode(data []byte, source inputs.Source) (inputs.Document, error) {
	source.Schemas = append(source.Schemas[:len(source.Schemas):len(source.Schemas)], s.Schemas()...)
	return inputs.Decode(data, source)
}

// Decide decides a document by its gate, as [Gate.Decide] does. A document of a gate that is not in the set is an
// [inputs.ErrUnknownGate] and a reject.
func (s *Set) Decide(document inputs.Document, d *Decision) error {
	gate, document, err := s.enter(document)
	if err != nil {
		d.Refuse(gate.Name(), ReasonInvalidInput, s.Revision(), err)
		return err
	}
	if err = gate.Answer(document, d); err != nil {
		err = gate.named(err)
		d.Refuse(gate.Name(), ReasonError, s.revision, err)
	}
	return err
}

// Verdict is [Gate.Verdict] by the gate of a document: it allocates nothing. Beside an error, which is as that of
// [Set.Decide], it rejects.
func (s *Set) Verdict(document inputs.Document) (Verdict, error) {
	gate, document, err := s.enter(document)
	if err != nil {
		return refused(ReasonInvalidInput), err
	}
	v, err := gate.Judge(document)
	if err != nil {
		err = gate.named(err)
	}
	return v, err
}

// enter is the gate of a document, and the document, valid and as that gate's schema has it: a document of an added gate
// can have been decoded by another schema, whose fields lie elsewhere. The gate is there beside an error too where it is
// known.
func (s *Set) enter(document inputs.Document) (gate *Gate, own inputs.Document, err error) {
	defer func() { // whoever implements a Document can panic
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%w: the document panicked: %v", inputs.ErrInvalid, caught)
		}
	}()
	if document == nil {
		return nil, nil, fmt.Errorf("%w: there is no document", inputs.ErrInvalid)
	}
	name := document.Gate()
	if gate = s.Gate(name); gate == nil {
		return nil, nil, fmt.Errorf("%w: %q is not in the table, which has %s; build it with that gate", inputs.ErrUnknownGate, name, strings.Join(s.Names(), ", "))
	}
	if schema := s.schemas[name]; schema != nil {
		own, err := schema.Accept(document)
		return gate, own, err
	}
	return gate, document, document.Validate()
}
