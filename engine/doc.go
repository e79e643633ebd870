// Package engine turns policies into decisions: it loads the gates (Rego) and their thresholds (YAML), refuses what
// could decide wrongly, and decides documents.
//
// [Compile] does everything that can fail and gives an immutable [Program]; (*Program).Decide is called on the hot
// path, concurrently, and rejects whenever it cannot decide:
//
//	program, err := engine.Compile(ctx, policies.Files)
//	...
//	decision, err := program.Decide(ctx, &inputs.Compaction{...})
//	if decision.Admit { ... }
//
// This is the only package that imports OPA. Inside, a load runs through the files in this order: load.go reads
// the files and puts the thresholds together, lint.go checks the rules' form, schema.go reads the schemas
// that gates declare, compile.go hands the rest to OPA and proves each entrypoint; decide.go evaluates, and
// decision.go and effects.go trust nothing that comes back.
package engine
