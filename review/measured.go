package review

import (
	"fmt"
	"strings"

	"github.com/admitctl/admitctl/inputs"
)

// measured defines how far a document is from the nominal one: which fields are off, and the sum of how far they are.
func (s *space) measured(document string, nominal *inputs.Flat) string {
	var w strings.Builder
	sum := []string{"0"}
	for i, place := range s.places {
		bit := uint64(1) << i
		flag := func(letter string, mask uint64) string {
			if mask&bit != 0 {
				return fmt.Sprintf("%s%s%d", document, letter, i)
			}
			return fmt.Sprintf("(not %s%s%d)", document, letter, i)
		}
		same := []string{flag("g", nominal.Given), flag("k", nominal.Known), flag("f", nominal.True)}
		cost := "1"
		switch place.Kind {
		case inputs.KindNumber:
			n := fmt.Sprintf("%sn%d", document, place.Slot)
			was := number(nominal.Numbers[place.Slot])
			same = append(same, fmt.Sprintf("(= %s %s)", n, was))
			if nominal.Known&bit != 0 {
				cost = fmt.Sprintf("(ite %sk%d (ite (<= %s %s) (- %s %s) (- %s %s)) 1)", document, i, n, was, was, n, n, was)
			}
		case inputs.KindText:
			code, ok := s.codes[nominal.Texts[place.Slot]]
			if !ok {
				code = -1
			}
			same = append(same, fmt.Sprintf("(= %st%d %s)", document, place.Slot, number(int64(code))))
		}
		fmt.Fprintf(&w, "(define-fun off%d () Bool (not %s))\n", i, allOf(same...))
		sum = append(sum, fmt.Sprintf("(ite off%d %s 0)", i, cost))
	}
	fmt.Fprintf(&w, "(define-fun sum () Int (+ %s))\n", strings.Join(sum, " "))
	return w.String()
}

// atMost is that no more fields than so many are off. It is z3's own way to count, which it is much faster with than with
// a sum.
func (s *space) atMost(fields int) string {
	if fields < 0 {
		return "false"
	}
	var off strings.Builder
	for i := range s.places {
		fmt.Fprintf(&off, " off%d", i)
	}
	return fmt.Sprintf("((_ at-most %d)%s)", fields, off.String())
}
