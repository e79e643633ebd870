package review

import (
	"encoding/json"

	"github.com/admitctl/admitctl/table"
)

// Replayed is what a decision log comes to when it is decided again. Each of its three questions has a count of its own:
// whether the log agrees with the policies that it names, what changes from base to head, and what nobody can decide again.
type Replayed struct {
	Base    *Revision `json:"base"` // nil: what is logged is held against Head
	Head    Revision  `json:"head"`
	Records int       `json:"records"`  // that the log has, broken ones too
	Decided int       `json:"replayed"` // of them, those that were decided again
	// Drift are records that name Base or Head, and whose result is not what those policies decide.
	Drift Drift `json:"drift"`
	// Changed are the records whose decision is not the same on both sides.
	Changed int `json:"changed"`
	// Unreplayable are the records that nobody could decide again. They are never among those that did not change.
	Unreplayable Unreplayable `json:"unreplayable"`
	// Other are the records that name neither Base nor Head; they are decided like all others.
	Other int                     `json:"other_revisions"`
	Gates map[string]ReplayedGate `json:"gates"`
	Torn  []string                `json:"torn"` // how logs end that end in the middle of a record, or are damaged
}

// Drift is how a log and the policies that it names disagree.
type Drift struct {
	Compared int            `json:"compared"` // records that name one of the sides
	Count    int            `json:"count"`
	Cells    []ReplayedCell `json:"cells"` // Base is what was logged, and Head what those policies decide
}

// Unreplayable counts records that could not be decided again.
type Unreplayable struct {
	Count  int               `json:"count"`
	Causes []ReplayedFailure `json:"causes"` // the most frequent first
}

// ReplayedFailure is one cause for which records cannot be decided again.
type ReplayedFailure struct {
	Cause    ReplayCause         `json:"cause"`
	Count    int                 `json:"count"`
	Examples []UnreplayableEntry `json:"examples"` // the first
}

// UnreplayableEntry is a record that cannot be decided again.
type UnreplayableEntry struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1
	Problem string `json:"problem"`

	sequence int
}

// ReplayCause says why a record cannot be decided again.
type ReplayCause string

// The causes.
const (
	CauseBroken  ReplayCause = "broken"       // no record
	CauseGate    ReplayCause = "unknown_gate" // of no gate, or one that a side does not have
	CauseNoInput ReplayCause = "no_input"     // its document could not be read when it was decided
	CauseErased  ReplayCause = "erased"       // a field that the gate reads, or must have, was taken out
	CauseMasked  ReplayCause = "masked"       // a field that the gate reads was replaced
	CauseInput   ReplayCause = "input"        // no document of the gate: it is of another schema
	CauseResult  ReplayCause = "result"       // what was decided is no decision
)

// ReplayedGate is what became of the records of one gate that were decided again.
type ReplayedGate struct {
	Records int            `json:"records"`
	Changed int            `json:"changed"`
	Sheds   Sheds          `json:"sheds"`
	Cells   []ReplayedCell `json:"cells"` // the most frequent changes first, then what did not change
}

// Sheds counts rejects.
type Sheds struct {
	Base           int     `json:"base"`
	Head           int     `json:"head"`
	BasePerHundred float64 `json:"base_per_hundred"` // of the records
	HeadPerHundred float64 `json:"head_per_hundred"`
}

// ReplayedCell is one cell of the confusion table: records with this reason at the base and that one at the head.
type ReplayedCell struct {
	Gate     string           `json:"gate"`
	Base     string           `json:"base"`
	Head     string           `json:"head"`
	Count    int              `json:"count"`
	Changed  int              `json:"changed"`  // of them; where both reasons are the same, something else in the decision
	Examples []ReplayedRecord `json:"examples"` // the first that changed
}

// ReplayedRecord is one record whose decisions differ.
type ReplayedRecord struct {
	File       string          `json:"file"`
	Line       int             `json:"line"` // from 1
	DecisionID string          `json:"decision_id"`
	Input      json.RawMessage `json:"input"`
	Base       table.Decision  `json:"base"`
	Head       table.Decision  `json:"head"`

	sequence int
}
