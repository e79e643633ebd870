// Package table holds gates as compiled decision programs: what Rego says, as branches over the fields of a document.
//
// A [Gate] decides as its Rego does, some thousand times faster and without allocating, and needs neither OPA nor the
// policies: a service can embed one from a file ([ReadFile], written by admitctl build). Start with [Gate.Verdict] for
// admit, reason, action and effects, or with [Gate.Decide] for the whole decision.
//
// A [Program] is what the rules of a gate come to, whatever the numbers in the thresholds are; [Program.Bind] puts those
// in, and gives a Gate. The package engine/tabulate makes programs out of OPA's own plan of the rules, and engine compares
// each with OPA before it is used. Both types are immutable and safe for concurrent use.
//
// A program is one list of branches ([Node]) with several entries: one walks the checks in the order of precedence and
// stops at the first that is violated; one marks all that are; one marks what is unknown; and one a violation finds what
// was observed. Each branch tests a bit (a field is known, a plane has a limit of its own) or compares two numbers or two
// strings. Numbers are whole; where a sum or a product could pass 64 bits it is computed with care, and a document that
// overflows is [ErrOutside]: OPA decides it, or nobody.
package table
