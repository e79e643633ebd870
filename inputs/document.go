package inputs

import (
	"iter"
	"strings"
)

// Document is one question to a gate. The structs of this package are the documents of the core gates.
type Document interface {
	// Gate names the gate that decides the document, such as "compaction".
	Gate() string
	// Validate returns nil or an *[Error]: a required field is missing, a value is out of its range, or fields
	// contradict each other.
	Validate() error
	// Fields yields every field that is there, by its dotted name ("primary.depth"), fields of one object together.
	// It does not yield the discriminator "gate".
	Fields() iter.Seq2[string, Value]
}

// Gates names the core gates, in the order of their documentation.
func Gates() []string {
	return []string{fenceShape.gate, retryShape.gate, bindShape.gate, compactionShape.gate, fanoutShape.gate}
}

// coreShape finds the shape of the documents of a core gate.
func coreShape(gate string) (shape, bool) {
	switch gate {
	case fenceShape.gate:
		return fenceShape, true
	case retryShape.gate:
		return retryShape, true
	case bindShape.gate:
		return bindShape, true
	case compactionShape.gate:
		return compactionShape, true
	case fanoutShape.gate:
		return fanoutShape, true
	}
	return nil, false
}

// shape finds the shape of the documents of a gate. The core's own cannot be replaced.
func (s Source) shape(gate string) (shape, bool) {
	if core, ok := coreShape(gate); ok {
		return core, true
	}
	for _, schema := range s.Schemas {
		if schema.Gate() == gate {
			return schema.shape, true
		}
	}
	return nil, false
}

// gates names the gates whose documents can be decoded.
func (s Source) gates() []string {
	names := Gates()
	for _, schema := range s.Schemas {
		names = append(names, schema.Gate())
	}
	return names
}

func (s Source) knownGates() string { return `write one of "` + strings.Join(s.gates(), `", "`) + `"` }
