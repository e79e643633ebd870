package review

import (
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Side is one of two sets of policies.
type Side struct {
	Name    string // how people call it: "git:main", "policies"
	Program *engine.Program
}

// Verdict is what a comparison comes to.
type Verdict string

// The verdicts. The zero Verdict is none of them, and nobody may take it for Equal.
const (
	Equal      Verdict = "equal"      // every decision is the same, but for the revision that it names: proved
	Loosened   Verdict = "loosened"   // some rejects are admits; proved: no admit is a reject
	Tightened  Verdict = "tightened"  // some admits are rejects; proved: no reject is an admit
	Mixed      Verdict = "mixed"      // both, by example
	Relabelled Verdict = "relabelled" // proved: who is admitted stays; something else in a decision does not
	Unproved   Verdict = "unproved"   // nobody could tell; what was found is listed
)

// Kind says how a decision changes.
type Kind string

// The kinds, which are verdicts of one decision.
const (
	KindLoosened   Kind = "loosened"   // a reject is an admit
	KindTightened  Kind = "tightened"  // an admit is a reject
	KindRelabelled Kind = "relabelled" // it admits or rejects as before, and says something else
)

// Part is the first part of a decision that a relabelling changes, in this order.
type Part string

// The parts of a decision.
const (
	PartReason     Part = "reason"
	PartAction     Part = "action"
	PartEffects    Part = "effects"
	PartViolations Part = "violations" // which there are, and in which order
	PartUnknown    Part = "unknown"
	PartValues     Part = "values" // what the violations show as observed and as limit
)

// Comparison is what [Compare] found.
type Comparison struct {
	Verdict    Verdict                   `json:"verdict"` // of all gates together
	Base       Revision                  `json:"base"`
	Head       Revision                  `json:"head"`
	Gates      map[string]GateComparison `json:"gates"`
	Thresholds []ThresholdChange         `json:"thresholds"` // sorted by path
	Rules      []RuleChange              `json:"rules"`      // sorted by gate and name
}

// Revision names a set of policies.
type Revision struct {
	Name     string `json:"name"`
	Revision string `json:"revision"` // "sha256:…"
}

// GateComparison is what became of one gate.
type GateComparison struct {
	Verdict Verdict  `json:"verdict"`
	Proof   Proof    `json:"proof"`
	Changes []Change `json:"changes"` // loosened first, then tightened, then relabelled
	More    int      `json:"more"`    // changes beyond the first [Options].Most, which are not listed
}

// Proof says what a verdict rests on.
type Proof struct {
	Complete bool   `json:"complete"`      // every way in which decisions change is known; false: there may be others
	By       Method `json:"by"`            // what was asked
	Cells    int    `json:"cells"`         // how much was gone through: questions to the solver, cells, or documents of a search
	Why      string `json:"why,omitempty"` // it is not complete
}

// Method is a way to prove.
type Method string

// The methods.
const (
	ByIdentity Method = "identity" // both sides are the same rules and thresholds
	BySolver   Method = "solver"   // an SMT solver was asked
	ByCells    Method = "cells"    // every combination of answers was gone through
	BySearch   Method = "search"   // documents were tried: proves what it finds and nothing else
)

// Change is one way in which decisions change.
type Change struct {
	Kind    Kind     `json:"kind"`
	Part    Part     `json:"part,omitempty"` // of a relabelling
	Base    Outcome  `json:"base"`
	Head    Outcome  `json:"head"`
	Proved  bool     `json:"proved"`  // that no document nearer to the nominal one changes so
	Inside  *Witness `json:"inside"`  // the nearest document whose decision changes so
	Outside *Witness `json:"outside"` // next to it, one whose decision does not; nil where every document near it does
	Cause   []Cause  `json:"cause"`   // what was edited that makes the difference; of several the first is nearest to it
}

// Outcome is how one side decides.
type Outcome struct {
	Admit  bool   `json:"admit"`
	Reason string `json:"reason"`
	Action string `json:"action"`
}

// Witness is a document that both sides decided, by OPA.
type Witness struct {
	Document inputs.Document `json:"document"`
	Base     engine.Decision `json:"base"`
	Head     engine.Decision `json:"head"`
	Off      []string        `json:"off"`      // fields that are not as in the nominal document, in the gate's order
	Distance int64           `json:"distance"` // sum of how far they are: of numbers the difference, else 1 each
}

// Cause is an edit: of a threshold, or of a rule.
type Cause struct {
	Threshold string       `json:"threshold,omitempty"` // its path
	Rule      string       `json:"rule,omitempty"`      // its name, in the gate's package
	From      string       `json:"from,omitempty"`      // the value of a threshold on each side, "" where it has none
	To        string       `json:"to,omitempty"`
	Base      table.Origin `json:"base"` // where it is written; without a line where it is not
	Head      table.Origin `json:"head"`
}

// ThresholdChange is a threshold that differs.
type ThresholdChange struct {
	Path string       `json:"path"`
	From string       `json:"from"` // as JSON; "" where it is not set
	To   string       `json:"to"`
	Base table.Origin `json:"base"`
	Head table.Origin `json:"head"`
}

// RuleChange is a rule that differs by more than its place and its comments.
type RuleChange struct {
	Gate string       `json:"gate"` // "" of a package that is no gate's
	Name string       `json:"name"`
	Edit Edit         `json:"edit"`
	Base table.Origin `json:"base"`
	Head table.Origin `json:"head"`
}

// Edit is what was done to a rule.
type Edit string

// The edits.
const (
	Added   Edit = "added"
	Removed Edit = "removed"
	Changed Edit = "changed"
)
