package tabulate

import (
	"maps"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ir"
)

// frame is a function that is being executed.
type frame struct {
	name   string
	locals map[ir.Local]choices
	result choices
	at     *ir.Location
}

// ended says how a block was left: at its end; by a jump out of as many blocks around it; or with the function.
type ended struct {
	completed formula
	jumps     map[int]formula
	returned  formula
}

// gone is when execution does not go on after the block.
func (e ended) gone(f *formulas) formula {
	gone := e.returned
	for _, jump := range e.jumps {
		gone = f.or(gone, jump)
	}
	return gone
}

// block executes statements as long as they are defined.
func (t *tabulation) block(own *frame, block *ir.Block, condition formula) ended {
	f := t.formulas
	end := ended{jumps: map[int]formula{}}
	for _, statement := range block.Stmts {
		if condition == never {
			return end
		}
		own.at = statement.GetLocation()
		t.work()
		switch s := statement.(type) {
		case *ir.BlockStmt:
			for _, inner := range s.Blocks {
				left := t.block(own, inner, condition)
				condition = f.butNot(condition, left.gone(f))
				end.returned = f.or(end.returned, left.returned)
				for levels, jump := range left.jumps {
					if levels > 1 {
						end.jumps[levels-1] = f.or(end.jumps[levels-1], jump)
					}
				}
			}
		case *ir.BreakStmt:
			if s.Index > 0 {
				levels := int(s.Index)
				end.jumps[levels] = f.or(end.jumps[levels], condition)
			}
			return end
		case *ir.ReturnLocalStmt:
			own.result = t.joined(own.result, condition, own.locals[s.Source])
			end.returned = f.or(end.returned, condition)
			return end
		case *ir.NotStmt:
			left := t.inner(own, s.Block, condition)
			condition = f.butNot(condition, left.completed)
		case *ir.ScanStmt:
			t.scan(own, s, condition)
		default:
			condition = t.statement(own, statement, condition)
		}
	}
	end.completed = condition
	return end
}

// maxStatements bounds the work: some hundred times what a gate of a dozen checks comes to.
const maxStatements = 200_000

// work counts what is executed, and gives up on what has no end, or whose end nobody waits for.
func (t *tabulation) work() {
	t.executed++
	if t.executed > maxStatements || t.executed%1024 == 0 && t.ctx.Err() != nil {
		panic(t.unsupported("more work than a table is worth", "iterate over short lists"))
	}
}

// inner executes the block of a negation or of a scan, out of which nothing jumps.
func (t *tabulation) inner(own *frame, block *ir.Block, condition formula) ended {
	left := t.block(own, block, condition)
	if left.gone(t.formulas) != never {
		panic(t.unsupported("a jump out of a negation or an iteration", ""))
	}
	return left
}

// scan executes a block for every member of a collection, for those that may be there under their condition.
func (t *tabulation) scan(own *frame, s *ir.ScanStmt, condition formula) {
	f := t.formulas
	for _, source := range own.locals[s.Source] {
		when := f.and(condition, source.when)
		if when == never {
			continue
		}
		members, unordered := t.members(source.is)
		keys := keysOf(source.is, members)
		before := make(map[ir.Local]bool, len(own.locals))
		for local := range own.locals {
			before[local] = true
		}
		if unordered {
			t.unordered++
		}
		for i, member := range members {
			inside := f.and(when, member.when)
			if inside == never {
				continue
			}
			t.set(own, s.Key, inside, only(keys[i]))
			t.set(own, s.Value, inside, only(member.is))
			t.inner(own, s.Block, inside)
			// What the block set first nobody reads any more: what comes of a scan was there before.
			maps.DeleteFunc(own.locals, func(local ir.Local, _ choices) bool { return !before[local] })
		}
		if unordered {
			t.unordered--
		}
	}
}

// keysOf are what a scan calls the members of a collection.
func keysOf(of value, members choices) []value {
	keys := make([]value, 0, len(members))
	switch of := of.(type) {
	case object:
		for _, name := range of.names() {
			for range of.fields[name] {
				keys = append(keys, text(name))
			}
		}
	case list:
		for i := range members {
			keys = append(keys, index{at: i, of: of})
		}
	default:
		for _, member := range members {
			keys = append(keys, member.is)
		}
	}
	return keys
}

// members are what a collection may hold, in OPA's order where that is known: two members of a set that depend on the
// document may be one.
func (t *tabulation) members(of value) (members choices, unordered bool) {
	switch of := of.(type) {
	case list:
		return of.members, of.unordered
	case set:
		return t.ordered(of.members)
	case object:
		for _, name := range of.names() {
			members = append(members, of.fields[name]...)
		}
		return members, false
	case document, data, row:
		panic(t.unsupported("iterating over the document or over a map of the thresholds", "name the fields; look a row up by a string of the document"))
	}
	return nil, false // a scalar has none
}

// set gives a local a value under a condition; elsewhere it keeps what it has.
func (t *tabulation) set(own *frame, local ir.Local, condition formula, to choices) {
	own.locals[local] = t.joined(own.locals[local], condition, to)
}

// maxChoices is how many values a local may be one of.
const maxChoices = 1024

// joined is what a local can be, once it was set under a condition.
func (t *tabulation) joined(old choices, condition formula, to choices) choices {
	f := t.formulas
	if len(old)+len(to) > maxChoices {
		panic(t.unsupported("a value that may be one of more than 1024", "decide between fewer, or compare before you add"))
	}
	made := make(choices, 0, len(old)+len(to))
	for _, one := range to {
		if when := f.and(one.when, condition); when != never {
			made = append(made, choice{when, one.is})
		}
	}
	fresh := len(made)
	for _, one := range old {
		when := f.butNot(one.when, condition)
		if when == never {
			continue
		}
		same := false
		for i := 0; i < fresh && !same; i++ {
			if same = plain(one.is) && kind(made[i].is) == kind(one.is) && made[i].is.key() == one.is.key(); same {
				made[i].when = f.or(made[i].when, when)
			}
		}
		if !same {
			made = append(made, choice{when, one.is})
		}
	}
	return made
}

// plain reports whether it is cheap to see that a value is another: the same list twice is no mistake.
func plain(v value) bool {
	switch v.(type) {
	case null, boolean, number, text, field:
		return true
	}
	return false
}

// defined is when a local has a value.
func (t *tabulation) defined(of choices) formula {
	defined := never
	for _, one := range of {
		defined = t.formulas.or(defined, one.when)
	}
	return defined
}

// operand is what a statement reads.
func (t *tabulation) operand(own *frame, of ir.Operand) choices {
	switch v := of.Value.(type) {
	case ir.Local:
		return own.locals[v]
	case ir.StringIndex:
		return only(text(t.strings[v]))
	case ir.Bool:
		return only(boolean(v))
	}
	panic(t.unsupported("an operand of an unknown kind", ""))
}

// index is the place of a member in a list of which some may not be there: it has no number.
type index struct {
	at int
	of list
}

func (v index) key() string { return "index " + strconv.Itoa(v.at) + v.of.key() }
