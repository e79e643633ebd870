package review

// tryCells finds changes without a solver.
func (c *comparing) tryCells() { c.tryDocuments("no solver was asked") }
