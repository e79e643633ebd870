package journal

import (
	_ "embed"
	"slices"
)

// recordSchema is written by hand: it is the shape of what [Writer.Append] appends.
//
//go:embed record.schema.json
var recordSchema []byte

// Schema is the JSON Schema of a record that a [Writer] writes. Records of OPA itself can have more in them.
func Schema() []byte { return slices.Clone(recordSchema) }
