package review

import (
	"fmt"
	"strings"
)

// String says in one line what became of the claim, and why.
func (f Finding) String() string {
	text := map[Status]string{StatusProved: "proved", StatusOff: "off", StatusUnproved: "unproved", StatusRefuted: "refuted"}[f.Status] + ": " + f.Words()
	switch {
	case f.Status == StatusOff:
		text += "; other values of " + strings.Join(f.Off, " and ") + " let it"
	case f.Why != "":
		text += ": " + f.Why
	}
	return text
}

// Words is what was found where the claim is refuted, and else what was claimed, without who says so.
func (f Finding) Words() string {
	kept := f.Status != StatusRefuted && f.Status != StatusOff
	switch f.Claim {
	case ClaimDecided:
		return either(kept, "every valid document is decided", "a valid document is not decided")
	case ClaimUnknown:
		return fmt.Sprintf("%s that becomes unknown %s", f.field(), either(kept, "never turns a reject into an admit", "turns a reject into an admit"))
	case ClaimWorse:
		return fmt.Sprintf("%s that gets worse %s", f.field(), either(kept, "never turns a reject into an admit", "turns a reject into an admit"))
	case ClaimTightens:
		return fmt.Sprintf("%s of the caller's own %s", f.field(), either(kept, "never turns a reject into an admit", "turns a reject into an admit"))
	case ClaimReason:
		if f.Status == StatusOff {
			return fmt.Sprintf("%s cannot be the reason under these thresholds", f.field())
		}
		return fmt.Sprintf("%s can %sbe the reason", f.field(), either(kept, "", "never "))
	}
	return string(f.Claim)
}

// field is what the claim is of, in general where nothing was told field by field.
func (f Finding) field() string {
	switch {
	case f.Action != "":
		return fmt.Sprintf("%s (%s)", f.Of, f.Action)
	case f.Of != "":
		return f.Of
	case f.Claim == ClaimReason:
		return "every reason"
	case f.Claim == ClaimTightens:
		return "any limit"
	}
	return "any signal"
}

func either(first bool, yes, no string) string {
	if first {
		return yes
	}
	return no
}
