package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
)

// The names that variables of the two documents of a step begin with.
const (
	before = "x"
	after  = "y"
)

// step is a change of one field that may only make a gate reject more.
type step struct {
	place int
	holds func(x, y *inputs.Flat) bool // two documents that differ in the field alone are such a step
	text  string                       // the same for the solver
	rows  *required                    // the rows for which it is claimed; nil is all
}

// required are the rows of a lookup that must bring a signal: those that list it, and those that have no list, which require
// what the schema does. The table may not tell such a row from another, so rows are told by what it finds in them.
type required struct {
	lookup int
	names  map[string]string // by what the table finds, a row that requires the signal
}

func (r *required) holds(row table.Row) bool {
	_, ok := r.names[foundIn(row)]
	return ok
}

func foundIn(row table.Row) string { return fmt.Sprint(row.Bits, row.Numbers) }

// stepOf is the step of a field that a claim is about; false where it is about none.
func (p *proving) stepOf(claim Claim, i int) (step, bool) {
	place := p.space.places[i]
	s := step{place: i}
	at := func(document, letter string) string { return fmt.Sprintf("%s%s%d", document, letter, i) }
	n := func(document string) string { return fmt.Sprintf("%sn%d", document, place.Slot) }
	given := func(flat *inputs.Flat) bool { return flat.Given>>i&1 == 1 }
	known := func(flat *inputs.Flat) bool { return flat.Known>>i&1 == 1 }
	on := func(flat *inputs.Flat) bool { return flat.True>>i&1 == 1 }
	value := func(flat *inputs.Flat) int64 { return flat.Numbers[place.Slot] }
	switch {
	case claim == ClaimUnknown && place.Signal:
		s.holds = func(x, y *inputs.Flat) bool { return (known(x) || !given(x)) && given(y) && !known(y) }
		s.text = fmt.Sprintf("(and (or %s (not %s)) %s (not %s))", at(before, "k"), at(before, "g"), at(after, "g"), at(after, "k"))
		s.rows = p.required(place)
	case claim == ClaimWorse && p.gate.Worse[place.Name] == engine.Higher:
		s.holds = func(x, y *inputs.Flat) bool { return known(x) && known(y) && value(y) > value(x) }
		s.text = fmt.Sprintf("(and %s %s (< %s %s))", at(before, "k"), at(after, "k"), n(before), n(after))
	case claim == ClaimWorse && p.gate.Worse[place.Name] == engine.Lower:
		s.holds = func(x, y *inputs.Flat) bool { return known(x) && known(y) && value(y) < value(x) }
		s.text = fmt.Sprintf("(and %s %s (< %s %s))", at(before, "k"), at(after, "k"), n(after), n(before))
	case claim == ClaimTightens && p.isLimit(place.Name) && place.Kind == inputs.KindFlag:
		s.holds = func(x, y *inputs.Flat) bool { return (!given(x) || on(x)) && known(y) && !on(y) }
		s.text = fmt.Sprintf("(and (or (not %s) %s) %s (not %s))", at(before, "g"), at(before, "f"), at(after, "k"), at(after, "f"))
	case claim == ClaimTightens && p.isLimit(place.Name):
		s.holds = func(x, y *inputs.Flat) bool { return (!given(x) || known(x) && value(y) < value(x)) && known(y) }
		s.text = fmt.Sprintf("(and (or (not %s) (and %s (< %s %s))) %s)", at(before, "g"), at(before, "k"), n(after), n(before), at(after, "k"))
	default:
		return step{}, false
	}
	return s, true
}

func (p *proving) isLimit(name string) bool { return slices.Contains(p.gate.Tightens, name) }

// required finds the rows that require a signal which the schema requires; nil where rows have no lists of such.
func (p *proving) required(place inputs.Place) *required {
	if !place.Required {
		return nil
	}
	for lookup, l := range p.table.Program().Lookups {
		list := slices.IndexFunc(l.Bits, func(bit table.Bit) bool { return bit.Is == table.Holds && p.space.property(bit.Word) >= 0 })
		var data map[string]any
		if list < 0 || decodeWhole(p.side.Program.Data(), &data) != nil {
			continue
		}
		none, _ := p.table.Row(lookup, "")
		r := &required{lookup: lookup, names: map[string]string{foundIn(none): ""}}
		for row := range p.table.Rows(lookup) {
			values, listed := table.At(data, slices.Concat(l.Path, []string{row.Name}, l.Bits[list].Path)).([]any)
			if _, known := r.names[foundIn(row)]; !known && (!listed || slices.Contains(values, any(place.Name))) {
				r.names[foundIn(row)] = row.Name
			}
		}
		return r
	}
	return nil
}

// claimed reports whether the claim is made of a document.
func (p *proving) claimed(s *step, x *inputs.Flat) bool {
	if s.rows == nil {
		return true
	}
	row, _ := p.table.Row(s.rows.lookup, x.Texts[p.table.Program().Lookups[s.rows.lookup].Text])
	return s.rows.holds(row)
}

// pairOf are two documents, of which the second is a step from the first.
type pairOf struct{ x, y inputs.Flat }

// breaks reports whether a step turns a reject into an admit.
func (p *proving) breaks(s *step, two *pairOf) bool {
	return s.holds(&two.x, &two.y) && !p.admits(&two.x) && p.admits(&two.y) && p.claimed(s, &two.x) &&
		p.space.document(&two.x) != nil && p.decides(&two.y)
}

// never is the finding that no step of a field turns a reject into an admit.
func (p *proving) never(claim Claim, of string, s step) Finding {
	f := Finding{Claim: claim, Of: of}
	if two, ok := p.searchSteps(&s); ok {
		f.By = BySearch
		return p.refuted(f, &s, two)
	}
	answer, two, why := p.stepInCells(claim, &s)
	f.By = ByCells
	if answer == solver.Unknown && p.options.Solver != "" {
		f.By, why = BySolver, "the solver could not tell in time"
		var err error
		if answer, two, err = p.solveStep(&s); err != nil {
			why = err.Error()
		}
	}
	switch answer {
	case solver.Found:
		return p.refuted(f, &s, two)
	case solver.None:
		f.Status = StatusProved
		return f
	}
	f.By = ""
	return f.unproved(why)
}

// refuted tells the nearest example of a step that breaks a claim, if OPA decides both documents as the table does.
func (p *proving) refuted(f Finding, s *step, two pairOf) Finding {
	if !p.breaks(s, &two) {
		return f.unproved("the solver found an example that is none: report it, with these policies")
	}
	two = p.nearestStep(s, two)
	p.name(s, &two)
	f.Before, f.After = p.ask(&two.x), p.ask(&two.y)
	if f.Before == nil || f.After == nil || f.Before.Decision.Admit || !f.After.Decision.Admit {
		f.Before, f.After = nil, nil
		return f.unproved("an example that the table decides is decided otherwise by OPA: report it, with these policies")
	}
	f.Status = StatusRefuted
	return f
}

// name makes both documents name a row that requires the signal, which the table does not tell from the one that they name.
func (p *proving) name(s *step, two *pairOf) {
	if s.rows == nil {
		return
	}
	slot := p.table.Program().Lookups[s.rows.lookup].Text
	row, ok := p.table.Row(s.rows.lookup, two.x.Texts[slot])
	if name := s.rows.names[foundIn(row)]; ok && name != "" {
		two.x.Texts[slot], two.y.Texts[slot] = name, name
	}
}

// searchSteps tries every step from many documents.
func (p *proving) searchSteps(s *step) (pairOf, bool) {
	place := p.space.places[s.place]
	for _, x := range p.bases {
		if p.ctx.Err() != nil {
			return pairOf{}, false
		}
		if p.admits(&x) {
			continue
		}
		try := func(from *inputs.Flat) (pairOf, bool) {
			two := pairOf{x, x}
			p.space.take(&two.y, from, s.place)
			return two, p.breaks(s, &two)
		}
		for k := range p.values[s.place] {
			if two, ok := try(&p.values[s.place][k]); ok {
				return two, true
			}
		}
		if place.Kind == inputs.KindNumber && x.Known>>s.place&1 == 1 {
			for _, by := range []int64{-1, 1} {
				next := x
				if next.Numbers[place.Slot] += by; next.Numbers[place.Slot] < place.Low || next.Numbers[place.Slot] > place.High {
					continue
				}
				if two, ok := try(&next); ok {
					return two, true
				}
			}
		}
	}
	return pairOf{}, false
}

// nearestStep brings the first document of a step as near to the nominal one as single steps do, and then the second to
// the first.
func (p *proving) nearestStep(s *step, two pairOf) pairOf {
	p.wanted = func(flat *inputs.Flat) bool {
		next := pairOf{*flat, *flat}
		p.space.take(&next.y, &two.y, s.place)
		return p.breaks(s, &next)
	}
	x := p.nearest(two.x)
	y := x
	p.space.take(&y, &two.y, s.place)
	two = pairOf{x, y}
	place := p.space.places[s.place]
	if place.Kind != inputs.KindNumber || x.Known&y.Known>>s.place&1 == 0 {
		return two
	}
	for in, out := y.Numbers[place.Slot], x.Numbers[place.Slot]; gap(in, out) > 1; {
		next := two
		next.y.Numbers[place.Slot] = in + (out-in)/2
		if p.breaks(s, &next) {
			two, in = next, next.y.Numbers[place.Slot]
		} else {
			out = next.y.Numbers[place.Slot]
		}
	}
	return two
}

// solveStep asks the solver for a step that turns a reject into an admit.
func (p *proving) solveStep(s *step) (solver.Answer, pairOf, error) {
	session, err := solver.Start(p.ctx, p.options.Solver, p.options.Limit)
	if err != nil {
		return solver.Unknown, pairOf{}, err
	}
	defer session.Close()
	session.Say(p.space.declared(before))
	session.Say(p.space.stepped(after, before, s.place))
	condition := []string{s.text}
	for _, document := range []string{before, after} {
		c, err := p.space.coder(p.table, "p", document)
		if err != nil {
			return solver.Unknown, pairOf{}, err
		}
		admits := c.admits()
		if document == before {
			admits = not(admits)
			if s.rows != nil {
				condition = append(condition, c.row(s.rows.lookup, s.rows.holds))
			}
		}
		condition = append(condition, admits)
		session.Say(c.w.String())
	}
	answer, values, err := session.Ask(allOf(condition...), append(p.space.variables(before), p.space.variables(after)...))
	if err != nil || answer != solver.Found {
		return answer, pairOf{}, err
	}
	return answer, pairOf{p.space.flat(before, values), p.space.flat(after, values)}, nil
}

// stepped declares a document that is another one but for a property.
func (s *space) stepped(document, like string, place int) string {
	return s.declaredAs(document, func(name, sort string, at int) string {
		if at == place {
			return fmt.Sprintf("(declare-const %s %s)", name, sort)
		}
		return fmt.Sprintf("(define-fun %s () %s %s%s)", name, sort, like, strings.TrimPrefix(name, document))
	})
}

// admits is that a walk ends at a way to admit.
func (c *coder) admits() string {
	return c.walk("a", c.p.Entry.First, func(n table.Node) string {
		return fmt.Sprint(int(n.A) >= len(c.p.Checks) && n.A != table.Outside)
	}, "Bool")
}
