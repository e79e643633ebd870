package review

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
)

// causes names what was edited that makes a document's decision change: thresholds and rules from which the checks are
// proved on which the two sides differ.
func (e *edits) causes(p *pair, s signature, d decided) []Cause {
	causes := []Cause{}
	for _, reason := range differing(d.base, d.head) {
		causes = append(causes, e.thresholdsOf(p.gate, reason, d)...)
		causes = append(causes, e.rulesOf(p.gate, reason)...)
	}
	if s.part == PartAction || d.base.Admit && d.head.Admit {
		causes = append(causes, e.admissions(p.gate, d)...)
	}
	if s.part == PartReason || s.part == PartViolations || len(causes) == 0 {
		causes = append(causes, e.precedence(p.gate)...)
	}
	if len(causes) == 0 {
		causes = append(causes, e.everything(p.gate)...)
	}
	made := []Cause{}
	for _, cause := range e.needed(p, d, causes) {
		if !slices.Contains(made, cause) {
			made = append(made, cause)
		}
	}
	return made
}

// differing are the reasons on which two decisions differ: those that only one lists, else those that show other values,
// else the two that decide.
func differing(base, head engine.Decision) []string {
	var reasons []string
	for _, list := range [][2][]engine.Violation{{base.Violations, head.Violations}, {head.Violations, base.Violations}} {
		for _, violation := range list[0] {
			if !slices.ContainsFunc(list[1], func(v engine.Violation) bool { return v.Reason == violation.Reason }) {
				reasons = append(reasons, violation.Reason)
			}
		}
	}
	if len(reasons) == 0 {
		for _, violation := range base.Violations {
			if !slices.Contains(head.Violations, violation) {
				reasons = append(reasons, violation.Reason)
			}
		}
	}
	if len(reasons) == 0 {
		reasons = append(reasons, base.Reason, head.Reason)
	}
	return reasons
}

// thresholdsOf are the edited thresholds that a check is proved from, on either side.
func (e *edits) thresholdsOf(gate, reason string, d decided) []Cause {
	var paths []string
	for _, program := range e.programs {
		for _, check := range program.Checks(gate) {
			if check.Reason == reason {
				paths = append(paths, check.Thresholds...)
			}
		}
	}
	return e.thresholdsAt(paths, d)
}

// admissions are the edited thresholds that say in which way a gate admits.
func (e *edits) admissions(gate string, d decided) []Cause {
	var paths []string
	for _, program := range e.programs {
		own, _ := program.Gate(gate)
		for _, way := range own.Admits {
			paths = append(paths, way.Thresholds...)
		}
	}
	return e.thresholdsAt(paths, d)
}

// thresholdsAt are the edited thresholds at some paths: those of rows that the document chooses before those that it does
// not.
func (e *edits) thresholdsAt(paths []string, d decided) []Cause {
	var chosen, others []Cause
	for _, path := range paths {
		wanted := pattern(path)
		for _, change := range e.thresholds {
			name := wanted.FindStringSubmatch(change.Path)
			switch {
			case name == nil:
			case len(name) > 1 && !slices.Contains(d.flat.Texts[:], unquoted(name[1])):
				others = append(others, ofThreshold(change))
			default:
				chosen = append(chosen, ofThreshold(change))
			}
		}
	}
	if len(chosen) > 0 {
		return chosen
	}
	return others
}

func ofThreshold(change ThresholdChange) Cause {
	return Cause{Threshold: change.Path, From: change.From, To: change.To, Base: change.Base, Head: change.Head}
}

// pattern matches the paths of thresholds that a check reads, such as classes.*.max_depth, and what lies below.
func pattern(path string) *regexp.Regexp {
	text := strings.ReplaceAll(regexp.QuoteMeta(path), `\.\*`, `(\.\w+|\["(?:[^"\\]|\\.)*"\])`)
	return regexp.MustCompile("^" + text + `(?:[.\[].*)?$`)
}

// unquoted is a name as it is, of a step of a path.
func unquoted(step string) string {
	if name, ok := strings.CutPrefix(step, "."); ok {
		return name
	}
	var name string
	if json.Unmarshal([]byte(strings.Trim(step, "[]")), &name) != nil {
		return step
	}
	return name
}

// rulesOf are the edited rules that a check is proved from, or that say what it shows, the nearest first.
func (e *edits) rulesOf(gate, reason string) []Cause {
	of := "admission." + gate
	start := []string{of + ".violated[" + reason + "]", of + ".observed." + reason, of + ".limit." + reason}
	var causes []Cause
	for _, rules := range e.written {
		seen := map[string]bool{}
		for queue := start; len(queue) > 0; queue = queue[1:] {
			if seen[queue[0]] {
				continue
			}
			seen[queue[0]] = true
			causes = append(causes, e.ruleNamed(queue[0])...)
			if strings.HasPrefix(queue[0], of+".violated[") || !strings.HasSuffix(queue[0], ".violated") { // all rows are nobody's cause
				queue = append(queue, rules[queue[0]].Reads...)
			}
		}
	}
	return causes
}

func (e *edits) ruleNamed(name string) []Cause {
	for _, change := range e.rules {
		if "admission."+change.Gate+"."+change.Name == name {
			return []Cause{{Rule: change.Name, Base: change.Base, Head: change.Head}}
		}
	}
	return nil
}

// precedence is the edited order of a gate's reasons.
func (e *edits) precedence(gate string) []Cause {
	for _, change := range e.thresholds {
		if change.Path == gate+".precedence" {
			return []Cause{ofThreshold(change)}
		}
	}
	return nil
}

// everything that was edited in a gate's package, or of its thresholds.
func (e *edits) everything(gate string) []Cause {
	var causes []Cause
	first, _, _ := strings.Cut(gate, ".")
	for _, change := range e.thresholds {
		if strings.HasPrefix(change.Path, first+".") {
			causes = append(causes, ofThreshold(change))
		}
	}
	for _, change := range e.rules {
		if change.Gate == gate || change.Gate == "guard" {
			causes = append(causes, Cause{Rule: change.Name, Base: change.Base, Head: change.Head})
		}
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(a.Rule, b.Rule) })
	return causes
}
