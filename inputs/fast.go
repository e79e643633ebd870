package inputs

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// The fast path reads the documents that services write all day, in one pass and without tokens. Its rule:
//
//	what it accepts, the library path accepts, and makes an equal document of it.
//
// It knows no errors. On whatever it does not expect (an escape in a string, an unknown or repeated field, a number out
// of range or oddly spelt, a field too few, fields that contradict each other, text after the document, …) it gives up,
// and the library path reads the document from its beginning and finds the words. So it may give up at will, and must
// never accept at will. The names, kinds and ranges that it goes by are those of the record.

// decodeFast gives the document, or false where the library path has to look.
func decodeFast(data []byte, source *Source) (Document, bool) {
	at := expect(data, 0, '{')
	if at < 0 || len(data) > MaxBytes {
		return nil, false
	}
	gate, next, ok := gateFirst(data, at)
	if ok {
		if shape, ok := source.shape(string(gate)); ok {
			return shape.decodeFast(data, next, gateBit)
		}
		return nil, false
	}
	if gate, ok = gateLater(data, at); ok {
		if shape, ok := source.shape(string(gate)); ok {
			return shape.decodeFast(data, at, 0)
		}
		return nil, false
	}
	if source.Gate == "" {
		return nil, false
	}
	if shape, ok := source.shape(source.Gate); ok {
		return shape.decodeFast(data, at, callersBit)
	}
	return nil, false
}

// What decodeFast of a record can be told of the gate, beside the fields that it sees: a bit that no field has.
const (
	gateBit    = 1 << 63 // it was read, before all fields
	callersBit = 1 << 62 // the caller says it, should the document not
)

const quotedGate = `"gate"`

// gateFirst reads the gate where it is the first field, and where that ends.
func gateFirst(data []byte, at int) (gate []byte, next int, ok bool) {
	at = skipSpace(data, at)
	if !bytes.HasPrefix(data[at:], []byte(quotedGate)) {
		return nil, 0, false
	}
	if at = expect(data, at+len(quotedGate), ':'); at < 0 {
		return nil, 0, false
	}
	from, to, _ := quoted(data, skipSpace(data, at))
	if to <= from {
		return nil, 0, false
	}
	return data[from:to], to + 1, true
}

// gateLater finds what looks like the gate, and may stand inside a string or an object: decoding holds it against the
// field that it then meets, or does not meet.
func gateLater(data []byte, at int) (gate []byte, ok bool) {
	found := bytes.Index(data[at:], []byte(quotedGate))
	if found < 0 {
		return nil, false
	}
	gate, _, ok = gateFirst(data, at+found)
	return gate, ok
}

// fastRead is one document on the fast path: its bytes, and the parts of them that are to become strings. These become
// one string together, since that costs less than a string each; so they keep one another alive, and nothing else.
type fastRead struct {
	data  []byte
	parts [maxParts]part
	count int // of parts
}

// part is the text of a field: where it stands, and where it goes.
type part struct {
	from, to int
	into     slot
}

// maxParts is how many parts become one string: all of nearly every document.
const maxParts = 8

// keep makes strings of the parts.
func (f *fastRead) keep() {
	var room [maxParts * 16]byte
	all := room[:0]
	for _, part := range f.parts[:f.count] {
		all = append(all, f.data[part.from:part.to]...)
	}
	text := string(all)
	for _, part := range f.parts[:f.count] {
		own := text[:part.to-part.from]
		text = text[len(own):]
		switch into := part.into.(type) {
		case *identifier:
			*into = identifier(own)
		default:
			into.set(Value{Kind: KindText, Text: own})
		}
	}
	f.count = 0
}

// decodeFast reads a document from behind its opening brace, or behind its gate. What is known of the gate comes with it.
func (r *record[D]) decodeFast(data []byte, at int, gate uint64) (Document, bool) {
	if r.layout == nil {
		return nil, false
	}
	into := new(D)
	if r.begin != nil {
		r.begin(into)
	}
	f := fastRead{data: data}
	at, seen := r.fastObject(&f, into, r.layout, at, gate&gateBit)
	if at < 0 || skipSpace(data, at) < len(data) || seen&gateBit|gate&callersBit == 0 {
		return nil, false
	}
	if f.count > 0 {
		f.keep()
	}
	if r.contradiction(into) != nil {
		return nil, false
	}
	return r.document(into), true
}

// fastObject reads an object, from behind its opening brace or from behind the fields that were seen, to behind its
// closing one. It tells all fields that were seen; -1 gives up.
func (r *record[D]) fastObject(f *fastRead, into *D, l *layout, at int, seen uint64) (int, uint64) {
	data, next := f.data, int(seen>>63) // the gate is the first key
	for {
		if seen != 0 {
			if at = skipSpace(data, at); at >= len(data) {
				return -1, 0
			}
			if data[at] == '}' && seen&l.required == l.required {
				return at + 1, seen
			}
			if data[at] != ',' {
				return -1, 0
			}
			at++
		}
		if at = expect(data, at, '"'); at < 0 {
			return -1, 0
		}
		if next = l.find(data[at:], next); next < 0 {
			return -1, 0
		}
		own := &l.keys[next]
		if next++; seen&own.bit != 0 {
			return -1, 0
		}
		seen |= own.bit
		if at = expect(data, at+own.length, ':'); at < 0 {
			return -1, 0
		}
		if at = r.fastField(f, into, own, skipSpace(data, at)); at < 0 {
			return -1, 0
		}
	}
}

// fastField reads the value of a field, which begins at an offset, and gives the offset behind it; -1 gives up.
func (r *record[D]) fastField(f *fastRead, into *D, own *key, at int) int {
	if at >= len(f.data) {
		return -1
	}
	if own.index == gateKey {
		if from, to, _ := quoted(f.data, at); to >= 0 && string(f.data[from:to]) == r.gate {
			return to + 1
		}
		return -1
	}
	field := &r.fields[own.index]
	if own.inner != nil {
		if f.data[at] != '{' {
			return -1
		}
		field.object(into, true)
		at, _ = r.fastObject(f, into, own.inner, at+1, 0)
		return at
	}
	if f.data[at] == 'n' {
		if !field.signal || !bytes.HasPrefix(f.data[at:], []byte("null")) {
			return -1
		}
		field.at(into, true).set(Value{})
		return at + len("null")
	}
	switch slot := field.at(into, true); field.want.kind {
	case KindNumber:
		number, end := wholeNumber(f.data, at)
		if end < 0 || number < field.want.low || number > field.want.high {
			return -1
		}
		if own, ok := slot.(*Number); ok {
			own.value, own.state = number, known
		} else {
			slot.set(Value{Kind: KindNumber, Number: number})
		}
		return end
	case KindFlag:
		return fastFlag(f.data, slot, at)
	case KindText:
		return field.want.fastText(f, slot, at)
	}
	return -1
}

func fastFlag(data []byte, into slot, at int) int {
	switch {
	case bytes.HasPrefix(data[at:], []byte("true")):
		into.set(Value{Kind: KindFlag, Flag: true})
		return at + len("true")
	case bytes.HasPrefix(data[at:], []byte("false")):
		into.set(Value{Kind: KindFlag})
		return at + len("false")
	}
	return -1
}

// fastText keeps a word of the list, or a part of the document's own text.
func (w *want) fastText(f *fastRead, into slot, at int) int {
	from, to, plain := quoted(f.data, at)
	if to < 0 {
		return -1
	}
	text := f.data[from:to]
	switch {
	case w.words != nil:
		if !plain && !utf8.Valid(text) {
			return -1
		}
		word := slices.IndexFunc(w.words, func(word string) bool { return word == string(text) })
		if word < 0 {
			return -1
		}
		into.set(Value{Kind: KindText, Text: w.words[word]})
		return to + 1
	case !plain && checkIdentifier(string(text)) != "", plain && !plainOuter(text):
		return -1
	}
	if f.count == maxParts {
		f.keep()
	}
	f.parts[f.count] = part{from, to, into}
	f.count++
	return to + 1
}
