package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review/solver"
	"github.com/admitctl/admitctl/table"
)

// the name that variables of the one document begin with
const one = "x"

// solve asks a solver for every change, for the nearest document of each, and whether there are others.
func (c *comparing) solve() {
	c.proof = Proof{By: BySolver}
	session, err := solver.Start(c.ctx, c.options.Solver, c.options.Limit)
	if err != nil {
		c.proof.Why = err.Error()
		return
	}
	defer session.Close()
	q := &questions{comparing: c, session: session}
	if err := q.prepare(); err != nil {
		c.proof.Why = err.Error()
		return
	}
	c.proof.Complete = true
	q.outsides()
	q.transitions()
	for _, part := range []Part{PartViolations, PartUnknown, PartValues} {
		q.part(part)
	}
}

// questions are what a solver is asked about one pair.
type questions struct {
	*comparing
	session *solver.Session
	sides   [2]coded
	parts   map[Part]string // that something in the part differs, where both sides come to the same outcome
}

func (q *questions) prepare() error {
	s := q.space
	q.session.Say(s.declared(one))
	for side, g := range q.pair.tables {
		text, coded, err := s.code(g, []string{"b", "h"}[side], one)
		if err != nil {
			return err
		}
		q.session.Say(text)
		q.sides[side] = coded
	}
	q.session.Say(s.measured(one, &q.nominal))
	same := q.define("same", anyOf(q.sames()))
	differ := map[Part]string{
		PartViolations: q.define("violations", anyOf(q.violations())),
		PartUnknown:    q.define("unknown", anyOf(q.unknowns())),
		PartValues:     q.define("values", anyOf(q.values())),
	}
	rejects := q.define("rejects", anyOf(q.rejects()))
	q.parts = map[Part]string{
		PartViolations: allOf(same, rejects, differ[PartViolations]),
		PartUnknown:    allOf(same, not(allOf(rejects, differ[PartViolations])), differ[PartUnknown]),
		PartValues:     allOf(same, rejects, not(differ[PartViolations]), not(differ[PartUnknown]), differ[PartValues]),
	}
	return nil
}

// define names a condition.
func (q *questions) define(name, condition string) string {
	q.session.Say(fmt.Sprintf("(define-fun %s () Bool %s)", name, condition))
	return name
}

// comesTo is that a side comes to an outcome.
func (q *questions) comesTo(side, outcome int) string {
	var parts []string
	for result, at := range q.pair.results[side] {
		is := fmt.Sprintf("(= %s %d)", q.sides[side].result, result)
		fits := q.pair.fits[side][result].text(one)
		switch {
		case at == outcome && fits == "true":
			parts = append(parts, is)
		case at == outcome && fits != "false":
			parts = append(parts, allOf(is, fits))
		case outcome == q.pair.refusal && fits != "true":
			parts = append(parts, allOf(is, not(fits)))
		}
	}
	return anyOf(parts)
}

func (q *questions) both(base, head int) string {
	return allOf(q.comesTo(0, base), q.comesTo(1, head))
}

func (q *questions) sames() []string {
	var parts []string
	for at := range q.pair.outcomes {
		if at != q.pair.refusal { // which lists nothing of its own
			parts = append(parts, q.both(at, at))
		}
	}
	return parts
}

func (q *questions) rejects() []string {
	var parts []string
	for at, outcome := range q.pair.outcomes {
		if !outcome.Admit {
			parts = append(parts, q.comesTo(0, at))
		}
	}
	return parts
}

// violations is that the lists of violations differ: in what is listed, or in the order of two that are.
func (q *questions) violations() []string {
	reasons := slices.Concat(q.pair.reasons[0], q.pair.reasons[1])
	slices.Sort(reasons)
	var parts []string
	for _, reason := range slices.Compact(reasons) {
		var listed [2]string
		for side := range listed {
			sum := []string{"0"}
			for i, own := range q.pair.reasons[side] {
				if own == reason {
					sum = append(sum, fmt.Sprintf("(ite %s 1 0)", q.sides[side].violated[i]))
				}
			}
			listed[side] = "(+ " + strings.Join(sum, " ") + ")"
			if len(sum) == 1 {
				listed[side] = "0"
			}
		}
		parts = append(parts, fmt.Sprintf("(distinct %s %s)", listed[0], listed[1]))
	}
	base, head := q.pair.reasons[0], q.pair.reasons[1]
	for i, first := range base {
		for j := i + 1; j < len(base); j++ {
			for k, other := range head {
				for l := k + 1; l < len(head); l++ {
					if first != base[j] && other == base[j] && head[l] == first {
						parts = append(parts, allOf(q.sides[0].violated[i], q.sides[0].violated[j], q.sides[1].violated[k], q.sides[1].violated[l]))
					}
				}
			}
		}
	}
	return parts
}

func (q *questions) unknowns() []string {
	names := slices.Concat(q.pair.unknown[0], q.pair.unknown[1])
	slices.Sort(names)
	var parts []string
	for _, name := range slices.Compact(names) {
		named := [2]string{"false", "false"}
		for side := range named {
			if at := slices.Index(q.pair.unknown[side], name); at >= 0 {
				named[side] = q.sides[side].unknown[at]
			}
		}
		parts = append(parts, fmt.Sprintf("(distinct %s %s)", named[0], named[1]))
	}
	return parts
}

func (q *questions) values() []string {
	var parts []string
	for i, reason := range q.pair.reasons[0] {
		for j, other := range q.pair.reasons[1] {
			if reason != other {
				continue
			}
			b, h := &q.sides[0], &q.sides[1]
			var differ []string
			for _, two := range [][2]shown{{b.observed[i], h.observed[j]}, {b.limit[i], h.limit[j]}} {
				differ = append(differ, fmt.Sprintf("(distinct %s %s)", two[0].kind, two[1].kind), fmt.Sprintf("(distinct %s %s)", two[0].value, two[1].value))
			}
			parts = append(parts, allOf(b.violated[i], h.violated[j], anyOf(differ)))
		}
	}
	return parts
}

// outsides wants no document to be left to OPA by a table.
func (q *questions) outsides() {
	left := anyOf([]string{fmt.Sprintf("(= %s %d)", q.sides[0].result, table.Outside), fmt.Sprintf("(= %s %d)", q.sides[1].result, table.Outside)})
	if answer, _ := q.ask(left); answer != solver.None {
		q.incomplete("some documents are left to OPA by a table, and those cannot be compared")
	}
}

// transitions finds every two outcomes that one document can have, where the change is more than in the lists.
func (q *questions) transitions() {
	var left []signature
	for base := range q.pair.outcomes {
		for head := range q.pair.outcomes {
			if s := q.pair.changed(base, head); s.kind != "" && q.comesTo(0, base) != "false" && q.comesTo(1, head) != "false" {
				left = append(left, s)
			}
		}
	}
	for len(left) > 0 {
		var parts []string
		for _, s := range left {
			parts = append(parts, q.both(s.base, s.head))
		}
		answer, flat := q.ask(anyOf(parts))
		if answer == solver.Unknown {
			q.incomplete("the solver could not tell in time whether other decisions change")
		}
		if answer != solver.Found {
			return
		}
		at := slices.Index(left, q.pair.examine(&flat))
		if at < 0 { // no row of a crowd has these numbers
			if answer, flat = q.ask(allOf(anyOf(parts), q.space.alone(one))); answer == solver.Found {
				at = slices.Index(left, q.pair.examine(&flat))
			}
		}
		if at < 0 {
			q.incomplete(notReal)
			return
		}
		got := left[at]
		left = slices.Delete(left, at, at+1)
		q.nearest(got, flat, q.both(got.base, got.head))
	}
}

// part finds a document where no outcome changes, but something in a list.
func (q *questions) part(part Part) {
	answer, flat := q.ask(q.parts[part])
	switch answer {
	case solver.Unknown:
		q.incomplete(fmt.Sprintf("the solver could not tell in time whether %s change", part))
	case solver.Found:
		got, ok := q.pair.judge(q.ctx, &flat, true)
		if !ok || got.part != part {
			if answer, flat = q.ask(allOf(q.parts[part], q.space.alone(one))); answer == solver.Found {
				got, ok = q.pair.judge(q.ctx, &flat, true)
			}
		}
		if !ok || got.part != part {
			q.incomplete(notReal)
			return
		}
		q.nearest(got, flat, q.parts[part])
	}
}

// notReal is a model that is of no document: none is found where rows are many and the model's numbers are of no row.
const notReal = "the thresholds have too many rows to tell apart, and the solver could not name one by which a decision changes"

// rounds bounds how often the solver may find a nearer document than the search did.
const rounds = 100

// nearest finds the nearest document of a change, and asks the solver whether there is one that is nearer.
func (q *questions) nearest(s signature, flat inputs.Flat, condition string) {
	flat = q.near(s, flat)
	fewest, halving := false, false // no document has fewer fields off; a smaller sum was found once
	var least int64                 // no document with as few has a smaller sum
	for range rounds {
		d := q.space.from(&flat, &q.nominal)
		answer, nearer := solver.None, flat
		if !fewest {
			answer, nearer = q.ask(allOf(condition, q.space.atMost(d.fields-1)))
			fewest = answer == solver.None
		}
		if fewest {
			most := d.sum - 1
			if halving { // one step after another could take for ever
				most = least + (most-least)/2
			}
			answer, nearer = q.ask(allOf(condition, q.space.atMost(d.fields), fmt.Sprintf("(<= sum %d)", most)))
			if halving = true; answer == solver.None && most < d.sum-1 {
				least = most + 1
				continue
			}
		}
		if answer != solver.Found {
			q.found = append(q.found, found{s, flat, answer == solver.None})
			return
		}
		if !q.wanted(&nearer) { // no row of a crowd has these numbers: there may be a nearer document, or none
			q.found = append(q.found, found{s, flat, false})
			return
		}
		flat = q.polish(nearer)
	}
	q.found = append(q.found, found{s, flat, false})
}

// ask asks whether a document meets a condition.
func (q *questions) ask(condition string) (solver.Answer, inputs.Flat) {
	answer, values, err := q.session.Ask(condition, q.space.variables(one))
	if err != nil {
		q.incomplete(err.Error())
		return solver.Unknown, inputs.Flat{}
	}
	q.proof.Cells++
	return answer, q.space.flat(one, values)
}

// incomplete notes, once, why not everything is proved.
func (c *comparing) incomplete(why string) {
	c.proof.Complete = false
	if c.proof.Why == "" {
		c.proof.Why = why
	}
}
