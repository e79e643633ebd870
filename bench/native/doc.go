// Package native is the contract of the five gates as a careful service author would write it by hand, for one service
// and for good: checks in a fixed order, thresholds in a struct, no policy language. It is what a decision costs at
// least, and what package engine is measured against.
//
// What it gives up for its speed: the order of checks is code, a check cannot be added without a release, and neither
// observations nor limits are reported.
//
//	thresholds, err := native.Read(program.Data())
//	verdict := thresholds.DecideCompaction(&inputs.Compaction{...})
package native
