// Package policy_test holds the suites that hold the shipped policies to their contract: Rego tests that mirror the
// policies folder (*_test.rego, run by opa test), and here the same decisions through every door, beside an
// independent model in Go.
//
//   - doors_test.go opens the doors: the library, the command, OPA's own evaluator.
//   - fixtures_test.go sends every fixture through all of them.
//   - agree_test.go generates documents and wants the doors and the model to agree on whole decisions.
//   - hostile_test.go breaks admitting documents one field at a time.
//   - boundary_test.go holds rows that the fixtures leave out, malformed documents among them.
//   - mutants_test.go breaks the policies one token at a time.
//   - tabulator_mutants_test.go breaks the tabulator, whose Go is held against OPA, in the same way.
//   - model_*_test.go is the model, generate_*_test.go the generator.
package policy_test
