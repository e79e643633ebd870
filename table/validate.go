package table

import (
	"fmt"
	"slices"

	"github.com/admitctl/admitctl/inputs"
)

// MaxTerms is how many terms one expression of a program may compute, those of its operands included.
const MaxTerms = 256

// maxAnswers is how many answers a lookup can have: a byte says which it is.
const maxAnswers = 256

// Validate proves that a program can be walked: every index is in range, no walk comes back to a node, no expression is
// endless, and none divides by zero. What passes decides without a panic and comes to an end, whatever it decides. Its
// error is an [ErrTable].
func (p *Program) Validate() error {
	if p == nil {
		return fmt.Errorf("%w: there is no program", ErrTable)
	}
	v := &validation{p: p}
	for _, check := range []func() error{v.documents, v.sizes, v.lookups, v.expressions, v.outcomes, v.values, v.nodes, v.walks} {
		if err := check(); err != nil {
			return fmt.Errorf("%w: gate %s: %w", ErrTable, inputs.PrintableName(p.Gate), err)
		}
	}
	return nil
}

// validation is what the checks of a program learn of it.
type validation struct {
	p       *Program
	numbers int // of a document
	texts   int
	cells   [MaxColumns]bool // the registers that a lookup fills
}

// documents wants documents that lie flat as the program was compiled for.
func (v *validation) documents() error {
	places, fit := inputs.Places(v.p.Properties)
	if !fit {
		return fmt.Errorf("its documents do not fit")
	}
	for _, place := range places {
		switch place.Kind {
		case inputs.KindNumber:
			v.numbers++
		case inputs.KindText:
			v.texts++
		}
	}
	if core := inputs.Properties(v.p.Gate); core != nil {
		same := func(a, b inputs.Property) bool { return a.Name == b.Name && a.Object == b.Object && a.Kind == b.Kind }
		if !slices.EqualFunc(core, v.p.Properties, same) {
			return fmt.Errorf("it is for documents with other fields than this version's; build it anew with this version")
		}
		return nil
	}
	if _, err := inputs.NewSchema(v.p.Gate, v.p.Properties); err != nil {
		return fmt.Errorf("its documents: %w", err)
	}
	return nil
}

func (v *validation) sizes() error {
	p := v.p
	for _, own := range []struct {
		what       string
		size, most int
	}{
		{"checks", len(p.Checks), MaxMarks},
		{"admits", len(p.Admits), MaxMarks},
		{"unknown signals", len(p.Unknown), MaxMarks},
		{"lookups", len(p.Lookups), MaxLookups},
		{"nodes", len(p.Nodes), MaxNodes},
		{"expressions", len(p.Expressions), MaxNodes},
		{"constants", len(p.Constants), MaxNodes},
		{"words", len(p.Words), MaxNodes},
		{"values", len(p.Values), MaxNodes},
		{"jumps", len(p.Jumps), MaxNodes},
	} {
		if own.size > own.most {
			return fmt.Errorf("%d %s, and at most %d are possible", own.size, own.what, own.most)
		}
	}
	return nil
}

func (v *validation) lookups() error {
	for i := range v.p.Lookups {
		l := &v.p.Lookups[i]
		if int(l.Text) >= v.texts || len(l.Bits) > 64 || int(l.First)+len(l.Columns) > MaxColumns {
			return fmt.Errorf("lookup %d is out of range", i)
		}
		for at := range l.Columns {
			v.cells[int(l.First)+at] = true
		}
		if len(l.Answers) > maxAnswers || len(l.Answers) > 0 && !slices.Contains(l.Answers, 0) {
			return fmt.Errorf("lookup %d has too many answers, or none for no row", i)
		}
		for _, bit := range l.Bits {
			if bit.Is < IsThere || bit.Is > Holds {
				return fmt.Errorf("lookup %d asks what it cannot", i)
			}
		}
	}
	return nil
}

// expressions wants operands to stand before what is computed of them, and few enough of them: one that is used twice
// is computed twice.
func (v *validation) expressions() error {
	terms := make([]int, len(v.p.Expressions))
	for i, e := range v.p.Expressions {
		fits := false
		switch e.Term {
		case Field:
			fits = int(e.A) < v.numbers
		case Number:
			fits = int(e.A) < len(v.p.Constants)
		case Cell:
			fits = v.cell(e.A)
		case Sum, Minus, Product:
			if fits = int(e.A) < i && int(e.B) < i; fits {
				terms[i] = terms[e.A] + terms[e.B]
			}
		case CeilingOf, FloorOf:
			if fits = int(e.A) < i && v.divides(e.B); fits {
				terms[i] = terms[e.A]
			}
		}
		if terms[i]++; !fits || terms[i] > MaxTerms {
			return fmt.Errorf("expression %d is out of range, or too long", i)
		}
	}
	return nil
}

func (v *validation) cell(register uint16) bool {
	return register < MaxColumns && v.cells[register]
}

// divides reports whether a constant is a literal above 0: a threshold could be bound to 0 later.
func (v *validation) divides(constant uint16) bool {
	return int(constant) < len(v.p.Constants) && v.p.Constants[constant].Path == nil && v.p.Constants[constant].Value > 0
}

// outcomes wants checks that say something, and effects where a gate can have some.
func (v *validation) outcomes() error {
	for i, check := range v.p.Checks {
		if check.Reason == "" || check.Action == "" {
			return fmt.Errorf("check %d has no reason, or no action", i)
		}
	}
	core := inputs.Properties(v.p.Gate) != nil
	for i, way := range v.p.Admits {
		switch {
		case way.Reason == "" || way.Action == "":
			return fmt.Errorf("admit %d has no reason, or no action", i)
		case len(way.Effects) > maxEffects || !core && len(way.Effects) > 0:
			return fmt.Errorf("admit %d has effects that no document of the gate can have", i)
		}
		for _, effect := range way.Effects {
			if int(effect.Text) >= v.texts {
				return fmt.Errorf("admit %d has an effect on no plane", i)
			}
		}
	}
	return nil
}

func (v *validation) values() error {
	for i, s := range v.p.Values {
		fits := false
		switch s.Is {
		case ShowWord:
			fits = s.Word.Kind <= inputs.KindText
		case ShowExpression:
			fits = int(s.A) < len(v.p.Expressions)
		case ShowText:
			fits = int(s.A) < v.texts
		}
		if !fits {
			return fmt.Errorf("value %d is out of range", i)
		}
	}
	return nil
}
