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
	at := skipSpace(data, 0)
	if len(data) > MaxBytes || at >= len(data) || data[at] != '{' {
		return nil, false
	}
	at++
	from, to := guessGate(data, at)
	switch {
	case from < 0:
		return nil, false
	case from == to: // it names none, so the caller must
		if shape, ok := source.shape(source.Gate); ok {
			return shape.decodeFast(data, at, true)
		}
		return nil, false
	}
	if shape, ok := source.shape(string(data[from:to])); ok {
		return shape.decodeFast(data, at, false)
	}
	return nil, false
}

// guessGate finds the text of the first "gate": nothing where there is none, -1 gives up. It may be wrong where "gate"
// stands inside a string or an object: decoding holds the guess against the field that it then meets, or does not meet.
func guessGate(data []byte, at int) (from, to int) {
	const quoted = `"gate"`
	at = skipSpace(data, at)
	if !bytes.HasPrefix(data[at:], []byte(quoted)) { // it mostly comes first
		found := bytes.Index(data[at:], []byte(quoted))
		if found < 0 {
			return 0, 0
		}
		at += found
	}
	at = skipColon(data, at+len(quoted))
	if at < 0 || data[at] != '"' {
		return -1, -1
	}
	end, _ := textEnd(data, at+1)
	if end <= at+1 {
		return -1, -1
	}
	return at + 1, end
}

// layout is one object of a record, made ready for the fast path.
type layout struct {
	keys     []key
	required uint64 // the bits of the fields that must be there
}

// key is one field of an object.
type key struct {
	quoted string  // the name and the quote that ends it
	bit    uint64  // of this field alone
	index  int     // in the fields of the record; gateKey for "gate"
	inner  *layout // of an object
}

// gateKey is the index of the discriminator, which is in no record.
const gateKey = -1

// maxFast is how many fields a record can have on the fast path: with "gate", a bit each.
const maxFast = 63

// ready makes the layout of a record whose fields are complete.
func (r *record[D]) ready() *record[D] {
	if len(r.fields) > maxFast {
		return r
	}
	r.layout = r.layoutOf("")
	r.layout.keys = slices.Insert(r.layout.keys, 0, key{quoted: `gate"`, bit: 1 << maxFast, index: gateKey})
	return r
}

func (r *record[D]) layoutOf(prefix string) *layout {
	l := &layout{}
	for _, name := range r.names(prefix) {
		index := r.index(prefix + name)
		own := key{quoted: name + `"`, bit: 1 << index, index: index}
		if r.fields[index].object != nil {
			own.inner = r.layoutOf(prefix + name + ".")
		}
		if r.fields[index].required {
			l.required |= own.bit
		}
		l.keys = append(l.keys, own)
	}
	return l
}

// find is the key that data begins with, nil if it is none. Fields mostly come in the order of the record, so it looks
// from the one after the last.
func (l *layout) find(data []byte, next int) (found *key, after int) {
	for range l.keys {
		if next == len(l.keys) {
			next = 0
		}
		own := &l.keys[next]
		next++
		if len(data) >= len(own.quoted) && data[0] == own.quoted[0] && string(data[:len(own.quoted)]) == own.quoted {
			return own, next
		}
	}
	return nil, next
}

// fastText is the text of a document, as bytes and, once a field keeps a part of it, as one string: all texts of a
// document are parts of that, and keep it alive, which costs less than a string each.
type fastText struct {
	data []byte
	text string
}

// part is the string between two offsets.
func (f *fastText) part(from, to int) string {
	if f.text == "" {
		f.text = string(f.data)
	}
	return f.text[from:to]
}

// decodeFast reads a document from behind its opening brace. A document that does not name its gate is accepted if the
// caller has named it.
func (r *record[D]) decodeFast(data []byte, at int, named bool) (Document, bool) {
	if r.layout == nil {
		return nil, false
	}
	into := new(D)
	if r.begin != nil {
		r.begin(into)
	}
	from := fastText{data: data}
	at, seen := r.fastObject(&from, into, r.layout, at)
	if at < 0 || skipSpace(data, at) < len(data) || !named && seen>>maxFast == 0 || r.contradiction(into) != nil {
		return nil, false
	}
	return r.document(into), true
}

// fastObject reads an object from behind its opening brace to behind its closing one, and tells the fields that it saw;
// -1 gives up.
func (r *record[D]) fastObject(from *fastText, into *D, l *layout, at int) (int, uint64) {
	data, next := from.data, 0
	var seen uint64
	for {
		if at = skipSpace(data, at); at >= len(data) || data[at] != '"' {
			return -1, 0
		}
		var own *key
		if own, next = l.find(data[at+1:], next); own == nil || seen&own.bit != 0 {
			return -1, 0
		}
		seen |= own.bit
		if at = skipColon(data, at+1+len(own.quoted)); at < 0 {
			return -1, 0
		}
		if at = r.fastField(from, into, own, at); at < 0 {
			return -1, 0
		}
		if at = skipSpace(data, at); at >= len(data) {
			return -1, 0
		}
		switch data[at] {
		case ',':
			at++
		case '}':
			if seen&l.required != l.required {
				return -1, 0
			}
			return at + 1, seen
		default:
			return -1, 0
		}
	}
}

// fastField reads the value of a field, which begins at an offset inside the document, and gives the offset behind it;
// -1 gives up.
func (r *record[D]) fastField(from *fastText, into *D, own *key, at int) int {
	if own.index == gateKey {
		end, _ := textEnd(from.data, at+1)
		if from.data[at] != '"' || end < 0 || string(from.data[at+1:end]) != r.gate {
			return -1
		}
		return end + 1
	}
	field := &r.fields[own.index]
	if own.inner != nil {
		if from.data[at] != '{' {
			return -1
		}
		field.object(into, true)
		at, _ = r.fastObject(from, into, own.inner, at+1)
		return at
	}
	slot := field.at(into, true)
	if from.data[at] == 'n' {
		if !field.signal || !bytes.HasPrefix(from.data[at:], []byte("null")) {
			return -1
		}
		slot.set(Value{})
		return at + len("null")
	}
	switch field.want.kind {
	case KindNumber:
		return field.want.fastNumber(from.data, slot, at)
	case KindFlag:
		return fastFlag(from.data, slot, at)
	case KindText:
		return field.want.fastText(from, slot, at)
	}
	return -1
}

func (w *want) fastNumber(data []byte, into slot, at int) int {
	number, end := wholeNumber(data, at)
	if end < 0 || number < w.low || number > w.high {
		return -1
	}
	switch into := into.(type) {
	case *Number:
		into.value, into.state = number, known
	default:
		into.set(Value{Kind: KindNumber, Number: number})
	}
	return end
}

func fastFlag(data []byte, into slot, at int) int {
	flag, end := data[at] == 't', at+len("true")
	if !flag {
		end++
	}
	if !bytes.HasPrefix(data[at:], []byte("true")) && !bytes.HasPrefix(data[at:], []byte("false")) {
		return -1
	}
	into.set(Value{Kind: KindFlag, Flag: flag})
	return end
}

// fastText keeps a word of the list, or a part of the document's own text.
func (w *want) fastText(from *fastText, into slot, at int) int {
	end, plain := textEnd(from.data, at+1)
	if from.data[at] != '"' || end < 0 {
		return -1
	}
	text := from.data[at+1 : end]
	value := Value{Kind: KindText}
	if w.words != nil {
		word := slices.IndexFunc(w.words, func(word string) bool { return word == string(text) })
		if word < 0 || !utf8.Valid(text) {
			return -1
		}
		value.Text = w.words[word]
	} else {
		value.Text = from.part(at+1, end)
		if !plain || !plainOuter(text) {
			if checkIdentifier(value.Text) != "" {
				return -1
			}
		}
	}
	switch into := into.(type) {
	case *identifier:
		*into = identifier(value.Text)
	default:
		into.set(value)
	}
	return end + 1
}
