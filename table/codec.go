package table

import (
	"encoding/binary"
	"fmt"

	"github.com/admitctl/admitctl/inputs"
)

// codec goes over the content of a table file, field by field and in one order: it writes what it is shown, or reads it.
// So the format is written once. Numbers are varints; strings and lists begin with their length.
type codec struct {
	reading bool
	content []byte // written, or left to read
	err     error  // of reading; what was read then means nothing
}

// fail makes all that is still to be read nothing.
func (c *codec) fail() {
	if c.err == nil {
		c.err = fmt.Errorf("%w: its content is of another form", ErrTable)
	}
	c.content = nil
}

// whole is a whole number without a sign.
func whole[T ~uint8 | ~uint16 | ~uint64](c *codec, at *T) {
	if !c.reading {
		c.content = binary.AppendUvarint(c.content, uint64(*at))
		return
	}
	value, size := binary.Uvarint(c.content)
	if size <= 0 || uint64(T(value)) != value {
		c.fail()
		return
	}
	*at, c.content = T(value), c.content[size:]
}

// signed is a whole number.
func (c *codec) signed(at *int64) {
	if !c.reading {
		c.content = binary.AppendVarint(c.content, *at)
		return
	}
	value, size := binary.Varint(c.content)
	if size <= 0 {
		c.fail()
		return
	}
	*at, c.content = value, c.content[size:]
}

func (c *codec) flag(at *bool) {
	var bit uint8
	if *at {
		bit = 1
	}
	whole(c, &bit)
	if bit > 1 {
		c.fail()
	}
	*at = bit == 1
}

func (c *codec) text(at *string) {
	size := uint64(len(*at))
	whole(c, &size)
	switch {
	case !c.reading:
		c.content = append(c.content, *at...)
	case size > uint64(len(c.content)):
		c.fail()
	default:
		*at, c.content = string(c.content[:size]), c.content[size:]
	}
}

// list is a list, nil or not. It grows as its items are read, so that no length alone takes memory.
func list[T any](c *codec, at *[]T, item func(*codec, *T)) {
	size := uint64(len(*at)) + 1
	if *at == nil {
		size = 0
	}
	whole(c, &size)
	if size == 0 {
		return
	}
	if c.reading {
		*at = make([]T, 0, min(size-1, 1<<10))
	}
	for i := range size - 1 {
		if c.reading {
			var next T
			*at = append(*at, next)
		}
		if item(c, &(*at)[i]); c.err != nil {
			return
		}
	}
}

func texts(c *codec, at *[]string) { list(c, at, (*codec).text) }

func (c *codec) program(p *Program) {
	c.text(&p.Gate)
	list(c, &p.Properties, (*codec).property)
	list(c, &p.Checks, (*codec).check)
	list(c, &p.Admits, (*codec).admit)
	texts(c, &p.Unknown)
	list(c, &p.Values, (*codec).scalar)
	list(c, &p.Nodes, (*codec).node)
	list(c, &p.Expressions, (*codec).expression)
	texts(c, &p.Words)
	list(c, &p.Constants, (*codec).constant)
	list(c, &p.Lookups, (*codec).lookup)
	list(c, &p.Predicates, (*codec).predicate)
	list(c, &p.Jumps, whole[uint16])
	list(c, &p.Shapes, (*codec).shape)
	whole(c, &p.Entry.First)
	whole(c, &p.Entry.All)
	whole(c, &p.Entry.Unknown)
}

func (c *codec) shape(own *Shape) {
	whole(c, &own.Known)
	whole(c, &own.Absent)
}

func (c *codec) property(p *inputs.Property) {
	c.text(&p.Name)
	c.flag(&p.Object)
	whole(c, &p.Kind)
	c.flag(&p.Signal)
	c.flag(&p.Required)
	c.signed(&p.Low)
	c.signed(&p.High)
	texts(c, &p.Words)
	c.text(&p.Description)
}

func (c *codec) check(own *Check) {
	c.text(&own.Reason)
	c.text(&own.Title)
	c.text(&own.Action)
	whole(c, &own.Observed)
	whole(c, &own.Limit)
	c.origin(&own.At)
}

func (c *codec) origin(own *Origin) {
	line := int64(own.Line)
	c.text(&own.File)
	c.signed(&line)
	own.Line = int(line)
}

func (c *codec) admit(own *Admit) {
	c.text(&own.Reason)
	c.text(&own.Action)
	list(c, &own.Effects, func(c *codec, e *EffectOfRow) {
		whole(c, &e.Text)
		c.text(&e.Counter)
		c.signed(&e.Delta)
	})
}

func (c *codec) scalar(s *Scalar) {
	whole(c, &s.Is)
	whole(c, &s.A)
	whole(c, &s.Word.Kind)
	c.signed(&s.Word.Number)
	c.flag(&s.Word.Flag)
	c.text(&s.Word.Text)
}

func (c *codec) node(n *Node) {
	whole(c, &n.Op)
	whole(c, &n.A)
	whole(c, &n.B)
	whole(c, &n.Yes)
	whole(c, &n.No)
}

func (c *codec) expression(e *Expression) {
	whole(c, &e.Term)
	whole(c, &e.A)
	whole(c, &e.B)
}

func (c *codec) constant(own *Constant) {
	c.signed(&own.Value)
	texts(c, &own.Path)
	c.origin(&own.At)
}

func (c *codec) lookup(l *Lookup) {
	texts(c, &l.Path)
	whole(c, &l.Text)
	list(c, &l.Bits, func(c *codec, b *Bit) {
		texts(c, &b.Path)
		whole(c, &b.Is)
		c.text(&b.Word)
	})
	list(c, &l.Columns, func(c *codec, own *Column) { texts(c, &own.Path) })
	whole(c, &l.First)
	list(c, &l.Answers, whole[uint64])
}

func (c *codec) predicate(p *Predicate) {
	c.text(&p.Text)
	c.origin(&p.At)
}
