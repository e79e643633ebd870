package inputs

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// maxIdentifier is the longest identifier, in code points.
const maxIdentifier = 128

// ValidName reports whether text may name a plane, a class or anything else: 1 to 128 code points, no control or
// format characters, no outer spaces.
func ValidName(text string) bool { return plainIdentifier(text) || checkIdentifier(text) == "" }

// IdentifierPattern is the regular expression that exactly the identifiers match, of 1 to 128 code points.
const IdentifierPattern = `^[^\p{Cc}\p{Cf}\p{Z}]([^\p{Cc}\p{Cf}]*[^\p{Cc}\p{Cf}\p{Z}])?$`

// checkIdentifier says what is wrong with an identifier, "" when nothing is.
func checkIdentifier(text string) string {
	if text == "" {
		return "empty"
	}
	if plainIdentifier(text) {
		return ""
	}
	if !utf8.ValidString(text) {
		return shorten(text) + " is not UTF-8"
	}
	if count := utf8.RuneCountInString(text); count > maxIdentifier {
		return fmt.Sprintf("%s has %d code points", shorten(text), count)
	}
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return fmt.Sprintf("%s has the control or format character %U", shorten(text), r)
		}
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if unicode.In(first, unicode.Z) || unicode.In(last, unicode.Z) {
		return shorten(text) + " begins or ends with a space"
	}
	return ""
}

// plainIdentifier reports whether text is an identifier of printable ASCII alone, as nearly all are. Of these it is
// right about every one; of what has another byte it says no, and checkIdentifier judges.
func plainIdentifier(text string) bool {
	last := len(text) - 1
	if last < 0 || last >= maxIdentifier || text[0] == ' ' || text[last] == ' ' {
		return false
	}
	switch {
	case last < 3: // three places are all of three bytes, and some of fewer twice
		return !unprintable(fiveSpaces | uint64(text[0]) | uint64(text[(last+1)>>1])<<8 | uint64(text[last])<<16)
	case last < 7:
		return !unprintable(fourOf(text[:4]) | fourOf(text[last-3:])<<32)
	}
	for at := 0; at < last-7; at += 8 {
		if unprintable(eightOf(text, at)) {
			return false
		}
	}
	return !unprintable(eightOf(text, last-7)) // the last eight, some of them a second time
}

// fiveSpaces are the upper five of eight bytes.
const fiveSpaces = ' ' * eachByte >> 24 << 24

// The eight bytes of a word, all alike.
const (
	eachByte = 0x0101_0101_0101_0101
	eachHigh = 0x80 * eachByte // the high bit of each byte
)

// unprintable reports whether one of eight bytes is anything but printable ASCII (0x20 to 0x7e): a byte below 0x20
// borrows, 0x7f carries, and the others have their high bit already.
func unprintable(eight uint64) bool {
	return ((eight-' '*eachByte)|(eight+eachByte)|eight)&eachHigh != 0
}

// eightOf is the eight bytes at an offset, the first lowest; the compiler makes one load of it.
func eightOf[T []byte | string](text T, at int) uint64 {
	eight := text[at : at+8]
	return uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
		uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
}

// fourOf is the first four bytes, the first lowest.
func fourOf(text string) uint64 {
	four := text[:4]
	return uint64(uint32(four[0]) | uint32(four[1])<<8 | uint32(four[2])<<16 | uint32(four[3])<<24)
}
