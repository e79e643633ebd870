// Package policies holds the admission gates as operators edit them: a folder of Rego a gate, and one file of
// thresholds. The files are embedded, so that a binary decides without any file beside it; a directory of the same
// shape replaces them without recompiling.
package policies

import "embed"

// Files holds the shipped gates and thresholds, rooted at this folder, and what they come to: gates.table, which a test
// writes and holds to the rest, so that a process which decides by them as they are compiles nothing.
//
//go:embed thresholds.yaml guard fence compaction fanout gates.table
var Files embed.FS
