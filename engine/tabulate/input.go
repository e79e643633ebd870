package tabulate

import (
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// inDocument looks a field of the document up. What is never there is undefined.
func (t *tabulation) inDocument(d document, name string) choices {
	if d.prefix == "" && name == "gate" {
		return only(text(t.gate)) // every door says it
	}
	at := t.property(d.prefix + name)
	if at < 0 || strings.Contains(name, ".") { // a name with a dot is of a field in an object, and no key of anything
		return nil
	}
	place := t.places[at]
	given := t.given(at)
	if place.Object {
		return choices{{given, document{place.Name + "."}}}
	}
	f := t.formulas
	known := given
	if place.Signal {
		known = t.bit(table.WordKnown, at, place.Name+" is known")
	}
	unknown := choice{f.butNot(given, known), null{}}
	switch place.Kind {
	case inputs.KindNumber:
		is := number{t.expression(expression{term: table.Field, a: at, low: place.Low, high: place.High})}
		return compact(choice{known, is}, unknown)
	case inputs.KindText:
		return compact(choice{known, field{at}}, unknown)
	}
	yes := f.and(known, t.bit(table.WordTrue, at, place.Name+" is true"))
	return compact(choice{yes, boolean(true)}, choice{f.butNot(known, yes), boolean(false)}, choice{f.butNot(f.butNot(given, known), yes), null{}})
}

// given is: the field is there, whether or not it is null.
func (t *tabulation) given(at int) formula {
	place := t.places[at]
	object := always
	if name, _, nested := strings.Cut(place.Name, "."); nested {
		object = t.given(t.property(name))
	}
	if place.Required {
		return object
	}
	for _, tie := range t.ties {
		switch {
		case tie.Kind == inputs.TieOneOf && tie.B == place.Name:
			return t.formulas.not(t.given(t.property(tie.A)))
		case tie.Kind == inputs.TieImplies && tie.B == place.Name:
			implied := t.bit(table.WordTrue, t.property(tie.A), tie.A+" is true")
			return t.formulas.or(implied, t.bit(table.WordGiven, at, place.Name+" is there"))
		}
	}
	own := t.bit(table.WordGiven, at, place.Name+" is there")
	if place.Signal { // what is known is there
		own = t.formulas.or(t.bit(table.WordKnown, at, place.Name+" is known"), own)
	}
	return t.formulas.and(object, own)
}

func (t *tabulation) property(name string) int {
	for i, place := range t.places {
		if place.Name == name {
			return i
		}
	}
	return -1
}

// compact leaves out what is never.
func compact(all ...choice) choices {
	kept := make(choices, 0, len(all))
	for _, one := range all {
		if one.when != never {
			kept = append(kept, one)
		}
	}
	return kept
}
