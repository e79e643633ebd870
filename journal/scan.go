package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

const maxDepth = 64 // of objects and arrays in a record

// scanner reads JSON strictly, without keeping more than where it is: a log has a million records, and most of what is in
// one is passed on as it stands. Its text must be UTF-8.
type scanner struct {
	text []byte
	at   int
	keys [][]byte // of the objects that are open
}

// span is a piece of the text.
type span struct{ from, to int }

var errSyntax = errors.New("no JSON")

func (s *scanner) wrong(what string) error {
	return fmt.Errorf("%w at byte %d: %s", errSyntax, s.at+1, what)
}

// peek is the next byte that is no white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; b {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return b
		}
	}
	return 0
}

// take passes over one byte, which must be this.
func (s *scanner) take(want byte) error {
	if s.peek() != want {
		return s.wrong(fmt.Sprintf("expected %q", want))
	}
	s.at++
	return nil
}

// end wants nothing but white space to be left.
func (s *scanner) end() error {
	if s.peek() != 0 || s.at < len(s.text) {
		return s.wrong("more after the record")
	}
	return nil
}

// object calls member for each member of an object, with the scanner at its value, which member must pass over.
func (s *scanner) object(member func(key []byte) error) error {
	if err := s.take('{'); err != nil {
		return err
	}
	own := len(s.keys)
	if s.peek() == '}' {
		s.at++
		return nil
	}
	for {
		key, err := s.key(own)
		if err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
		if over, err := s.over('}'); over || err != nil {
			s.keys = s.keys[:own]
			return err
		}
	}
}

// over passes over the comma between two members or elements, or over what ends them all.
func (s *scanner) over(end byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.at++
		return false, nil
	case end:
		s.at++
		return true, nil
	}
	return false, s.wrong(fmt.Sprintf("expected a comma or %q", end))
}

// key reads a key and the colon behind it. own is where the keys of this object begin.
func (s *scanner) key(own int) ([]byte, error) {
	where, plain, err := s.quoted()
	if err != nil {
		return nil, err
	}
	key := s.text[where.from:where.to]
	if !plain {
		var meant string
		if err := json.Unmarshal(s.text[where.from-1:where.to+1], &meant); err != nil {
			return nil, s.wrong("no such escape")
		}
		key = []byte(meant)
	}
	for _, other := range s.keys[own:] {
		if len(other) == len(key) && bytes.Equal(other, key) {
			return nil, s.wrong(fmt.Sprintf("the key %.40q stands twice in one object", key))
		}
	}
	if len(s.keys)-own >= maxKeys {
		return nil, s.wrong(fmt.Sprintf("an object with more than %d keys", maxKeys))
	}
	s.keys = append(s.keys, key)
	return key, s.take(':')
}

const maxKeys = 256 // of one object, since each is compared with all before it

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

// value passes over a value, and gives its text.
func (s *scanner) value(depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, s.wrong(fmt.Sprintf("nests deeper than %d", maxDepth))
	}
	first := s.peek()
	from := s.at
	var err error
	switch {
	case first == '{':
		err = s.members(depth + 1)
	case first == '[':
		err = s.elements(depth + 1)
	case first == '"':
		_, _, err = s.quoted()
	case first == '-' || first >= '0' && first <= '9':
		err = s.number()
	default:
		err = s.word()
	}
	return s.text[from:s.at], err
}

// members passes over an object, as [scanner.object] without anybody to call.
func (s *scanner) members(depth int) error {
	s.at++
	own := len(s.keys)
	if s.peek() == '}' {
		s.at++
		return nil
	}
	for {
		if _, err := s.key(own); err != nil {
			return err
		}
		if _, err := s.value(depth); err != nil {
			return err
		}
		if over, err := s.over('}'); over || err != nil {
			s.keys = s.keys[:own]
			return err
		}
	}
}

// elements passes over an array.
func (s *scanner) elements(depth int) error {
	s.at++
	if s.peek() == ']' {
		s.at++
		return nil
	}
	for {
		if _, err := s.value(depth); err != nil {
			return err
		}
		if over, err := s.over(']'); over || err != nil {
			return err
		}
	}
}

// array calls element for each element, with the scanner at it.
func (s *scanner) array(element func() error) error {
	if err := s.take('['); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.at++
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if over, err := s.over(']'); over || err != nil {
			return err
		}
	}
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

// isNull passes over a null, if one is next.
func (s *scanner) isNull() bool {
	if s.peek() != 'n' || !bytes.HasPrefix(s.text[s.at:], []byte("null")) {
		return false
	}
	s.at += len("null")
	return true
}

// isJSON reports whether a text is one value.
func isJSON(text []byte) bool {
	s := scanner{text: text}
	_, err := s.value(0)
	return err == nil && s.end() == nil && utf8.Valid(text)
}
