package inputs

import (
	"bytes"
	"slices"
)

// layout is one object of a record, made ready for the fast path.
type layout struct {
	keys     []key
	required uint64 // the bits of the fields that must be there
}

// key is one field of an object.
type key struct {
	head, mask [keyWords]uint64 // the name and the quote that ends it, as eightOf has them; which of their bits count
	rest       string           // of them, beyond those words
	length     int              // of all, in bytes
	bit        uint64           // of this field alone
	index      int              // in the fields of the record; gateKey for "gate"
	inner      *layout          // of an object
}

// keyWords is how many times eight bytes of a name are compared at once, which is all of nearly every name.
const keyWords = 3

// gateKey is the index of the discriminator, which is in no record.
const gateKey = -1

// maxFast is how many fields a record can have on the fast path: a bit each, beside those of the gate.
const maxFast = 62

// ready makes the layout of a record whose fields are complete. One with too many, or with words where no text can be,
// is left to the library path.
func (r *record[D]) ready() *record[D] {
	odd := func(field field[D]) bool { return field.want.words != nil && field.want.kind != KindText }
	if len(r.fields) <= maxFast && !slices.ContainsFunc(r.fields, odd) {
		r.layout = &layout{keys: []key{newKey("gate", 63, gateKey)}}
		r.lay(r.layout, "")
	}
	return r
}

// lay adds the fields of the object with a prefix.
func (r *record[D]) lay(into *layout, prefix string) {
	for _, name := range r.names(prefix) {
		index := r.index(prefix + name)
		own := newKey(name, index, index)
		if r.fields[index].object != nil {
			own.inner = &layout{}
			r.lay(own.inner, prefix+name+".")
		}
		if r.fields[index].required {
			into.required |= own.bit
		}
		into.keys = append(into.keys, own)
	}
}

func newKey(name string, bit, index int) key {
	const words = 8 * keyWords
	name += `"`
	own := key{length: len(name), bit: 1 << bit, index: index}
	var text, counts [words]byte
	for i := range copy(text[:], name) {
		counts[i] = 0xff
	}
	for i := range keyWords {
		own.head[i], own.mask[i] = eightOf(text[:], 8*i), eightOf(counts[:], 8*i)
	}
	if len(name) > words {
		own.rest = name[words:]
	}
	return own
}

// find is the index of the key that data begins with, -1 if it is none. Fields mostly come in the order of the record,
// so it looks from the one that would be next.
func (l *layout) find(data []byte, next int) int {
	if len(data) < 8*keyWords {
		var end [8 * keyWords]byte // what is behind the document is no quote
		copy(end[:], data)
		return l.find(end[:], next)
	}
	one, two, three := eightOf(data, 0), eightOf(data, 8), eightOf(data, 16)
	for range l.keys {
		if next >= len(l.keys) {
			next = 0
		}
		if own := &l.keys[next]; own.begins(one, two, three) {
			if own.rest == "" || bytes.HasPrefix(data[8*keyWords:], []byte(own.rest)) {
				return next
			}
		}
		next++
	}
	return -1
}

// begins reports whether the first bytes of a text, as eightOf has them, are those of the key.
func (k *key) begins(one, two, three uint64) bool {
	return (one^k.head[0])&k.mask[0]|(two^k.head[1])&k.mask[1]|(three^k.head[2])&k.mask[2] == 0
}
