package inputs

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendDocument appends a document as [Decode] takes it: the gate first, then the fields that are there. The value of a
// field for which masked, which may be nil, is true is [Masked] in its place: fit for texts alone.
func AppendDocument(dst []byte, document Document, masked func(field string) bool) []byte {
	dst = AppendString(append(dst, `{"gate":`...), document.Gate())
	open := ""
	for name, value := range document.Fields() {
		object, key, nested := strings.Cut(name, ".")
		if !nested {
			object, key = "", name
		}
		if object != open && open != "" {
			dst = append(dst, '}')
		}
		dst = append(dst, ',')
		if object != open && object != "" {
			dst = append(AppendString(dst, object), ":{"...)
		}
		open = object
		if masked != nil && masked(name) {
			value = Value{Kind: KindText, Text: Masked}
		}
		dst = append(AppendString(dst, key), ':')
		if value.Kind == KindText {
			dst = AppendString(dst, value.Text)
		} else {
			dst = value.AppendJSON(dst)
		}
	}
	if open != "" {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// Masked stands where the text of a field is not for everybody. It is a valid identifier, so that the document still is
// one.
const Masked = "masked"

// AppendJSON appends a value as [Value.MarshalJSON] has it.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case KindText:
		return appendString(dst, v.Text, true)
	case KindNumber:
		return strconv.AppendInt(dst, v.Number, 10)
	}
	return append(dst, v.String()...) // a constant
}

// AppendString appends a string as JSON has it. What is no UTF-8 becomes U+FFFD, and the separators U+2028 and U+2029, at
// which JavaScript ends a line, are escaped.
func AppendString(dst []byte, text string) []byte { return appendString(dst, text, false) }

func appendString(dst []byte, text string, html bool) []byte {
	dst = append(dst, '"')
	if !html && isVerbatim(text) {
		dst = append(dst, text...)
	} else {
		dst = appendEscaped(dst, text, html)
	}
	return append(dst, '"')
}

// isVerbatim reports whether a string is ASCII without anything to escape, eight bytes at a time. Of a byte, its highest
// bit tells: it is set in what is no ASCII, and by a subtraction below zero.
func isVerbatim(text string) bool {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	for len(text) >= 8 {
		word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		if (word|(word-each*' ')|((word^each*'"')-each)|((word^each*'\\')-each))&highest != 0 {
			return false
		}
		text = text[8:]
	}
	for i := range len(text) {
		if b := text[i]; b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}

func appendEscaped(dst []byte, text string, html bool) []byte {
	const hex = "0123456789abcdef"
	plain := 0 // where what is copied as it is begins
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' && (!html || b != '<' && b != '>' && b != '&') {
				i++
				continue
			}
			dst = append(dst, text[plain:i]...)
			if escape := shortEscape(b); escape != 0 {
				dst = append(dst, '\\', escape)
			} else {
				dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&0xf])
			}
			i++
			plain = i
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, text[plain:i]...), `\ufffd`...)
			plain = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, text[plain:i]...), '\\', 'u', '2', '0', '2', hex[r&0xf])
			plain = i + size
		}
		i += size
	}
	return append(dst, text[plain:]...)
}

// shortEscape is the letter of an escape that has one, or 0.
func shortEscape(b byte) byte {
	switch b {
	case '"', '\\':
		return b
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}
