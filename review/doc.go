// Package review says what a change of policies changes: which decisions, over every document that there can be, with
// the smallest examples and a proof.
//
// [Compare] holds two loaded programs against each other, gate by gate. Both sides of a gate are the branches of a
// [table.Program] over one and the same document, so that "base rejects and head admits" is a condition on whole numbers
// in known ranges: an SMT solver says whether any document meets it (package review/solver), and without a solver the
// conditions are followed cell by cell as far as that goes. What neither can settle is unproved, and never equal.
//
// Every example is decided by OPA on both sides before it is told. It is the one nearest to a nominal document of the
// gate: with the fewest fields off, then the smallest distance.
//
// [Prove] asks the same of one set of policies: the properties that every gate must have. [Nearest] asks it of one
// document: the smallest change of its signals that turns the decision over.
package review
