// Package inputs holds the documents that the gates decide: a Go struct a gate, and strict decoding of the same
// documents from JSON.
//
// A document is a question to a gate: may this intent be admitted, may this summary still be generated? Start with
// the struct of the gate ([Fence], [Retry], [Bind], [Compaction], [Fanout]), or with [Decode] for bytes and [Reader]
// for a stream.
//
// Most fields hold a measured signal, and a signal may be unknown. Unknown is not zero: a [Field] is absent (its zero
// value), unknown (JSON null) or known, and is written
//
//	inputs.Compaction{SlackMS: inputs.Known(9000), LatestVersion: inputs.Unknown(), ...}
//
// Whatever is wrong with a document is one *[Error] that names file, line, column and path, and that errors.Is matches
// with [ErrInvalid] and with the sentinel of its kind. Nothing is guessed, replaced or ignored.
package inputs
