package review

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

// edits is everything in which two sets of policies differ.
type edits struct {
	thresholds []ThresholdChange
	rules      []RuleChange
	written    [2]map[string]engine.Rule // by package and name, on both sides
	programs   [2]*engine.Program
}

func readEdits(base, head *engine.Program) *edits {
	e := &edits{programs: [2]*engine.Program{base, head}, thresholds: []ThresholdChange{}, rules: []RuleChange{}}
	var settings [2]map[string]thresholds.Setting
	var paths, names []string
	for side, program := range e.programs {
		e.written[side], settings[side] = map[string]engine.Rule{}, map[string]thresholds.Setting{}
		for _, rule := range program.Rules() {
			e.written[side][rule.Package+"."+rule.Name] = rule
			names = append(names, rule.Package+"."+rule.Name)
		}
		for _, setting := range program.Thresholds() {
			settings[side][setting.Path] = setting
			paths = append(paths, setting.Path)
		}
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		from, to := settings[0][path], settings[1][path]
		if valueOf(from) != valueOf(to) {
			e.thresholds = append(e.thresholds, ThresholdChange{path, valueOf(from), valueOf(to), table.Origin{File: from.File, Line: from.Line}, table.Origin{File: to.File, Line: to.Line}})
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, inBase := e.written[0][name]
		after, inHead := e.written[1][name]
		if inBase && inHead && before.Text == after.Text {
			continue
		}
		change := RuleChange{Edit: Changed, Base: table.Origin{File: before.File, Line: before.Line}, Head: table.Origin{File: after.File, Line: after.Line}}
		own := after
		switch {
		case !inBase:
			change.Edit = Added
		case !inHead:
			change.Edit, own = Removed, before
		}
		change.Gate, change.Name = strings.TrimPrefix(own.Package, "admission."), own.Name
		e.rules = append(e.rules, change)
	}
	return e
}

// valueOf is a threshold as JSON, "" where it is not set.
func valueOf(setting thresholds.Setting) string {
	if setting.Path == "" {
		return ""
	}
	text, err := json.Marshal(setting.Value)
	if err != nil {
		return ""
	}
	return string(text)
}

// leave reports whether nothing that was edited is read by a gate, directly or by way of other packages.
func (e *edits) leave(gate string) bool {
	for side, rules := range e.written {
		packages := map[string]bool{"admission." + gate: true}
		for grown := true; grown; {
			grown = false
			for _, rule := range rules {
				for _, read := range rule.Reads {
					if in := packageIn(read, rules); packages[rule.Package] && in != "" && !packages[in] {
						packages[in], grown = true, true
					}
				}
			}
		}
		for _, change := range e.rules {
			if packages["admission."+change.Gate] || packages[change.Gate] {
				return false
			}
		}
		for _, rule := range rules {
			if packages[rule.Package] && e.reads(side, rule) {
				return false
			}
		}
	}
	return true
}

// packageIn is the package of a rule that is read.
func packageIn(read string, rules map[string]engine.Rule) string {
	if rule, ok := rules[read]; ok {
		return rule.Package
	}
	for name := read; name != ""; {
		at := strings.LastIndexByte(name, '.')
		if at < 0 {
			return ""
		}
		name = name[:at]
		for _, rule := range rules {
			if rule.Package == name {
				return name
			}
		}
	}
	return ""
}

// reads reports whether a rule names a part of the thresholds in which something was edited.
func (e *edits) reads(_ int, rule engine.Rule) bool {
	for _, change := range e.thresholds {
		first := strings.FieldsFunc(change.Path, func(r rune) bool { return r == '.' || r == '[' })[0]
		if strings.Contains(rule.Text, "data."+first) || strings.Contains(rule.Text, "data[") {
			return true
		}
	}
	return false
}
