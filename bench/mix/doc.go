// Package mix makes the documents that contenders decide: valid, the same for the same seed, two fifths of them admitted
// and the others spread over the reasons of their gate.
//
// A mix of the whole contract has whatever valid documents may have: unknown signals, fields left out, limits of the
// caller's own. A bare mix has none of that, so that checks without guards decide it alike: every signal is known, no
// optional field is there, and a plane of a fence carries the limits that it is held against, as in the drills that
// these gates come from.
package mix
