package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// declared writes the variables of one document, whose names begin with a letter, and what holds of every valid document:
// g0 is whether property 0 is there, k0 whether it is known, f0 a flag, n0 number 0, t0 the code of string 0, -1 of none.
func (s *space) declared(document string) string {
	return s.declaredAs(document, func(name, sort string, _ int) string { return fmt.Sprintf("(declare-const %s %s)", name, sort) })
}

// declaredAs is declared where declare writes each variable, which is of the property of a place.
func (s *space) declaredAs(document string, declare func(name, sort string, place int) string) string {
	var w strings.Builder
	for i, place := range s.places {
		at := func(letter string) string { return document + letter + strconv.Itoa(i) }
		slot := func(letter string) string { return document + letter + strconv.Itoa(place.Slot) }
		w.WriteString(declare(at("g"), "Bool", i) + declare(at("k"), "Bool", i) + declare(at("f"), "Bool", i) + "\n")
		fmt.Fprintf(&w, "(assert (=> %s %s))", at("k"), at("g"))
		object, _, nested := strings.Cut(place.Name, ".")
		parent := document + "g" + strconv.Itoa(s.property(object))
		switch {
		case nested && place.Required:
			fmt.Fprintf(&w, "(assert (= %s %s))", at("g"), parent)
		case nested:
			fmt.Fprintf(&w, "(assert (=> %s %s))", at("g"), parent)
		case place.Required:
			fmt.Fprintf(&w, "(assert %s)", at("g"))
		}
		switch {
		case place.Object:
			fmt.Fprintf(&w, "(assert (not %s))", at("k"))
		case !place.Signal:
			fmt.Fprintf(&w, "(assert (=> %s %s))", at("g"), at("k"))
		}
		switch place.Kind {
		case inputs.KindFlag:
			fmt.Fprintf(&w, "(assert (=> %s %s))", at("f"), at("k"))
		case inputs.KindNumber:
			fmt.Fprintf(&w, "(assert (not %s))%s", at("f"), declare(slot("n"), "Int", i))
			fmt.Fprintf(&w, "(assert (ite %s (<= %s %s %s) (= %s 0)))", at("k"), number(place.Low), slot("n"), number(place.High), slot("n"))
		case inputs.KindText:
			fmt.Fprintf(&w, "(assert (not %s))%s", at("f"), declare(slot("t"), "Int", i))
			fmt.Fprintf(&w, "(assert (ite %s %s (= %s (- 1))))", at("k"), s.oneOf(slot("t"), place.Words), slot("t"))
		default:
			fmt.Fprintf(&w, "(assert (not %s))", at("f"))
		}
		if values, narrowed := s.domain[place.Name]; narrowed {
			w.WriteString("(assert " + s.narrowed(document, i, values) + ")")
		}
		w.WriteByte('\n')
	}
	for _, cell := range s.cells {
		fmt.Fprintf(&w, "(declare-const %s Int)(assert (<= %s %s %s))\n", cell.name(document), number(cell.low), cell.name(document), number(cell.high))
	}
	for _, tie := range s.ties {
		a, b := s.property(tie.A), s.property(tie.B)
		switch tie.Kind {
		case inputs.TieOneOf:
			fmt.Fprintf(&w, "(assert (xor %sg%d %sg%d))\n", document, a, document, b)
		case inputs.TieImplies:
			fmt.Fprintf(&w, "(assert (=> %sf%d %sg%d))\n", document, a, document, b)
		case inputs.TieDiffer:
			fmt.Fprintf(&w, "(assert (=> (and %sk%d %sk%d) (distinct %st%d %st%d)))\n", document, a, document, b, document, s.places[a].Slot, document, s.places[b].Slot)
		}
	}
	return w.String()
}

// oneOf is that a text is one of some words, or any of all names.
func (s *space) oneOf(text string, words []string) string {
	if words == nil {
		return fmt.Sprintf("(<= 0 %s %d)", text, len(s.names)-1)
	}
	return s.among(text, func(name string) bool { return slices.Contains(words, name) })
}

// among is that the code of a text is that of a name that holds, as ranges of codes.
func (s *space) among(text string, holds func(name string) bool) string {
	var parts []string
	for code := 0; code < len(s.names); code++ {
		if !holds(s.names[code]) {
			continue
		}
		from := code
		for code+1 < len(s.names) && holds(s.names[code+1]) {
			code++
		}
		parts = append(parts, fmt.Sprintf("(<= %d %s %d)", from, text, code))
	}
	return anyOf(parts)
}

// narrowed is that a property is in its domain.
func (s *space) narrowed(document string, i int, values Values) string {
	place := s.places[i]
	var known []string
	for _, value := range values.Numbers {
		known = append(known, fmt.Sprintf("(= %sn%d %s)", document, place.Slot, number(value)))
	}
	for _, text := range values.Texts {
		known = append(known, fmt.Sprintf("(= %st%d %d)", document, place.Slot, s.codes[text]))
	}
	for _, flag := range values.Flags {
		known = append(known, fmt.Sprintf("(= %sf%d %t)", document, i, flag))
	}
	parts := []string{fmt.Sprintf("(and %sk%d %s)", document, i, anyOf(known))}
	if place.Object {
		parts = []string{fmt.Sprintf("%sg%d", document, i)}
	}
	if values.Absent {
		parts = append(parts, fmt.Sprintf("(not %sg%d)", document, i))
	}
	if values.Null {
		parts = append(parts, fmt.Sprintf("(and %sg%d (not %sk%d))", document, i, document, i))
	}
	return anyOf(parts)
}

// variables names everything that a model must tell of a document.
func (s *space) variables(document string) []string {
	var names []string
	for i, place := range s.places {
		for _, letter := range []string{"g", "k", "f"} {
			names = append(names, document+letter+strconv.Itoa(i))
		}
		switch place.Kind {
		case inputs.KindNumber:
			names = append(names, document+"n"+strconv.Itoa(place.Slot))
		case inputs.KindText:
			names = append(names, document+"t"+strconv.Itoa(place.Slot))
		}
	}
	for _, cell := range s.cells {
		names = append(names, cell.name(document))
	}
	return names
}

// flat is the document of a model.
func (s *space) flat(document string, values map[string]int64) inputs.Flat {
	var flat inputs.Flat
	for i, place := range s.places {
		flat.Given |= uint64(values[document+"g"+strconv.Itoa(i)]) << i
		flat.Known |= uint64(values[document+"k"+strconv.Itoa(i)]) << i
		flat.True |= uint64(values[document+"f"+strconv.Itoa(i)]) << i
		switch place.Kind {
		case inputs.KindNumber:
			flat.Numbers[place.Slot] = values[document+"n"+strconv.Itoa(place.Slot)]
		case inputs.KindText:
			code := values[document+"t"+strconv.Itoa(place.Slot)]
			switch {
			case code < 0 || code >= int64(len(s.names)):
			case s.crowds[code] != nil:
				flat.Texts[place.Slot] = s.member(s.crowds[code], document, place.Slot, flat.Texts[:], values)
			default:
				flat.Texts[place.Slot] = s.names[code]
			}
		}
	}
	return flat
}

// number is a number as SMT-LIB writes it.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	if n < 0 {
		return "(- " + text[1:] + ")"
	}
	return text
}

func anyOf(parts []string) string {
	switch len(parts) {
	case 0:
		return "false"
	case 1:
		return parts[0]
	}
	return "(or " + strings.Join(parts, " ") + ")"
}

func allOf(parts ...string) string {
	switch len(parts) {
	case 0:
		return "true"
	case 1:
		return parts[0]
	}
	return "(and " + strings.Join(parts, " ") + ")"
}

func not(part string) string { return "(not " + part + ")" }
