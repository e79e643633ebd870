package native

import (
	"unicode"
	"unicode/utf8"

	"github.com/admitctl/admitctl/inputs"
)

// The ranges of numbers; all but slack begin at 0.
const (
	maxCount   = 1 << 20
	maxAmount  = 1 << 40
	maxVersion = 1<<53 - 1
)

// maxIdentifier is the longest identifier, in code points.
const maxIdentifier = 128

// A number that is not known is 0, which is in every range.

// given reports whether a required number is known and from 0 to high.
func given(field inputs.Number, high uint64) bool {
	value, known := field.Get()
	return known && uint64(value) <= high
}

// sensed reports whether a required signal is there, and from 0 to high if it is known.
func sensed(field inputs.Number, high uint64) bool {
	value, _ := field.Get()
	return !field.IsAbsent() && uint64(value) <= high
}

// allowed reports whether an optional number is absent, or known and from 0 to high.
func allowed(field inputs.Number, high uint64) bool {
	value, _ := field.Get()
	return !field.IsUnknown() && uint64(value) <= high
}

// within reports whether an optional signal is from 0 to high if it is known.
func within(field inputs.Number, high uint64) bool {
	value, _ := field.Get()
	return uint64(value) <= high
}

// slack reports whether a required signal is there, and from -2^40 to 2^40 if it is known.
func slack(field inputs.Number) bool {
	value, _ := field.Get()
	return !field.IsAbsent() && uint64(value+maxAmount) <= 2*maxAmount
}

// identifier reports whether a text is 1 to 128 code points, without control or format characters or outer spaces.
// Nearly all are ASCII, of which a byte is a code point and the printable ones are a range.
func identifier(text string) bool {
	if len(text) == 0 || len(text) > maxIdentifier {
		return len(text) != 0 && anyIdentifier(text)
	}
	for i := range len(text) {
		if text[i]-' ' > '~'-' ' {
			return anyIdentifier(text)
		}
	}
	return text[0] != ' ' && text[len(text)-1] != ' '
}

// anyIdentifier is identifier of a text that is not empty.
func anyIdentifier(text string) bool {
	if len(text) > maxIdentifier*utf8.UTFMax || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxIdentifier {
		return false
	}
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return false
		}
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return !unicode.In(first, unicode.Z) && !unicode.In(last, unicode.Z)
}
