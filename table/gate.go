package table

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// Gate is a program with thresholds: it decides. It is immutable and safe for concurrent use; nil rejects.
type Gate struct {
	program      *Program
	branches     []branch
	computations []computation
	usual        []usual // of each way to admit
	constants    []int64
	origins      []Origin // of the constants that are thresholds
	rows         []rows
	revision     string
}

// rows are the rows of one lookup.
type rows struct {
	text    uint16
	first   uint16
	width   int
	index   map[string]uint32
	bits    []uint64
	answers []uint8 // the place of the bits among the answers of the lookup
	none    uint8   // that of no row
	numbers []int64 // width of each row
}

// names are the names of the rows, sorted.
func (r *rows) names() []string { return slices.Sorted(maps.Keys(r.index)) }

// Name is the gate's.
func (g *Gate) Name() string {
	if g == nil {
		return ""
	}
	return g.program.Gate
}

// Program is what the gate's rules come to. It must not be changed.
func (g *Gate) Program() *Program { return g.program }

// Title is the violation of a reason in a few words, "" where the gate has no such check.
func (g *Gate) Title(reason, action string) string {
	title := ""
	for _, check := range g.program.Checks {
		if check.Reason == reason && (title == "" || check.Action == action) {
			title = check.Title
		}
	}
	return title
}

// Constants lists the numbers that the branches compare with, as they are bound.
func (g *Gate) Constants() []Constant {
	all := slices.Clone(g.program.Constants)
	for i := range all {
		all[i].Value, all[i].At = g.constants[i], g.origins[i]
	}
	return all
}

// Revision names the policies that the gate is of.
func (g *Gate) Revision() string {
	if g == nil {
		return ""
	}
	return g.revision
}

// Verdict decides a document, and allocates nothing. Its error, beside which the verdict rejects, is an
// [inputs.ErrInvalid], [ErrOutside] or [ErrEffects].
func (g *Gate) Verdict(document inputs.Document) (Verdict, error) {
	if err := g.accept(document); err != nil {
		return refused(ReasonInvalidInput), err
	}
	v, err := g.Judge(document)
	if err != nil {
		err = g.named(err)
	}
	return v, err
}

// Judge is [Gate.Verdict] for a document that is known to be valid and of this gate, which its error does not name.
func (g *Gate) Judge(document inputs.Document) (Verdict, error) {
	var m machine
	if !m.load(document) {
		return refused(ReasonError), outside("it does not fit")
	}
	result := m.walk(g, g.program.Entry.First)
	if m.outside || result == Outside {
		return refused(ReasonError), outside("of its numbers or rules")
	}
	var v Verdict
	if checks := g.program.Checks; int(result) < len(checks) {
		v.Reason, v.Action = checks[result].Reason, checks[result].Action
		return v, nil
	}
	at := int(result) - len(g.program.Checks)
	way := &g.program.Admits[at]
	v.Admit, v.Reason, v.Action = true, way.Reason, way.Action
	for i := range way.Effects {
		v.effects[i] = way.Effects[i].of(&m)
	}
	v.count = len(way.Effects)
	if !g.usual[at].fits(document) {
		if err := CheckEffects(document, true, v.effects[:v.count]); err != nil {
			return refused(ReasonError), err
		}
	}
	return v, nil
}

func (e *EffectOfRow) of(m *machine) Effect {
	return Effect{Plane: m.flat.Texts[e.Text], Counter: e.Counter, Delta: e.Delta}
}

func refused(reason string) Verdict { return Verdict{Reason: reason, Action: ActionReject} }

func outside(why string) error { return fmt.Errorf("%w: %s", ErrOutside, why) }

// named says of which gate an error is.
func (g *Gate) named(err error) error { return fmt.Errorf("gate %s: %w", g.program.Gate, err) }

// accept wants a valid document of this gate.
func (g *Gate) accept(document inputs.Document) error {
	switch {
	case g == nil:
		return fmt.Errorf("%w: there is no gate", inputs.ErrUnknownGate)
	case document == nil:
		return fmt.Errorf("%w: there is no document", inputs.ErrInvalid)
	case document.Gate() != g.program.Gate:
		return fmt.Errorf("%w: a document of %q is not for gate %s", inputs.ErrUnknownGate, document.Gate(), g.program.Gate)
	}
	if own, ok := document.(*inputs.Custom); ok && !own.LaidOut(g.program.Properties) {
		return fmt.Errorf("%w: a document that another schema of gate %s decoded", inputs.ErrInvalid, g.program.Gate)
	}
	return document.Validate()
}

// Decide decides a document and writes the whole decision into d, whose lists it reuses: the second decision into the
// same d allocates nothing. Its error, beside which d rejects, is that of [Gate.Verdict].
func (g *Gate) Decide(document inputs.Document, d *Decision) error {
	err := g.accept(document)
	if err != nil {
		name := g.Name()
		d.Refuse(name, ReasonInvalidInput, g.Revision(), err)
		return err
	}
	if err = g.Answer(document, d); err != nil {
		err = g.named(err)
		d.Refuse(g.program.Gate, ReasonError, g.revision, err)
	}
	return err
}

// Answer is [Gate.Decide] for a document that is known to be valid and of this gate, which its error does not name. Beside
// an error, d means nothing.
func (g *Gate) Answer(document inputs.Document, d *Decision) error {
	var m machine
	if !m.load(document) {
		return outside("it does not fit")
	}
	p := g.program
	first := m.walk(g, p.Entry.First)
	if first == Outside || m.outside {
		return outside("of its numbers or rules")
	}
	d.Gate, d.Policy.Revision, d.Error = p.Gate, g.revision, ""
	d.Violations, d.Effects, d.Unknown = kept(d.Violations), kept(d.Effects), kept(d.Unknown)
	if int(first) < len(p.Checks) {
		d.Admit, d.Reason, d.Action = false, p.Checks[first].Reason, p.Checks[first].Action
		m.violations(g, d)
	} else {
		way := &p.Admits[int(first)-len(p.Checks)]
		d.Admit, d.Reason, d.Action = true, way.Reason, way.Action
		for i := range way.Effects {
			d.Effects = append(d.Effects, way.Effects[i].of(&m))
		}
	}
	m.marked = 0
	m.walk(g, p.Entry.Unknown)
	for marked := m.marked; marked != 0; marked &= marked - 1 {
		d.Unknown = append(d.Unknown, p.Unknown[bits.TrailingZeros64(marked)])
	}
	if m.outside {
		return outside("of its numbers")
	}
	if err := CheckEffects(document, d.Admit, d.Effects); err != nil {
		return err
	}
	return nil
}

// violations appends every check that is violated, with what was observed.
func (m *machine) violations(g *Gate, d *Decision) {
	p := g.program
	m.marked = 0
	m.walk(g, p.Entry.All)
	for marked := m.marked; marked != 0; marked &= marked - 1 {
		check := &p.Checks[bits.TrailingZeros64(marked)]
		d.Violations = append(d.Violations, Violation{
			Reason:   check.Reason,
			Observed: m.scalar(g, &p.Values[m.walk(g, check.Observed)]),
			Limit:    m.scalar(g, &p.Values[m.walk(g, check.Limit)]),
		})
	}
}
