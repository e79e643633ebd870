package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/admitctl/admitctl/thresholds"
)

// warn finds thresholds that are legal and will surprise. A class that can never admit is legal (it is the rollback),
// but nobody should find out at 02:14.
func warn(gates map[string]Gate, tree *thresholds.Tree, texts map[string][]byte) []Problem {
	w := &problems{texts: texts}
	warnPlanes(tree, w)
	zero := func(steps []string, consequence string) {
		at, path := tree.Find(steps)
		if at.Scalar == int64(0) {
			w.addData(at.At, path, "is 0: "+consequence, "")
		}
	}
	off := func(steps []string, value any, consequence string) {
		if at, path := tree.Find(steps); at.Kind == thresholds.Scalar && at.Scalar == value {
			w.addData(at.At, path, consequence, "")
		}
	}
	off([]string{"compaction", "enabled"}, false, "is false: every job is rejected, which is the rollback")
	off([]string{"compaction", "free_path"}, "disabled", "is disabled: every job that does not name the paid path is rejected")
	zero([]string{"compaction", "token_ceiling"}, "only a job that is estimated at 0 tokens is admitted")
	zero([]string{"fanout", "retry_amplification_min"}, "a window without a success is always amplification, and no probe goes through")
	if classes := tree.Fields["classes"]; classes != nil {
		for _, class := range classes.Keys {
			off([]string{"classes", class, "enabled"}, false, "is false: nothing of this class is admitted")
			zero([]string{"classes", class, "reject_when", "tokens_per_success_est"}, "only work that spent no tokens is admitted")
			if at, path := tree.Find([]string{"classes", class, "requires"}); at.Kind == thresholds.List && len(at.Items) == 0 {
				w.addData(at.At, path, "is empty: work of this class is admitted without any evidence", "list the signals that it must bring")
			}
		}
	}
	if at, path := tree.Find([]string{"rollback", "fail_closed"}); at.Scalar == false {
		w.addData(at.At, path, "is false, and changes nothing: there is no fail-open", "")
	}
	warnPrecedence(gates, tree, w)
	return w.told()
}

func warnPlanes(tree *thresholds.Tree, w *problems) {
	fence := tree.Fields["fence"]
	if fence == nil {
		return
	}
	rows := map[string]*thresholds.Tree{"fence.default": fence.Fields["default"]}
	if planes := fence.Fields["planes"]; planes != nil {
		for name, row := range planes.Fields {
			rows[thresholds.Join("fence.planes", name)] = row
		}
	}
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		row := rows[path]
		if row == nil {
			continue // told already as missing
		}
		if limit := row.Fields["depth_limit"]; limit != nil && limit.Scalar == int64(0) {
			w.addData(limit.At, path+".depth_limit", "is 0: "+consequenceOf(path), "")
		}
		age, interval := inherited(row, rows["fence.default"], "health_max_age_ms"), inherited(row, rows["fence.default"], "sample_interval_ms")
		if age == nil || interval == nil {
			continue
		}
		most, _ := age.Scalar.(int64)
		if every, _ := interval.Scalar.(int64); most < 2*every {
			w.addData(age.At, path+".health_max_age_ms", fmt.Sprintf("is %d, less than twice the sample_interval_ms of %d: one late sample sheds", most, every), fmt.Sprintf("write %d or more", 2*every))
		}
	}
}

func consequenceOf(path string) string {
	if path == "fence.default" {
		return "no plane without a limit of its own admits anything"
	}
	return "this plane admits nothing"
}

func inherited(row, fallback *thresholds.Tree, key string) *thresholds.Tree {
	if own := row.Fields[key]; own != nil || fallback == nil {
		return own
	}
	return fallback.Fields[key]
}

// warnPrecedence finds reasons in a precedence list that no check of the gate gives, and checks that no list names.
func warnPrecedence(gates map[string]Gate, tree *thresholds.Tree, w *problems) {
	for _, gate := range slices.Sorted(maps.Keys(gates)) {
		var reasons []string
		for _, check := range gates[gate].Checks {
			reasons = append(reasons, check.Reason)
		}
		list, path := tree.Find(append(strings.Split(gate, "."), "precedence"))
		if list.Kind != thresholds.List {
			continue
		}
		var named []string
		for _, item := range list.Items {
			name, _ := item.Scalar.(string)
			named = append(named, name)
			if !slices.Contains(reasons, name) {
				w.addData(item.At, path, fmt.Sprintf("%q is the reason of no check of gate %s", name, gate), "")
			}
		}
		left := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(reasons))), func(reason string) bool {
			return reason == ReasonInvalidInput || slices.Contains(named, reason)
		})
		if len(left) > 0 {
			w.addData(list.At, path, "does not name "+strings.Join(left, ", ")+": these come after the others, by name", "")
		}
	}
}

// warnMetadata finds what explain and the docs could not tell: names without METADATA, packages without title and
// description, and actions that no package explains.
func warnMetadata(s *source, gates map[string]Gate, texts map[string][]byte) []Problem {
	w := &problems{texts: texts}
	titled := map[string]bool{}
	for _, module := range s.modules {
		for _, rule := range module.Rules {
			if title, _ := titleOf(rule); title != "" {
				titled[packageName(module)+" "+ruleName(rule)] = true
			}
		}
	}
	for _, file := range moduleNames(s) {
		if s.isTorn(packageName(s.modules[file])) {
			continue // a part that cannot be read may say it
		}
		for _, rule := range s.modules[file].Rules {
			if key := packageName(s.modules[file]) + " " + ruleName(rule); !titled[key] && ruleName(rule) != "violated" {
				titled[key] = true
				w.add(Problem{File: file, Line: rule.Location.Row, Column: rule.Location.Col, Problem: fmt.Sprintf("the rule %s has no METADATA", ruleName(rule)), Mend: "say in a title what it means", Kind: ErrForm})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		gate := gates[name]
		if s.isTorn("admission." + name) {
			continue
		}
		if gate.Title == "" || gate.Description == "" {
			w.add(Problem{File: gate.File, Line: gate.Line, Column: 1, Problem: "gate " + name + " has no title and description", Mend: "say in the METADATA of its package what it decides", Kind: ErrForm})
		}
		used := actionsOf(gate)
		for _, action := range slices.Sorted(maps.Keys(used)) {
			if gate.Actions[action] == "" {
				at := used[action]
				w.add(Problem{File: at.File, Line: at.Row, Column: at.Col, Problem: fmt.Sprintf("nothing says what the action %s asks for", action), Mend: "write it below custom.actions in the METADATA of the package", Kind: ErrForm})
			}
		}
		for _, action := range slices.Sorted(maps.Keys(gate.Actions)) {
			if used[action] == nil {
				line, column := lineOfKey(texts[gate.File], gate.Line, []string{"actions", action})
				w.add(Problem{File: gate.File, Line: line, Column: column, Problem: fmt.Sprintf("no decision of gate %s has the action %s", name, action), Mend: "is it misspelt?", Kind: ErrForm})
			}
		}
	}
	return w.told()
}

// actionsOf are the actions that a gate's decisions can have, and where they are written.
func actionsOf(gate Gate) map[string]*ast.Location {
	used := map[string]*ast.Location{}
	for _, way := range gate.Admits {
		used[way.Action] = &ast.Location{File: way.File, Row: way.Line, Col: 1}
	}
	for _, check := range gate.Checks {
		used[check.Action] = &ast.Location{File: check.File, Row: check.Line, Col: 1}
	}
	return used
}
