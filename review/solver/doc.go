// Package solver asks an SMT solver, such as z3, questions about whole numbers: is there a document that meets these
// conditions? It speaks SMT-LIB 2 with a process over its standard input and output, and knows nothing of gates.
package solver
