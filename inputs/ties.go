package inputs

// Tie is something that holds between two fields of every valid document of a gate. Validate refuses what breaks it.
type Tie struct {
	Kind TieKind
	A, B string // names of properties
}

// TieKind says what a [Tie] says.
type TieKind uint8

// The ties.
const (
	TieOneOf   TieKind = iota // exactly one of A and B is there
	TieImplies                // where the flag A is true, B is there
	TieDiffer                 // the strings A and B differ, where both are there
)

// Ties lists what holds between the fields of a core gate's documents; none of any other gate.
func Ties(gate string) []Tie {
	switch gate {
	case fenceShape.gate:
		return []Tie{{TieImplies, "borrow", "borrowed"}, {TieImplies, "borrow", "revision"}, {TieDiffer, "primary.name", "borrowed.name"}}
	case compactionShape.gate:
		return []Tie{{TieOneOf, "est_tokens", "transcript_chars"}}
	}
	return nil
}
