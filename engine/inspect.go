package engine

import (
	"context"
	"io/fs"
	"slices"

	"github.com/admitctl/admitctl/thresholds"
)

// Report is everything that can be said of a set of policies at once.
type Report struct {
	Program    *Program             // nil where a problem keeps the policies from loading
	Problems   []Problem            // what does, in the order of files and lines
	Warnings   []Problem            // what loads and will surprise, or that nobody could explain at 02:14
	Thresholds []thresholds.Setting // as far as they could be resolved, sorted by path
}

// Inspect loads policies as [Compile] does, and reports all that is wrong with them, and what is merely odd. Its error
// is of the options or of ctx, never of the policies.
func Inspect(ctx context.Context, files fs.FS, opts ...Option) (Report, error) {
	o, err := newOptions(opts)
	if err != nil {
		return Report{}, err
	}
	l := newLoading(take(files, o.root), o, nil)
	program, err := l.run(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Program: program, Problems: l.found.told(), Thresholds: l.tree.Settings()}
	report.Warnings = slices.Concat(warn(l.gates, l.tree, l.found.texts), l.idle)
	report.Warnings = append(report.Warnings, warnMetadata(l.source, l.gates, l.found.texts)...)
	report.Warnings = append(report.Warnings, program.warnTables(l.found.texts)...)
	return report, nil
}
