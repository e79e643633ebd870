package table

import (
	"errors"

	"github.com/admitctl/admitctl/inputs"
)

// What a decision can fail with; all of them reject.
var (
	// ErrOutside is a document that the program was not compiled for: a number of it overflows, or a rule is undefined,
	// or in conflict with another. OPA says what becomes of it.
	ErrOutside = errors.New("outside of what the table decides")
	// ErrEffects is a decision with other effects than its document must have.
	ErrEffects = errors.New("the effects are not those of the document")
	// ErrTable is a program, or thresholds for one, that do not fit together.
	ErrTable = errors.New("no table")
)

// The most that a program can have; what has more is decided by OPA.
const (
	MaxMarks   = 64 // checks, and signals that can be unknown
	MaxLookups = 4  // rows that a document chooses, such as its planes
	MaxColumns = 12 // numbers of those rows
	MaxNodes   = 1<<16 - 1
)

// Program is what the rules of a gate come to, whatever the numbers in the thresholds are.
type Program struct {
	Gate        string            `json:"gate"`
	Properties  []inputs.Property `json:"properties"` // of its documents
	Checks      []Check           `json:"checks"`     // in the order of precedence
	Admits      []Admit           `json:"admits"`
	Unknown     []string          `json:"unknown"` // what can be named so, sorted
	Values      []Scalar          `json:"values"`  // what can be observed, or be a limit
	Nodes       []Node            `json:"nodes"`
	Expressions []Expression      `json:"expressions"`
	Words       []string          `json:"words"` // that strings are compared with
	Constants   []Constant        `json:"constants"`
	Lookups     []Lookup          `json:"lookups"`
	Predicates  []Predicate       `json:"predicates"` // what the branches test, for people
	Jumps       []uint16          `json:"jumps"`      // where Fork goes
	Shapes      []Shape           `json:"shapes"`     // that Match asks for
	Entry       Entry             `json:"entry"`
}

// Shape is a shape of documents: these fields are known, and those are not there.
type Shape struct {
	Known  uint64 `json:"known"`
	Absent uint64 `json:"absent"`
}

// Entry says where a walk through the nodes begins.
type Entry struct {
	First   uint16 `json:"first"`   // stops at a Check, at an Admit, or outside
	All     uint16 `json:"all"`     // marks Checks, and stops
	Unknown uint16 `json:"unknown"` // marks Unknown, and stops
}

// Check is one row of the decision table.
type Check struct {
	Reason   string `json:"reason"`
	Action   string `json:"action"`
	Title    string `json:"title"`    // the violation in a few words
	Observed uint16 `json:"observed"` // the node that finds it among the Values
	Limit    uint16 `json:"limit"`
	At       Origin `json:"at"`
}

// Admit is one way to admit.
type Admit struct {
	Reason  string        `json:"reason"`
	Action  string        `json:"action"`
	Effects []EffectOfRow `json:"effects"`
}

// EffectOfRow is an effect on the plane that a field of the document names.
type EffectOfRow struct {
	Text    uint16 `json:"text"` // slot of the plane's name
	Counter string `json:"counter"`
	Delta   int64  `json:"delta"`
}

// Origin is where something was written.
type Origin struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // from 1
}

// Predicate is what one kind of branch asks.
type Predicate struct {
	Text string `json:"text"` // "queue_age_ms + est_gen_ms < slack_ms"
	At   Origin `json:"at"`   // the rule that asks first
}

// Constant is a number that a branch compares with.
type Constant struct {
	Value int64    `json:"value"`
	Path  []string `json:"path,omitempty"` // of the threshold that it is; of a literal empty
	At    Origin   `json:"at"`             // of the threshold, once it is bound
}

// Lookup is a row of the thresholds that a string of the document chooses, such as fence.planes[primary.name].
type Lookup struct {
	Path    []string `json:"path"`    // of the map that holds the rows
	Text    uint16   `json:"text"`    // slot of the string
	Bits    []Bit    `json:"bits"`    // what is asked of a row, by bit
	Columns []Column `json:"columns"` // the numbers of a row
	First   uint16   `json:"first"`   // the register of the first of them
	// Answers are all that the bits of a row can be, of none 0. A program that forks on them holds only for thresholds
	// whose rows give no others.
	Answers []uint64 `json:"answers,omitempty"`
}

// Bit is a question about a row.
type Bit struct {
	Path []string `json:"path"` // below the row; empty is the row itself
	Is   Question `json:"is"`
	Word string   `json:"word,omitempty"` // of IsWord and Holds
}

// Question is what a [Bit] asks of a value.
type Question uint8

// The questions.
const (
	IsThere Question = iota + 1 // it is there
	IsTrue                      // it is the flag true
	IsWord                      // it is this word
	Holds                       // it is a list that holds this word
)

// Column is a number of a row; 0 where the row has none.
type Column struct {
	Path []string `json:"path"`
}

// Op is what a node does.
type Op uint8

// The operations. Those that compare go to Yes when it holds.
const (
	Stop                Op = iota // ends with result A
	Mark                          // marks A, and goes to Yes
	Find                          // finds the row of lookup A, and goes to Yes
	Match                         // the document is of shape A
	Fork                          // goes to jump B + the place of the row of lookup A among its Answers
	TestBit                       // bit B of word A: given, known, true, and then the rows
	AtMostFieldConstant           // number A <= constant B
	AtMostConstantField           // constant A <= number B
	AtMostFieldField              // number A <= number B
	AtMostFieldColumn             // number A <= column B
	AtMostColumnField             // column A <= number B
	AtMost                        // expression A <= expression B
	EqualFieldConstant            // number A == constant B
	Equal                         // expression A == expression B
	SameText                      // text A == text B
	TextIs                        // text A == word B
	operations
)

// The words that TestBit reads before the rows.
const (
	WordGiven = iota
	WordKnown
	WordTrue
	WordRows // that of the first lookup
)

// Outside is the result of a walk that found what the program was not compiled for. Results below len(Checks) are
// checks, those from there on admits.
const Outside = MaxNodes

// Node is one branch.
type Node struct {
	Op  Op     `json:"op"`
	A   uint16 `json:"a"`
	B   uint16 `json:"b"`
	Yes uint16 `json:"yes"`
	No  uint16 `json:"no"`
}

// Term is what an [Expression] computes.
type Term uint8

// The terms.
const (
	Field     Term = iota // number A of the document
	Number                // constant A
	Cell                  // column A of a row
	Sum                   // expression A + expression B
	Minus                 // expression A - expression B
	Product               // expression A * expression B
	CeilingOf             // expression A / constant B, rounded up
	FloorOf               // expression A / constant B, rounded down
	terms
)

// Expression is a whole number. Its operands stand before it.
type Expression struct {
	Term Term   `json:"term"`
	A    uint16 `json:"a"`
	B    uint16 `json:"b"`
}

// Scalar is a value that a decision shows.
type Scalar struct {
	Is   Shown        `json:"is"`
	A    uint16       `json:"a"`              // expression, text slot, or property of a flag
	Word inputs.Value `json:"word,omitempty"` // where it is always the same
}

// Shown says how a [Scalar] is found.
type Shown uint8

// The ways.
const (
	ShowWord       Shown = iota // Word; the zero Scalar is null
	ShowExpression              // expression A
	ShowText                    // text A
)
