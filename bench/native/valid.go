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
// Nearly all are ASCII, of which a byte is a code point and the printable ones are a range: they are looked at eight
// bytes at a time, the last eight once more where the length is no multiple of eight.
func identifier(text string) bool {
	n := len(text)
	if n == 0 || n > maxIdentifier {
		return n != 0 && anyIdentifier(text)
	}
	if n < 8 {
		for i := range n {
			if text[i]-' ' > '~'-' ' {
				return anyIdentifier(text)
			}
		}
		return text[0] != ' ' && text[n-1] != ' '
	}
	for i := 0; i+8 < n; i += 8 {
		if !printable(text[i : i+8]) {
			return anyIdentifier(text)
		}
	}
	if !printable(text[n-8:]) {
		return anyIdentifier(text)
	}
	return text[0] != ' ' && text[n-1] != ' '
}

// printable reports whether eight bytes are printable ASCII: none has its highest bit, or gets it when a space is
// subtracted (a control character) or 1 is added (DEL). What bytes borrow from each other makes none of them pass.
func printable(text string) bool {
	const every = 0x0101010101010101
	_ = text[7]
	eight := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	return (eight|(eight-every*' ')|(eight+every))&(every*0x80) == 0
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
