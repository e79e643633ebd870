// Package journal is the decision log: a line of JSON for every decision, in the shape of OPA's decision logs, with all
// that it takes to decide it again.
//
// [Open] gives a [Writer], whose Write returns once the record is with the operating system, or, of a durable one, on the
// disk. A caller that cannot log a decision rejects: a failed Write is an [ErrWrite].
//
// [NewReader] reads such logs, and OPA's own, in constant memory: lines or arrays, plain, by gzip or by zstd. [Parse] takes
// a record apart, and can be called from many goroutines.
package journal
