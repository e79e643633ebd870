package tabulate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ir"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// guards is the package of rules that operators never edit: what they ask, whoever calls them asks.
const guards = "g0.data.admission.guard."

// Result is a gate that was tabulated.
type Result struct {
	Program *table.Program
	facts   []fact
}

// Holds reports whether the program holds for other thresholds too, which may then be bound to it: all but numbers and
// rows must be as they were, and a row must have what another one had, as far as the program asks.
func (r *Result) Holds(data map[string]any) bool {
	for _, f := range r.facts {
		if f.of(data) != f.want {
			return false
		}
	}
	for i := range r.Program.Lookups {
		if !answered(&r.Program.Lookups[i], data) {
			return false
		}
	}
	return true
}

// answered reports whether the program was made for every answer that a row gives.
func answered(l *table.Lookup, data map[string]any) bool {
	rows, _ := table.At(data, l.Path).(map[string]any)
	for _, row := range rows {
		if len(l.Answers) > 0 && !slices.Contains(l.Answers, l.Ask(row)) {
			return false
		}
	}
	return true
}

// Gate tabulates the gate whose plan OPA made for the query data.admission.<gate>.decision, under thresholds of maps,
// lists, strings, flags and int64. Its error is an [*Unsupported].
func Gate(ctx context.Context, gate string, plan *ir.Policy, properties []inputs.Property, thresholds map[string]any) (result *Result, err error) {
	t := &tabulation{
		ctx: ctx, gate: gate, data: thresholds, ties: inputs.Ties(gate), formulas: newFormulas(), outside: never,
		asked: map[string]int32{}, questions: map[int32]question{}, askedOf: map[int]int{}, computed: map[string]int{}, functions: map[string]*ir.Func{}, known: map[string]choices{},
	}
	t.builtins = functionsOf(t)
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case *Unsupported:
			caught.Gate = gate
			if caught.Rule == "" {
				caught.Rule, caught.At = t.rule(), t.here()
			}
			err = caught
		default:
			err = &Unsupported{Gate: gate, Rule: t.rule(), At: t.here(), Construct: fmt.Sprintf("a mistake of the tabulator (%v)", caught), Mend: "report it, with this rule"}
		}
	}()
	var fits bool
	if t.places, fits = inputs.Places(properties); !fits {
		return nil, &Unsupported{Gate: gate, Construct: "documents with more fields than a table holds", Mend: fmt.Sprintf("keep to %d numbers and %d strings", inputs.MaxFlatNumbers, inputs.MaxFlatTexts)}
	}
	for _, text := range plan.Static.Strings {
		t.strings = append(t.strings, text.Value)
	}
	for _, file := range plan.Static.Files {
		t.files = append(t.files, file.Value)
	}
	for _, function := range plan.Funcs.Funcs {
		t.functions[function.Name] = function
	}
	answer := t.answer(t.call("g0.data.admission."+gate+".decision", []choices{only(document{}), only(data{})}))
	program := t.program(answer)
	if err := program.Validate(); err != nil {
		return nil, &Unsupported{Gate: gate, Construct: fmt.Sprintf("a mistake of the tabulator (%v)", err), Mend: "report it, with this gate"}
	}
	return &Result{Program: program, facts: t.facts}, nil
}

// tabulation is the work on one gate.
type tabulation struct {
	ctx      context.Context
	executed int // statements

	gate   string
	places []inputs.Place
	ties   []inputs.Tie
	data   map[string]any

	strings   []string
	files     []string
	functions map[string]*ir.Func
	builtins  map[string]function
	frames    []*frame
	known     map[string]choices // what calls come to
	unordered int                // scans under way whose order is not known

	formulas    *formulas
	questions   map[int32]question
	askedOf     map[int]int // how many questions there are about each property
	asked       map[string]int32
	expressions []expression
	computed    map[string]int
	lookups     []*lookup
	columns     []row
	facts       []fact
	outside     formula // when OPA must be asked: a conflict, or a failing built-in
}

// here is where the rule that is being executed asks, and who called it where that is a guard.
func (t *tabulation) here() table.Origin {
	for _, frame := range slices.Backward(t.frames) {
		if strings.HasPrefix(frame.name, guards) || frame.at == nil {
			continue
		}
		return table.Origin{File: t.files[frame.at.File], Line: frame.at.Row}
	}
	return table.Origin{}
}

// rule names the rule that is being executed.
func (t *tabulation) rule() string {
	for _, frame := range slices.Backward(t.frames) {
		if !strings.HasPrefix(frame.name, guards) {
			return strings.TrimPrefix(frame.name, "g0.data.admission."+t.gate+".")
		}
	}
	return ""
}

func (t *tabulation) unsupported(construct, mend string) *Unsupported {
	return &Unsupported{Rule: t.rule(), At: t.here(), Construct: construct, Mend: mend}
}

// call executes a function of the plan. What it comes to depends on its arguments alone.
func (t *tabulation) call(name string, arguments []choices) choices {
	key := name
	for _, argument := range arguments[2:] {
		key += "\x00" + argument.key()
	}
	if known, ok := t.known[key]; ok {
		return known
	}
	function := t.functions[name]
	own := &frame{name: name, locals: map[ir.Local]choices{}}
	t.frames = append(t.frames, own)
	for i, local := range function.Params {
		own.locals[local] = arguments[i]
	}
	condition := always
	for _, block := range function.Blocks {
		end := t.block(own, block, condition)
		if len(end.jumps) > 0 {
			panic(t.unsupported("a jump out of a rule", ""))
		}
		condition = t.formulas.butNot(condition, end.returned)
	}
	t.frames = t.frames[:len(t.frames)-1]
	t.known[key] = own.result
	return own.result
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
