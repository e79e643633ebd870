package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// replayedSide is one side of a replay.
type replayedSide struct {
	name     string
	program  *engine.Program
	revision string
	schemas  []*inputs.Schema
	gates    map[string]replayedReads
}

// replayedReads are what a gate reads of its documents; of a gate without a table nobody knows.
type replayedReads struct {
	known  bool
	fields []string
}

func newReplayedSide(side Side) *replayedSide {
	s := &replayedSide{name: side.Name, program: side.Program, revision: side.Program.Revision(), schemas: side.Program.Schemas(), gates: map[string]replayedReads{}}
	for _, gate := range side.Program.Gates() {
		reads := replayedReads{}
		if decided := side.Program.Table(gate); decided != nil {
			reads = replayedReads{known: true, fields: decided.Program().Reads()}
		}
		s.gates[gate] = reads
	}
	return s
}

// reads reports whether the decision of a gate can depend on what stands at a JSON pointer into the record.
func (s *replayedSide) reads(gate, pointer string) bool {
	path, ok := strings.CutPrefix(pointer, "/input")
	if !ok {
		return false
	}
	own := s.gates[gate]
	if !own.known || path == "" || path == "/" {
		return true
	}
	field := strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ".")
	return field == "gate" || slices.ContainsFunc(own.fields, func(read string) bool {
		return read == field || strings.HasPrefix(read, field+".") // the field, or one inside it
	})
}

func (s *replayedSide) revisionOf() Revision { return Revision{Name: s.name, Revision: s.revision} }

// wrong says of which side an error is.
func (s *replayedSide) wrong(err error) error { return fmt.Errorf("by %s: %w", s.name, err) }
