// Package thresholds reads the numbers and switches that operators edit: strict YAML, laid over one another, each value
// with the file and line that set it.
//
// [Parse] reads one file into a [Tree]; [Tree.Merge] puts the files of one policy directory together, and
// [Tree.Overlay] lays a service's own file over them. Which thresholds there must be is the gates' business: package
// engine holds a tree against their schemas.
package thresholds
