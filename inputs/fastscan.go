package inputs

import "math/bits"

// skipSpace is the offset of the first byte from at on that is no JSON white space, or the length of data.
func skipSpace(data []byte, at int) int {
	for at < len(data) && data[at] <= ' ' && 1<<data[at]&(1<<' '|1<<'\t'|1<<'\n'|1<<'\r') != 0 {
		at++
	}
	return at
}

// expect is the offset behind a byte that comes at an offset, or after white space; -1 gives up.
func expect(data []byte, at int, what byte) int {
	if at < len(data) && data[at] == what {
		return at + 1
	}
	if at = skipSpace(data, at); at < len(data) && data[at] == what {
		return at + 1
	}
	return -1
}

// mostDigits is how many digits a number has at most that needs no look at overflow: no range goes beyond 2^53.
const mostDigits = 17

// wholeNumber reads a number as JSON spells it, from its first byte on, and gives the offset behind it. -1 gives up: on
// leading zeros, -0, and more digits than any range needs. A fraction or an exponent is left for the caller to stumble
// over.
func wholeNumber(data []byte, at int) (int64, int) {
	begin := at
	if data[at] == '-' {
		begin++
	}
	if begin+8 > len(data) {
		return longNumber(data, at, begin)
	}
	eight := eightOf(data, begin)
	counts := eight ^ '0'*eachByte // a digit is what it counts, and whatever else is more than 9
	digits := bits.TrailingZeros64((counts|(counts+(0x80-10)*eachByte))&eachHigh) / 8
	if digits == 8 || digits == 0 || begin > at || eight&0xff == '0' && digits > 1 {
		return longNumber(data, at, begin)
	}
	return int64(valueOf(counts << (8 * (8 - digits)))), begin + digits // with zeros before them
}

// valueOf is what eight digits are worth, the first lowest.
func valueOf(digits uint64) uint64 {
	const pairs = 0xff_0000_00ff
	digits = digits*10 + digits>>8
	return ((digits&pairs)*(100+1_000_000<<32) + (digits>>16&pairs)*(1+10_000<<32)) >> 32
}

// longNumber is wholeNumber digit by digit, of any number; its digits begin behind the sign.
func longNumber(data []byte, at, begin int) (int64, int) {
	var number uint64
	end := begin
	for ; end < len(data) && data[end]-'0' <= 9; end++ {
		number = number*10 + uint64(data[end]-'0')
	}
	negative := begin > at
	switch digits := end - begin; {
	case digits == 0, digits > mostDigits, data[begin] == '0' && (digits > 1 || negative):
		return 0, -1
	case negative:
		return -int64(number), end
	}
	return int64(number), end
}

// quoted finds the text of a string that begins at an offset: it stands from one offset to the other, that of the quote
// which ends it; plain says that it is all printable ASCII. to = -1 gives up: on what is no string, on escapes, control
// characters and DEL, and where no quote comes. The text of any other is what JSON means by it, if it is UTF-8.
func quoted(data []byte, at int) (from, to int, plain bool) {
	if at >= len(data) || data[at] != '"' {
		return 0, -1, false
	}
	at++
	from, plain = at, true
	for {
		for ; at+8 <= len(data); at += 8 {
			if special := endsText(eightOf(data, at)); special != 0 {
				at += bits.TrailingZeros64(special) / 8
				break
			}
		}
		switch {
		case at >= len(data):
			return from, -1, false
		case data[at] == '"':
			return from, at, plain
		case data[at] < ' ', data[at] == '\\', data[at] == 0x7f:
			return from, -1, false
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
