package review

import (
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// condition is when the effects of a way to admit are those that its document must have. Where they are not, the engine
// refuses, whatever the rules say.
type condition struct {
	kind conditionKind
	flag int // property of Flag
	want bool
	a, b uint16 // text slots of Same
}

type conditionKind uint8

const (
	conditionNever  conditionKind = iota // the zero condition admits nothing
	conditionAlways                      //
	conditionFlag                        // a flag is so
	conditionSame                        // two strings are one
)

// fitting is when some effects of a gate are right: see [table.CheckEffects], which says so of one document.
func (s *space) fitting(effects []table.EffectOfRow) condition {
	slot := func(name string) uint16 {
		if i := s.property(name); i >= 0 {
			return uint16(s.places[i].Slot)
		}
		return 0
	}
	deeper := func(name string) table.EffectOfRow {
		return table.EffectOfRow{Text: slot(name), Counter: table.CounterDepth, Delta: 1}
	}
	switch s.gate {
	case "fence":
		borrow := s.property("borrow") // which a borrowed plane comes with
		switch {
		case slices.Equal(effects, []table.EffectOfRow{deeper("primary.name")}):
			return condition{kind: conditionFlag, flag: borrow}
		case slices.Equal(effects, []table.EffectOfRow{deeper("primary.name"), deeper("borrowed.name")}):
			return condition{kind: conditionFlag, flag: borrow, want: true}
		}
		return condition{}
	case "fence.retry":
		if slices.Equal(effects, []table.EffectOfRow{{Text: slot("charge.name"), Counter: table.CounterRetryBudget, Delta: -1}}) {
			return condition{kind: conditionSame, a: slot("created_on"), b: slot("charge.name")}
		}
		return condition{}
	}
	if len(effects) == 0 {
		return condition{kind: conditionAlways}
	}
	return condition{}
}

// holds reports whether a document has these effects.
func (c condition) holds(flat *inputs.Flat) bool {
	switch c.kind {
	case conditionAlways:
		return true
	case conditionFlag:
		return flat.True>>c.flag&1 == 1 == c.want
	case conditionSame:
		return flat.Texts[c.a] == flat.Texts[c.b]
	}
	return false
}

// text is the condition for the solver.
func (c condition) text(document string) string {
	switch c.kind {
	case conditionAlways:
		return "true"
	case conditionFlag:
		flag := fmt.Sprintf("%sf%d", document, c.flag)
		if c.want {
			return flag
		}
		return not(flag)
	case conditionSame:
		return fmt.Sprintf("(= %st%d %st%d)", document, c.a, document, c.b)
	}
	return "false"
}

// met hands over the parts of a cell in which a condition holds, and in which it does not.
func (e *explorer) met(c cell, of condition, then func(c cell, holds bool)) {
	var is, settled bool
	switch of.kind {
	case conditionAlways, conditionNever:
		then(c, of.kind == conditionAlways)
		return
	case conditionFlag:
		is, settled = c.is(flagged, of.flag)
		is = is == of.want
	case conditionSame:
		is, settled = e.sameText(&c, of.a, of.b)
	}
	if settled {
		then(c, is)
		return
	}
	var parts []cell
	if of.kind == conditionFlag {
		parts = e.bit(c, flagged, of.flag)
	} else {
		parts = e.options(c, 0, table.Node{Op: table.SameText, A: of.a, B: of.b})
	}
	for _, part := range parts {
		e.left--
		e.met(part, of, then)
	}
}
