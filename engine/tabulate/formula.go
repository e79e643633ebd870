package tabulate

import "math"

// formula is a condition: a node of a reduced ordered binary decision diagram. Two conditions are equal exactly when
// their formulas are.
type formula int32

const (
	never  formula = 0
	always formula = 1
)

// maxFormulas bounds the work; what needs more is not a decision table.
const maxFormulas = 200_000

// branching is a node: it asks question, and goes on with yes or no.
type branching struct {
	question int32
	yes, no  formula
}

// chosen is what an earlier choice came to.
type chosen struct{ condition, yes, no, made formula }

// remembered is how many choices are remembered: one that collides with a later one is made again.
const remembered = 1 << 14

// formulas makes and keeps formulas.
type formulas struct {
	nodes  []branching
	unique map[branching]formula
	chosen []chosen
}

func newFormulas() *formulas {
	leaf := branching{question: math.MaxInt32}
	return &formulas{nodes: []branching{leaf, leaf}, unique: map[branching]formula{}, chosen: make([]chosen, remembered)}
}

// ask is true exactly when the question is answered with yes.
func (f *formulas) ask(question int32) formula { return f.node(question, always, never) }

func (f *formulas) node(question int32, yes, no formula) formula {
	if yes == no {
		return yes
	}
	key := branching{question, yes, no}
	if known, ok := f.unique[key]; ok {
		return known
	}
	if len(f.nodes) >= maxFormulas {
		panic(&Unsupported{Construct: "conditions that grow too large", Mend: "split the rule, or let its checks share fewer signals"})
	}
	made := formula(len(f.nodes))
	f.nodes = append(f.nodes, key)
	f.unique[key] = made
	return made
}

// choose is: if condition then yes, else no.
func (f *formulas) choose(condition, yes, no formula) formula {
	if yes == condition {
		yes = always
	}
	if no == condition {
		no = never
	}
	switch {
	case condition == always || yes == no:
		return yes
	case condition == never:
		return no
	case yes == always && no == never:
		return condition
	}
	slot := &f.chosen[(uint32(condition)*0x9E3779B1^uint32(yes)*0x85EBCA77^uint32(no)*0xC2B2AE3D)>>18]
	if slot.condition == condition && slot.yes == yes && slot.no == no {
		return slot.made
	}
	question := min(f.nodes[condition].question, f.nodes[yes].question, f.nodes[no].question)
	made := f.node(question,
		f.choose(f.given(condition, question, true), f.given(yes, question, true), f.given(no, question, true)),
		f.choose(f.given(condition, question, false), f.given(yes, question, false), f.given(no, question, false)))
	*slot = chosen{condition, yes, no, made}
	return made
}

// given is what a formula comes to once its first question is answered.
func (f *formulas) given(of formula, question int32, answer bool) formula {
	node := f.nodes[of]
	switch {
	case node.question != question:
		return of
	case answer:
		return node.yes
	}
	return node.no
}

func (f *formulas) and(a, b formula) formula { return f.choose(a, b, never) }
func (f *formulas) or(a, b formula) formula  { return f.choose(a, always, b) }
func (f *formulas) not(a formula) formula    { return f.choose(a, never, always) }

// butNot is: a, and not b.
func (f *formulas) butNot(a, b formula) formula { return f.choose(b, never, a) }

// answered is what a formula comes to once any question is answered.
func (f *formulas) answered(of formula, question int32, answer bool, memo map[formula]formula) formula {
	node := f.nodes[of]
	switch {
	case node.question > question:
		return of
	case node.question == question:
		return f.given(of, question, answer)
	}
	if known, ok := memo[of]; ok {
		return known
	}
	made := f.node(node.question, f.answered(node.yes, question, answer, memo), f.answered(node.no, question, answer, memo))
	memo[of] = made
	return made
}

// within is a formula that agrees with another wherever care holds, and is small: what it is elsewhere nobody asks.
func (f *formulas) within(of, care formula) formula {
	if care == never {
		return never
	}
	return f.simplified(of, care, map[[2]formula]formula{})
}

func (f *formulas) simplified(of, care formula, memo map[[2]formula]formula) formula {
	if of <= always || care == always {
		return of
	}
	key := [2]formula{of, care}
	if known, ok := memo[key]; ok {
		return known
	}
	own, outer := f.nodes[of], f.nodes[care]
	var made formula
	switch {
	case outer.question < own.question: // not asked by the formula: care about either answer
		made = f.simplified(of, f.or(outer.yes, outer.no), memo)
	case outer.question > own.question:
		made = f.node(own.question, f.simplified(own.yes, care, memo), f.simplified(own.no, care, memo))
	case outer.yes == never:
		made = f.simplified(own.no, outer.no, memo)
	case outer.no == never:
		made = f.simplified(own.yes, outer.yes, memo)
	default:
		made = f.node(own.question, f.simplified(own.yes, outer.yes, memo), f.simplified(own.no, outer.no, memo))
	}
	memo[key] = made
	return made
}
