package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"

	"github.com/admitctl/admitctl/engine/tabulate"
)

// rules is all of a load that depends on the rules alone. A program with the same rules and other thresholds shares it.
type rules struct {
	digest    [sha256.Size]byte
	source    *source
	declared  *schemas
	checks    map[string][]Check
	documents documents
	compiler  *ast.Compiler
	plans     map[string]*ir.Policy
	tables    map[string]*tabulate.Result // what the gates came to last
}

// digestOf is that of the rules of a snapshot and of how errors call them.
func digestOf(snap *snapshot) (digest [sha256.Size]byte) {
	hash := sha256.New()
	hash.Write(fmt.Appendf(nil, "%d:%s", len(snap.root), snap.root))
	for _, file := range snap.files {
		if path.Ext(file.name) == ".rego" {
			hash.Write(fmt.Appendf(nil, "%d:%s%d:%s", len(file.name), file.name, len(file.text), file.text))
		}
	}
	hash.Sum(digest[:0])
	return digest
}

// Reload is [Compile] that takes over what p has compiled where the rules are the same: then the thresholds alone are
// read, checked and bound, which takes a small part of the time. p, which may be nil, goes on as it is.
func (p *Program) Reload(ctx context.Context, files fs.FS, opts ...Option) (*Program, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return p.reload(ctx, take(files, o.root), o)
}

func (p *Program) reload(ctx context.Context, snap *snapshot, o *options) (*Program, error) {
	if p = p.loaded(); p == nil {
		return compile(ctx, snap, o)
	}
	return newLoading(snap, o, p.rules).finish(ctx)
}
