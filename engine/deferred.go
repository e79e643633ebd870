package engine

import (
	"bytes"
	"context"
	"path"
	"slices"
	"sync"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Tables gives [Compile] a table file that may be of the very policies and thresholds that it is to load, as the file's
// revision tells. If it is, nothing is compiled until somebody asks what tables do not hold: a process that decides a
// document and ends is ready in a small part of the time. Whoever wrote the file has held it against OPA. A file of other
// policies is passed over.
func Tables(file []byte) Option { return func(o *options) { o.tables = file } }

// deferred is a program that decides by tables, and loads the policies only when it must.
func deferred(snap *snapshot, o *options) (*Program, bool) {
	if o.tables == nil || len(snap.wrong) > 0 {
		return nil, false
	}
	set, err := table.Read(bytes.NewReader(o.tables))
	if err != nil {
		return nil, false // the policies are there, and say it all
	}
	p := &Program{gates: map[string]*gate{}, schemas: map[string]*inputs.Schema{}, timeout: o.timeout}
	if !p.sealSnapshot(snap, o) || p.revision != set.Revision() {
		return nil, false
	}
	for _, name := range set.Names() {
		p.gates[name] = &gate{name: name, table: set.Gate(name)}
	}
	for _, schema := range set.Schemas() {
		p.schemas[schema.Gate()] = schema
	}
	p.findCore()
	full := *o
	full.tables = nil
	p.whole = sync.OnceValues(func() (*Program, error) { return compile(context.Background(), snap, &full) })
	return p, true
}

// sealSnapshot computes the revision of policies that nobody has compiled; false where something is wrong with them.
func (p *Program) sealSnapshot(snap *snapshot, o *options) bool {
	l := &loading{options: o, found: &problems{texts: map[string][]byte{}}}
	l.source = &source{root: snap.root, texts: l.found.texts}
	var rules []string
	for _, file := range snap.files {
		if shown := path.Join(snap.root, file.name); path.Ext(file.name) == ".rego" {
			l.source.texts[shown] = file.text
			rules = append(rules, shown)
		} else {
			l.source.loadData(shown, file, l.found)
		}
	}
	l.merge()
	slices.Sort(rules)
	return len(l.found.list) == 0 && len(l.idle) == 0 && p.seal(l.source, rules, l.tree) == nil
}

// loaded is the program with all that it knows, and itself where that cannot be had.
func (p *Program) loaded() *Program {
	if p == nil || p.whole == nil {
		return p
	}
	if whole, err := p.whole(); err == nil {
		return whole
	}
	return p
}
