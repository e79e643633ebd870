package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// checkRow holds the rows of the decision table, which are the rules named violated, to the form that cannot vanish:
// METADATA with reason and action, a head that reads nothing, and a body of named rules alone.
func (l *linter) checkRow(rule *ast.Rule) {
	custom := customOf(rule)
	if ruleName(rule) != "violated" {
		if custom["reason"] != nil {
			l.add(rule.Location, ErrForm, "a rule with custom.reason that is not named violated, so that it would never count", "write: violated contains rego.metadata.rule().custom if not CHECK")
		}
		return
	}
	for _, key := range []string{"reason", "action"} {
		if text, ok := custom[key].(string); !ok || !plainWord(text) {
			l.add(rule.Location, ErrForm, "a violation without custom."+key+" in its METADATA", "name its "+key+" in lower case with underscores")
		}
	}
	if reason, _ := custom["reason"].(string); slices.Contains(reserved(), reason) {
		l.add(rule.Location, ErrForm, fmt.Sprintf("a violation with the reason %q, which says that a gate admits or cannot answer", reason), "name what is violated")
	}
	if title, description := titleOf(rule); title == "" || description == "" {
		l.add(rule.Location, ErrForm, "a violation without title and description in its METADATA", "say in a sentence what it protects: it is what explain prints")
	}
	if rule.Head.Key == nil || !isCustom(rule.Head.Key) {
		l.add(rule.Location, ErrForm, "a violation whose head is not its METADATA: one that reads input or data is undefined with them, and the gate admits", "write: violated contains rego.metadata.rule().custom if not CHECK")
	}
	if rule.Else != nil {
		l.add(rule.Else.Location, ErrForm, "a violation with an else", "write two violations")
	}
	for _, expr := range rule.Body {
		if !expr.Negated {
			l.add(expr.Location, ErrForm, "a violation that does not follow from a check alone: what is not known would not be violated", "name the check, which must be proved, as a rule of its own: violated … if not CHECK")
		}
	}
}

// isCustom recognises rego.metadata.rule().custom, the one head of a violation.
func isCustom(head *ast.Term) bool {
	ref, ok := head.Value.(ast.Ref)
	if !ok || len(ref) != 2 || ref[1].Value.Compare(ast.String("custom")) != 0 {
		return false
	}
	call, ok := ref[0].Value.(ast.Call)
	return ok && len(call) == 1 && call[0].String() == "rego.metadata.rule"
}

func customOf(rule *ast.Rule) map[string]any {
	for _, annotations := range rule.Annotations {
		if annotations.Custom != nil {
			return annotations.Custom
		}
	}
	return nil
}

func titleOf(rule *ast.Rule) (title, description string) {
	for _, annotations := range rule.Annotations {
		title, description = annotations.Title, annotations.Description
	}
	return title, description
}

// reserved are the reasons that no violation may have: a reject that is labelled admit would be counted as one.
func reserved() []string {
	return []string{"admit", "admit_probe", "bind", "retry_same_plane", ReasonUndefined, ReasonConflict, ReasonError, ReasonTimeout}
}

// plainWord is a reason or action: a label on metrics and logs.
func plainWord(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
