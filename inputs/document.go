package inputs

import "iter"

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

// shapeOf finds the shape of the documents of a gate.
func shapeOf(gate string) (shape, bool) {
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
