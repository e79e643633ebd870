// Package tabulate turns OPA's plan of a gate into a [table.Program]: it runs the plan once, on a document whose fields
// are unknown, and keeps what the decision comes to.
//
// OPA compiles a rule into a plan of simple statements (its intermediate representation, package ir): look a field up,
// compare, call a function, add to a set. [Gate] executes these with symbols in the place of values. A value is a list of
// choices, each with the condition under which it is the value (value.go); a condition is a boolean function of questions
// about the document, kept as a binary decision diagram (formula.go), so that equal conditions are the same one. A
// statement that is undefined narrows the condition under which the rest of its block runs (execute.go). At the end the
// decision is one object with a condition for each of its parts, which answer.go takes apart into checks, admits and
// unknown signals, and program.go writes out as branches.
//
// Thresholds stay numbers to be bound later, and so do the rows that a document chooses (data.go). Switches, words and
// lists are taken as they are: a program holds as long as those do, and [Result.Holds] says so.
//
// What cannot be tabulated is an [*Unsupported] that names the rule, the construct and what to write instead: a gate with
// such a rule is decided by OPA.
package tabulate
