package engine

import (
	"slices"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
	"github.com/admitctl/admitctl/thresholds"
)

// limitsOf are the limits of the rows of a gate and what they are computed from, as its table has them; none where it has
// no table.
func (p *Program) limitsOf(gate *gate, document inputs.Document) map[row]table.Limit {
	all := map[row]table.Limit{}
	if gate.table == nil {
		return all
	}
	limits, ok := gate.table.Limits(document)
	if !ok {
		return all
	}
	for i, check := range gate.table.Program().Checks {
		all[row{check.Reason, check.Action}] = limits[i]
	}
	return all
}

// limitFrom is what the limit of a row is computed from. The table knows; where there is none, or its limit is not that of
// the rules, it is whatever the row reads that has the value of the limit.
func (p *Program) limitFrom(e Explained, known table.Limit) []Source {
	if e.Limit.Kind == inputs.KindNull {
		return nil
	}
	var all []Source
	if len(known.From) > 0 && known.Value == e.Limit {
		for _, operand := range known.From {
			own := Source{Field: operand.Field, Value: plainValue(operand.Value)}
			if operand.Field == "" {
				own = p.sourceAt(operand.Path)
			}
			all = append(all, own)
		}
		return all
	}
	if known.Value == e.Limit {
		return nil // a literal
	}
	for _, source := range e.Reads {
		if _, list := source.Value.([]any); !list && source.Value == plainValue(e.Limit) {
			return []Source{source}
		}
	}
	return nil
}

func (p *Program) sourceAt(path []string) Source {
	own := Source{Threshold: pathName(path), At: p.origin(path)}
	if found, name := p.tree.Find(path); name == own.Threshold {
		own.Value = found.Value()
	}
	return own
}

// sourcesOf are the thresholds and the limits of the document's own that a check is proved from. Of the rows of a map, such
// as fence.planes, those count that the document names.
func (p *Program) sourcesOf(check Check, document inputs.Document) []Source {
	var all []Source
	fields := map[string]inputs.Value{}
	named := map[string]bool{}
	for name, value := range document.Fields() {
		fields[name] = value
		named[value.Text] = value.Kind == inputs.KindText
	}
	for _, path := range check.paths {
		for _, setting := range settingsFor(p.tree, path, named) {
			all = append(all, Source{Threshold: setting.Path, Value: setting.Value, At: table.Origin{File: setting.File, Line: setting.Line}})
		}
	}
	for _, property := range p.described[document.Gate()].Properties {
		value, there := fields[property.Name]
		if there && !property.Signal && value.Kind != inputs.KindText && slices.Contains(check.Fields, property.Name) {
			all = append(all, Source{Field: property.Name, Value: plainValue(value)})
		}
	}
	return all
}

// settingsFor lists the thresholds that a path leads to, where what it computes is one of some names.
func settingsFor(tree *thresholds.Tree, path []string, named map[string]bool) []thresholds.Setting {
	at := slices.Index(path, anyName)
	if at < 0 {
		return settingsAt(tree, path)
	}
	parent := tree
	for _, step := range path[:at] {
		if parent = parent.Fields[step]; parent == nil {
			return nil
		}
	}
	var all []thresholds.Setting
	for _, key := range parent.Keys {
		if named[key] {
			all = append(all, settingsFor(tree, slices.Concat(path[:at], []string{key}, path[at+1:]), named)...)
		}
	}
	return all
}

// plainValue is a value of a document as a threshold would have it, nil of null.
func plainValue(value inputs.Value) any {
	switch value.Kind {
	case inputs.KindNumber:
		return value.Number
	case inputs.KindFlag:
		return value.Flag
	case inputs.KindText:
		return value.Text
	}
	return nil
}
