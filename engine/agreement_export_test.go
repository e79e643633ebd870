package engine

import "context"

// GiveTable gives a gate of a program the table of another, which may decide otherwise.
func GiveTable(program, other *Program, gate string) {
	program.gates[gate].table = other.gates[gate].table
}

// AgreeAtLoad holds the table of a gate against OPA as a load does, and takes it away where they disagree.
func AgreeAtLoad(ctx context.Context, program *Program, gate string) {
	own := program.gates[gate]
	if own.why = program.agree(ctx, own, atLoad, false).Err; own.why != nil {
		own.table = nil
	}
	program.warnings = append(program.warnings, program.disagreements(nil)...)
}
