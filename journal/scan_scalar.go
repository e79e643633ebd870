package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// quoted passes over a string and gives its text without the quotes; plain says that it has no escapes.
func (s *scanner) quoted() (where span, plain bool, err error) {
	if err := s.take('"'); err != nil {
		return span{}, false, err
	}
	plain = true
	from := s.at
	for s.at < len(s.text) {
		if s.at+8 <= len(s.text) {
			special := endsString(binary.LittleEndian.Uint64(s.text[s.at:]))
			s.at += bits.TrailingZeros64(special) / 8 // 8 where there is none
			if special == 0 {
				continue
			}
		}
		switch b := s.text[s.at]; {
		case b == '"':
			s.at++
			return span{from, s.at - 1}, plain, nil
		case b == '\\':
			plain = false
			if err := s.escape(); err != nil {
				return span{}, false, err
			}
		case b < ' ':
			return span{}, false, s.wrong("a control character in a string")
		default:
			s.at++
		}
	}
	return span{}, false, s.wrong("a string without an end")
}

// endsString sets the high bit of the first of eight bytes that is a quote, a backslash or a control character; what it sets
// above that means nothing.
func endsString(eight uint64) uint64 {
	const each, high = 0x0101010101010101, 0x8080808080808080
	quote, escape := eight^'"'*each, eight^'\\'*each
	return ((quote-each)&^quote | (escape-each)&^escape | (eight-' '*each)&^eight) & high
}

func (s *scanner) escape() error {
	rest := s.text[s.at+1:]
	if len(rest) == 0 {
		return s.wrong("a string without an end")
	}
	switch rest[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at += 2
		return nil
	case 'u':
		if len(rest) < 5 {
			break
		}
		for _, b := range rest[1:5] {
			if (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'f') {
				return s.wrong("no such escape")
			}
		}
		s.at += 6
		return nil
	}
	return s.wrong("no such escape")
}

// string reads a string and gives what it means. A string that is already is kept, so that nothing is allocated.
func (s *scanner) string(already string) (string, error) {
	where, plain, err := s.quoted()
	if err != nil {
		return "", err
	}
	text := s.text[where.from:where.to]
	if plain {
		if string(text) == already {
			return already, nil
		}
		return string(text), nil
	}
	var meant string
	err = json.Unmarshal(s.text[where.from-1:where.to+1], &meant)
	return meant, err
}

func (s *scanner) word() error {
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(s.text[s.at:], []byte(word)) {
			s.at += len(word)
			return nil
		}
	}
	return s.wrong("expected a value")
}

func (s *scanner) number() error {
	if s.text[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.text) && s.text[s.at] == '0'
	if digits := s.digits(); digits == 0 || zero && digits > 1 {
		return s.wrong("no number")
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return s.wrong("no number")
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return s.wrong("no number")
		}
	}
	return nil
}

func (s *scanner) digits() int {
	from := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at - from
}
