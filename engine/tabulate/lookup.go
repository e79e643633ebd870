package tabulate

// dot looks a key up in a value; what is not there is undefined.
func (t *tabulation) dot(of, key value) choices {
	switch v := of.(type) {
	case document:
		if name, ok := key.(text); ok {
			return t.inDocument(v, string(name))
		}
	case data:
		switch key := key.(type) {
		case text:
			return t.inData(v, string(key))
		case field:
			return t.chosen(v, key)
		}
	case row:
		if name, ok := key.(text); ok {
			return t.below(v, string(name))
		}
	case object:
		return t.inObject(v, key)
	case list:
		return t.inList(v, key)
	case set:
		return compact(choice{t.contains(v, key), key})
	case null, boolean, number, text, field, counted, part, length:
		return nil
	}
	panic(t.unsupported("a look-up by a value that is no string of the document and no literal", "name the field"))
}

func (t *tabulation) inObject(of object, key value) choices {
	switch key := key.(type) {
	case text:
		return of.fields[string(key)]
	case field:
		var made choices
		for _, name := range of.names() {
			made = t.joined(made, t.textIs(key.property, name), of.fields[name])
		}
		return made
	}
	return nil
}

// inList is the member at a literal place, among those that are there.
func (t *tabulation) inList(of list, key value) choices {
	f := t.formulas
	if own, ok := key.(index); ok && own.of.key() == of.key() {
		return choices{of.members[own.at]}
	}
	at, ok := key.(number)
	if !ok || !t.isLiteral(at) || of.unordered {
		panic(t.unsupported("a member of a list by a computed place", "use some … in"))
	}
	want := int(t.expressions[at.expression].value)
	var made choices
	before := []formula{}
	for _, member := range of.members {
		if exactly := t.tally(before, max(want, 0)); want >= 0 && want < len(exactly) {
			made = t.joined(made, f.and(exactly[want], member.when), only(member.is))
		}
		before = append(before, member.when)
	}
	return made
}
