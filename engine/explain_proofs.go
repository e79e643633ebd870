package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/admitctl/admitctl/inputs"
)

// order says which way a check orders what it observed and its limit.
type order uint8

// The orders.
const (
	unordered order = iota
	atMost          // observed must not be above the limit
	atLeast         // observed must not be below it
)

// proof is how a check holds for one document: which of the rules that prove it do.
type proof struct {
	order   order
	literal bool // the row shows the same as observed, whatever the document
	bodies  []body
}

// body is one of the rules that prove a check.
type body struct {
	rule   *ast.Rule
	says   string // in words
	weighs bool   // what was observed, or its limit
	shared bool   // by other checks: it says of whom nobody asks, such as of a plane that is not borrowed
	holds  bool   // for the document
}

// margin is how far observed is within its limit, null where the check does not order them.
func (p *proof) margin(observed, limit inputs.Value) inputs.Value {
	switch {
	case p == nil || p.order == unordered || observed.Kind != inputs.KindNumber || limit.Kind != inputs.KindNumber:
		return inputs.Value{}
	case p.order == atLeast:
		return inputs.Value{Kind: inputs.KindNumber, Number: observed.Number - limit.Number}
	}
	return inputs.Value{Kind: inputs.KindNumber, Number: limit.Number - observed.Number}
}

// outcome says of a check that holds whether what was observed had a part in that, and else what had.
func (p *proof) outcome(observed inputs.Value) (outcome Outcome, because string) {
	if p == nil {
		return Held, ""
	}
	first := func(which func(body) bool) *body {
		at := slices.IndexFunc(p.bodies, func(b body) bool { return b.holds && which(b) })
		if at < 0 {
			return nil
		}
		return &p.bodies[at]
	}
	if excuse := first(func(b body) bool { return b.shared }); excuse != nil {
		return NotAsked, excuse.says
	}
	weighing := first(func(b body) bool { return b.weighs })
	if weighing != nil && observed.Kind != inputs.KindNull {
		return Held, ""
	}
	weighs := slices.ContainsFunc(p.bodies, func(b body) bool { return b.weighs })
	if other := first(func(body) bool { return true }); weighs && len(p.bodies) > 1 && other != nil {
		return NotAsked, other.says
	}
	return Held, ""
}

// askFor lets OPA evaluate a term as if it stood in a module, with its imports; in none where module is nil.
func (p *Program) askFor(ctx context.Context, input ast.Value, module *ast.Module, term *ast.Term) (*ast.Term, error) {
	options := []func(*rego.Rego){
		rego.Compiler(p.rules.compiler), rego.Store(newStore(p.tree)), rego.ParsedQuery(ast.NewBody(ast.NewExpr(term))),
		rego.StrictBuiltinErrors(true), rego.GenerateJSON(keepTerm),
	}
	if module != nil {
		options = append(options, rego.ParsedPackage(module.Package), rego.ParsedImports(module.Imports))
	}
	query, err := rego.New(options...).PrepareForEval(ctx)
	if err != nil {
		return nil, evaluationError(ctx, err, p.timeout)
	}
	return evaluate(ctx, query, input, p.timeout)
}

// row names a row of a decision table.
type row struct{ reason, action string }

// checks are those of a gate, taken apart.
type checks struct {
	s     *source
	rules map[string][]*ast.Rule
	rows  map[row]string // the name of the check, where one alone proves the row
}

func (p *Program) checksOf(gate string) *checks {
	c := &checks{s: p.rules.source, rules: bodiesOf(p.rules.source, "admission."+gate), rows: map[row]string{}}
	for _, rule := range c.rules["violated"] {
		custom := customOf(rule)
		reason, _ := custom["reason"].(string)
		action, _ := custom["action"].(string)
		if names := negated(rule); len(names) == 1 {
			c.rows[row{reason, action}] = names[0]
		}
	}
	return c
}

// prove asks which of the rules that prove the checks of a gate hold for a document.
func (p *Program) prove(ctx context.Context, gate string, input ast.Value, seen *evidence) error {
	c := p.checksOf(gate)
	asked := map[string][]*ast.Term{} // by file
	into := map[string][]*body{}
	for row, name := range c.rows {
		own := &proof{order: c.orderOf(row.reason, name), bodies: c.bodies(row.reason, name)}
		own.literal = len(c.shown("observed", row.reason, false)) == 0
		seen.titles[row], seen.proofs[row] = c.title(name), own
		for i := range own.bodies {
			rule := own.bodies[i].rule
			asked[rule.Location.File] = append(asked[rule.Location.File], ast.ArrayComprehensionTerm(ast.BooleanTerm(true), rule.Body.Copy()))
			into[rule.Location.File] = append(into[rule.Location.File], &own.bodies[i])
		}
	}
	for file, terms := range asked {
		answer, err := p.askFor(ctx, input, p.rules.source.modules[file], ast.ArrayTerm(terms...))
		if err != nil {
			return err
		}
		list, _ := answer.Value.(*ast.Array)
		for i, body := range into[file] {
			found, ok := list.Elem(i).Value.(*ast.Array)
			body.holds = ok && found.Len() > 0
		}
	}
	return nil
}

// bodies are the rules that prove a check, none where one of them is more than a body that holds or does not.
func (c *checks) bodies(reason, name string) []body {
	var all []body
	for _, rule := range c.rules[name] {
		if rule.Else != nil || rule.Head.Args != nil || !rule.Default && rule.Head.Value.Value.Compare(ast.Boolean(true)) != 0 {
			return nil
		}
		if !rule.Default {
			own := body{rule: rule, weighs: c.weighs(reason, rule.Body)}
			own.shared = !own.weighs && c.isShared(name, rule.Body)
			own.says = c.say(rule.Body)
			all = append(all, own)
		}
	}
	if len(all) == 1 {
		all[0].shared = false // it is all that the check asks
	}
	return all
}

// isShared reports whether another check is proved by the same body.
func (c *checks) isShared(name string, own ast.Body) bool {
	for _, other := range c.rows {
		if other != name && slices.ContainsFunc(c.rules[other], func(rule *ast.Rule) bool { return !rule.Default && rule.Body.Equal(own) }) {
			return true
		}
	}
	return false
}

// shown are the values that observed or limit can have for a reason, but for literals where only is false.
func (c *checks) shown(rule, reason string, literals bool) []*ast.Term {
	var all []*ast.Term
	for _, own := range c.rules[rule] {
		ref := own.Head.Ref()
		if len(ref) == 2 && ref[1].Value.Compare(ast.String(reason)) == 0 && own.Head.Value != nil && (literals || !ast.IsConstant(own.Head.Value.Value)) {
			all = append(all, own.Head.Value)
		}
	}
	return all
}

// weighs reports whether a body reads what was observed for a reason, or its limit.
func (c *checks) weighs(reason string, own ast.Body) bool {
	shown := slices.Concat(c.shown("observed", reason, false), c.shown("limit", reason, false))
	found := false
	ast.WalkTerms(own, func(term *ast.Term) bool {
		found = found || slices.ContainsFunc(shown, term.Equal)
		return found
	})
	return found
}

// orderOf finds the guard by which a check orders what was observed and its limit.
func (c *checks) orderOf(reason, name string) order {
	observed, limit := c.shown("observed", reason, true), c.shown("limit", reason, true)
	found := unordered
	for _, rule := range c.rules[name] {
		module := c.s.modules[rule.Location.File]
		for _, expr := range rule.Body {
			if !expr.IsCall() || len(expr.Operands()) != 2 || !slices.Contains([]string{"less", "at_most"}, guardCalled(module, expr.Operator())) {
				continue
			}
			a, b := expr.Operand(0), expr.Operand(1)
			switch {
			case slices.ContainsFunc(observed, a.Equal) && slices.ContainsFunc(limit, b.Equal):
				found = atMost
			case slices.ContainsFunc(limit, a.Equal) && slices.ContainsFunc(observed, b.Equal):
				found = atLeast
			}
		}
	}
	return found
}

// title is that of a rule, which its first part has.
func (c *checks) title(name string) string {
	for _, rule := range c.rules[name] {
		if title, _ := titleOf(rule); title != "" {
			return title
		}
	}
	return ""
}

// say puts a body in words: the titles of the rules that it names, and else what is written.
func (c *checks) say(own ast.Body) string {
	var all []string
	for _, expr := range own {
		text, name := string(expr.Location.Text), ""
		if term, ok := expr.Terms.(*ast.Term); ok {
			name = term.String()
		} else if expr.IsCall() {
			name = expr.Operator().String()
		}
		if title := c.title(name); title != "" {
			text = title
			if expr.Negated {
				text = "not: " + title
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
