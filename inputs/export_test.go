package inputs

// DecodeFast is the fast path alone.
func DecodeFast(data []byte, source Source) (Document, bool) { return decodeFast(data, &source) }

// DecodeByLibrary is the library path alone.
func DecodeByLibrary(data []byte, source Source) (Document, error) {
	return decodeByLibrary(data, &source)
}

// Valid is the straight-line check alone.
func Valid(document Document) bool { return document.(interface{ valid() bool }).valid() }

// ValidateByRecord is the check by the record alone.
func ValidateByRecord(document Document) error {
	switch d := document.(type) {
	case *Fence:
		return fenceShape.validate(d)
	case *Retry:
		return retryShape.validate(d)
	case *Bind:
		return bindShape.validate(d)
	case *Compaction:
		return compactionShape.validate(d)
	case *Fanout:
		return fanoutShape.validate(d)
	case *Custom:
		return d.schema.shape.validate(d)
	}
	return ErrUnknownGate
}

// PlainIdentifier is the part of ValidName that judges ASCII.
func PlainIdentifier(text string) bool { return plainIdentifier(text) }

// Under is a document as if another schema, of as many fields, had made it.
func Under(document *Custom, other *Schema) *Custom {
	return &Custom{schema: other, cells: document.cells}
}
