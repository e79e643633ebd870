package engine

// Undecided explains the reasons of decisions that no gate made, since it could not: what happened, and what to do.
func Undecided() map[string]string {
	return map[string]string{
		ReasonInvalidInput: "The document is malformed, misses a field, or holds one that is out of range, so no gate was asked. Mend the document: the error names the file, the line and the path.",
		ReasonUndefined:    "A rule that every decision needs has no value for this document, such as a threshold that a rule computes. Mend the rules: try the document with eval, and add it to the fixtures.",
		ReasonConflict:     "Two rules gave different values where there may be one. Mend the rules: the error names the line.",
		ReasonError:        "A built-in failed, or the decision had another shape or other effects than it must. Mend the rules: the error says which.",
		ReasonTimeout:      "The gate had no decision within its time limit, or the caller gave up. Look for endless work in rules that were added, and for a machine that is starved of CPU.",
	}
}
