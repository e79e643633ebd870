package tabulate

import (
	"slices"
	"strings"

	"github.com/admitctl/admitctl/table"
)

// answer is the decision of a gate, taken apart.
type answer struct {
	outside formula // OPA must be asked
	rejects formula // something is violated
	checks  []violated
	ways    []way
	unknown []named
}

// violated is a check and when it is.
type violated struct {
	when            formula
	reason, action  string
	observed, limit choices
}

// way is a way to admit and when it is taken.
type way struct {
	when           formula
	reason, action string
	effects        []table.EffectOfRow
}

// named is a signal and when it is unknown.
type named struct {
	when formula
	name string
}

const assembled = "let guard.decision assemble the decision, from a list of violations and one admission"

// answer takes the decision apart, and wants it to be of the shape that guard.decision gives: a decision that admits
// exactly when nothing is violated, and whose reason is that of the first violation.
func (t *tabulation) answer(decision choices) *answer {
	f := t.formulas
	a := &answer{rejects: never, outside: f.or(t.outside, f.not(t.defined(decision)))}
	var rejects choices
	for _, one := range decision {
		of, ok := one.is.(object)
		if !ok {
			panic(t.unsupported("a decision that is no object", assembled))
		}
		t.shaped("a decision", of, "action", "admit", "effects", "gate", "reason", "unknown", "violations")
		if t.wordUnder(t.words(of, "gate", one.when), one.when) != t.gate {
			panic(t.unsupported("a decision that names another gate", assembled))
		}
		for _, admit := range of.fields["admit"] {
			when := f.and(one.when, admit.when)
			switch {
			case when == never:
			case admit.is == boolean(true):
				t.admits(a, when, of)
			case t.undecided(of):
				a.outside = f.or(a.outside, when)
			default:
				rejects = append(rejects, choice{when, of})
			}
		}
		a.outside = f.or(a.outside, f.butNot(one.when, t.defined(of.fields["admit"])))
		t.names(a, one.when, of.fields["unknown"])
	}
	if len(rejects) > 1 {
		panic(t.unsupported("a decision that rejects in more than one shape", assembled))
	}
	for _, reject := range rejects {
		t.rejects(a, reject.when, reject.is.(object))
	}
	slices.SortFunc(a.unknown, func(x, y named) int { return strings.Compare(x.name, y.name) })
	return a
}

// shaped wants an object to have the fields of what it is, and no others.
func (t *tabulation) shaped(what string, of object, names ...string) {
	if !slices.Equal(of.names(), names) {
		panic(t.unsupported(what+" with other fields than "+strings.Join(names, ", "), assembled))
	}
}

// listed are the members of a field that must be a list.
func (t *tabulation) listed(of value, name string) choices {
	own, ok := of.(list)
	if !ok {
		panic(t.unsupported("a decision whose "+name+" is no list", assembled))
	}
	return own.members
}

// undecided is the default of a decision.
func (t *tabulation) undecided(of object) bool {
	reason := of.fields["reason"]
	return len(reason) == 1 && reason[0].is == text(table.ReasonUndefined)
}

// words are what a field of the decision can be, under a condition under which it must be a word.
func (t *tabulation) words(of object, name string, when formula) choices {
	made := t.under(of.fields[name], when)
	for _, one := range made {
		switch word, ok := one.is.(text); {
		case !ok:
			panic(t.unsupported("a decision whose "+name+" is no literal word", assembled))
		case word == "":
			panic(t.unsupported("a decision whose "+name+" is empty", "write the "+name+" in the METADATA of the row"))
		}
	}
	if t.formulas.butNot(when, t.defined(made)) != never {
		panic(t.unsupported("a decision that has no "+name, assembled))
	}
	return made
}

// admits takes the ways apart in which a decision admits.
func (t *tabulation) admits(a *answer, when formula, of object) {
	f := t.formulas
	for _, violations := range t.under(of.fields["violations"], when) {
		members := t.listed(violations.is, "violations")
		if len(t.under(members, violations.when)) > 0 {
			panic(t.unsupported("a decision that admits in spite of violations", assembled))
		}
	}
	for _, reason := range t.words(of, "reason", when) {
		for _, action := range t.words(of, "action", reason.when) {
			effects := t.under(of.fields["effects"], action.when)
			for _, one := range effects {
				own := way{when: one.when, reason: string(reason.is.(text)), action: string(action.is.(text)), effects: t.effects(one)}
				a.ways = append(a.ways, own)
			}
			a.outside = f.or(a.outside, f.butNot(action.when, t.defined(effects)))
		}
	}
}

// effects reads the list of effects of one way to admit.
func (t *tabulation) effects(list choice) []table.EffectOfRow {
	members := t.listed(list.is, "effects")
	if len(members) > 2 {
		panic(t.unsupported("more than two effects", "the core gates have no more, and added gates none"))
	}
	made := []table.EffectOfRow{}
	for _, member := range members {
		of, ok := member.is.(object)
		if !ok || t.formulas.butNot(list.when, member.when) != never {
			panic(t.unsupported("an effect that is not always there", "write the effects out for each way to admit"))
		}
		t.shaped("an effect", of, "counter", "delta", "plane")
		plane, counter, delta := t.lone(of, "plane", list.when), t.lone(of, "counter", list.when), t.lone(of, "delta", list.when)
		name, named := plane.(field)
		word, literal := counter.(text)
		by, number := delta.(number)
		if !named || !literal || !number || !t.isLiteral(by) {
			panic(t.unsupported("an effect with a plane that is no field of the document, or a counter or delta that is no literal", "write it as the shipped gates do"))
		}
		made = append(made, table.EffectOfRow{Text: uint16(t.places[name.property].Slot), Counter: string(word), Delta: t.expressions[by.expression].value})
	}
	return made
}

// lone is the one value of a field under a condition, nil where there are more or none.
func (t *tabulation) lone(of object, name string, when formula) value {
	under := t.under(of.fields[name], when)
	if len(under) != 1 || under[0].when != when {
		return nil
	}
	return under[0].is
}

// rejects takes the violations apart, and proves that reason and action are those of the first.
func (t *tabulation) rejects(a *answer, when formula, of object) {
	f := t.formulas
	a.rejects = when
	lists := t.under(of.fields["violations"], when)
	if len(lists) != 1 || lists[0].when != when || kind(lists[0].is) != kind(list{}) {
		panic(t.unsupported("a list of violations that is put together in more than one way", assembled))
	}
	for _, effects := range t.under(of.fields["effects"], when) {
		if len(t.listed(effects.is, "effects")) > 0 {
			panic(t.unsupported("a reject with effects", "a reject has none"))
		}
	}
	reasons, actions := t.words(of, "reason", when), t.words(of, "action", when)
	members := t.listed(lists[0].is, "violations")
	standing := when
	for _, member := range members {
		own, ok := member.is.(object)
		if !ok {
			panic(t.unsupported("a violation that is no object", assembled))
		}
		first := f.and(standing, member.when)
		standing = f.butNot(standing, member.when)
		t.shaped("a violation", own, "limit", "observed", "reason")
		reason, ok := t.lone(own, "reason", member.when).(text)
		if !ok || reason == "" {
			panic(t.unsupported("a violation whose reason is no literal word", "write the reason in the METADATA of the row"))
		}
		if first != never && t.wordUnder(reasons, first) != string(reason) {
			panic(t.unsupported("a reason that is not that of the first violation", assembled))
		}
		action := table.ActionReject
		if first != never {
			if action = t.wordUnder(actions, first); action == "" {
				panic(t.unsupported("an action that depends on more than the first violation", "write the action in the METADATA of the row"))
			}
		}
		a.checks = append(a.checks, violated{when: member.when, reason: string(reason), action: action, observed: own.fields["observed"], limit: own.fields["limit"]})
	}
	a.outside = f.or(a.outside, standing)
}

// wordUnder is the one word that holds under a condition, "" where none does all along.
func (t *tabulation) wordUnder(of choices, when formula) string {
	for _, one := range of {
		if t.formulas.butNot(when, one.when) == never {
			return string(one.is.(text))
		}
	}
	return ""
}

// names collects the signals that a decision can call unknown.
func (t *tabulation) names(a *answer, when formula, of choices) {
	for _, own := range t.under(of, when) {
		members := t.listed(own.is, "unknown")
		for _, member := range t.under(members, own.when) {
			name, ok := member.is.(text)
			if !ok {
				panic(t.unsupported("an unknown signal whose name is no literal word", "write the names out"))
			}
			at := slices.IndexFunc(a.unknown, func(n named) bool { return n.name == string(name) })
			if at < 0 {
				a.unknown = append(a.unknown, named{never, string(name)})
				at = len(a.unknown) - 1
			}
			a.unknown[at].when = t.formulas.or(a.unknown[at].when, member.when)
		}
	}
}
