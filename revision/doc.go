// Package revision opens one revision of a set of policies, wherever it lies: a directory, a bundle that "opa build"
// wrote, or a folder of a git revision. What it gives is a plain [io/fs.FS] in memory or on disk, which engine.Compile
// takes. It knows nothing of Rego or of thresholds.
//
// Bundles and git objects are written by others. What is odd about one refuses the whole: there is no part of it that
// could be read as if the rest were not there.
package revision
