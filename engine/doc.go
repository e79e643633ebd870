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
// A load makes a table out of each gate that can have one (package table) and compares it with OPA; a gate without one is
// decided by OPA, and (*Program).Evaluators says why. By a table (*Program).Verdict, the part of a decision that a caller
// acts on, and (*Program).DecideInto, which reuses a decision, allocate nothing. (*Program).Deepen compares the tables
// with OPA thoroughly.
//
// [Watch] keeps a program that follows its files, [Inspect] reports everything that can be said of a set of policies at
// once, [NewTester] puts it under test, and (*Program).Gate says what its METADATA says.
//
// This is the only package that imports OPA. Inside, a load runs through the files in this order: snapshot.go reads
// them as they are at one moment, load.go parses them and puts the thresholds together, declared.go and documents.go
// read the schemas that gates declare, the lint files check the rules' form, schema.go the thresholds, compile_rego.go
// hands the rest to OPA and compile.go proves each entrypoint; plan.go, tables.go and agreement.go make the tables and hold
// them against OPA; decide.go evaluates, and read.go trusts nothing that comes back. gates.go, checks.go and feeds.go read what explain, the docs and the published schemas
// (publish.go) are made of; explain.go says why a document was decided so; inspect.go reports, tester.go tests, live.go follows files.
package engine
