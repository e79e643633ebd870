// Package contender has the ways to decide a document that are compared: this project's doors, the contract by hand, and
// general policy engines, each used as its own documentation says is fast.
//
// A [Contender] decides every document of a mix in one pass, so that what is timed is a loop over calls and nothing
// between. [Sound] holds all contenders of a mix against the first before anything is timed.
//
// To add one, write a function that makes a [Contender] of documents, and name it in [Whole] or [Bare].
package contender
