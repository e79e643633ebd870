package inputs

// A valid document is asked about before every decision, so each core gate has, beside its record, a method valid that
// finds out without a branch a field and without a call through the record. Its rule: it is true exactly where the
// record finds nothing wrong; where it is false the record finds the words. A test holds the two against each other,
// for every state and every end of a range of every field.
//
// The numbers count whatever the state is, which costs nothing and is never wrong: a field that is not known holds 0,
// which is in every range.

// over has its high bit set where a number is not from 0 to high.
func over(n Number, high uint64) uint64 {
	value := uint64(n.value)
	return value | (high - value)
}

// beyond has its high bit set where a number is not from -high to high.
func beyond(n Number, high int64) uint64 {
	value := uint64(n.value + high)
	return value | (uint64(2*high) - value)
}

// inside reports that no high bit was set.
func inside(over uint64) bool { return int64(over) >= 0 }

// given is known where a field is there, known or not: the known bit of its state, or that below it, moved up.
func given(s state) state { return (s | s<<1) & known }

// optional reports whether a string is absent or an identifier.
func optional(text string) bool { return text == "" || ValidName(text) }

// named reports whether a signal is absent, unknown or an identifier.
func named(t Text) bool { return t.state != known || ValidName(t.value) }
