package journal

import (
	_ "embed" // the schema
	"encoding/json"
	"slices"
)

//go:embed record.schema.json
var recordSchema []byte

// Schema is the JSON Schema of the records that a [Writer] writes. It refers to that of decisions, "decision.schema.json"
// beside it. What [Parse] takes is more: OPA's own records have other fields, and other results.
func Schema() json.RawMessage { return slices.Clone(recordSchema) }
