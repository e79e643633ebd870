package inputs

import "math/bits"

// skipSpace is the offset of the first byte from at on that is no JSON white space, or the length of data.
func skipSpace(data []byte, at int) int {
	for at < len(data) && data[at] <= ' ' && 1<<data[at]&(1<<' '|1<<'\t'|1<<'\n'|1<<'\r') != 0 {
		at++
	}
	return at
}

// skipColon is the offset of the value that follows the colon of a name, inside data; -1 gives up.
func skipColon(data []byte, at int) int {
	at = skipSpace(data, at)
	if at >= len(data) || data[at] != ':' {
		return -1
	}
	if at = skipSpace(data, at+1); at >= len(data) {
		return -1
	}
	return at
}

// mostDigits is how many digits a number has at most that needs no look at overflow: no range goes beyond 2^53.
const mostDigits = 17

// wholeNumber reads a number as JSON spells it, from its first byte on, and gives the offset behind it. -1 gives up: on
// leading zeros, -0, and more digits than any range needs. A fraction or an exponent is left for the caller to stumble
// over.
func wholeNumber(data []byte, at int) (int64, int) {
	negative := data[at] == '-'
	if negative {
		at++
	}
	var number uint64
	begin := at
	for at < len(data) {
		digit := data[at] - '0'
		if digit > 9 {
			break
		}
		number = number*10 + uint64(digit)
		at++
	}
	switch digits := at - begin; {
	case digits == 0, digits > mostDigits, data[begin] == '0' && (digits > 1 || negative):
		return 0, -1
	case negative:
		return -int64(number), at
	}
	return int64(number), at
}

// textEnd is the offset of the quote that ends a string whose text begins at an offset, and whether the text is all
// printable ASCII. -1 gives up: on escapes, control characters and DEL, and where no quote comes. The text of any other
// is what JSON means by it, if it is UTF-8.
func textEnd(data []byte, at int) (end int, plain bool) {
	plain = true
	for {
		for ; at+8 <= len(data); at += 8 {
			if special := endsText(eightOf(data, at)); special != 0 {
				at += bits.TrailingZeros64(special) / 8
				break
			}
		}
		switch {
		case at >= len(data):
			return -1, false
		case data[at] == '"':
			return at, plain
		case data[at] < ' ', data[at] == '\\', data[at] == 0x7f:
			return -1, false
		case data[at] > 0x7f:
			plain = false
		}
		at++
	}
}

// endsText sets the high bit of the first of eight bytes that is a quote, a backslash or not printable ASCII; what it
// sets above that means nothing.
func endsText(eight uint64) uint64 {
	quote, escape := eight^'"'*eachByte, eight^'\\'*eachByte
	return ((quote - eachByte) | (escape - eachByte) | (eight - ' '*eachByte) | (eight + eachByte) | eight) & eachHigh
}

// plainOuter reports whether a text of printable ASCII is of an identifier's length and begins and ends with no space.
func plainOuter(text []byte) bool {
	return len(text) > 0 && len(text) <= maxIdentifier && text[0] != ' ' && text[len(text)-1] != ' '
}
