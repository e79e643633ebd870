// Package scale makes policies and thresholds larger than anybody's, the same in every run.
package scale

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/admitctl/admitctl/bench/mix"
)

// Planes names n planes.
func Planes(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("plane-%06d", i)
	}
	return names
}

// Overlay gives n planes rows of their own, besides those of [mix.Overlay].
func Overlay(n int) []byte {
	var text strings.Builder
	text.WriteString(mix.Overlay)
	for i, name := range Planes(n) {
		fmt.Fprintf(&text, "    %s: {depth_limit: %d, health_max_age_ms: %d}\n", name, 3+i%6, 1500+i%1000)
	}
	return []byte(text.String())
}

// Checks adds n checks to the compaction gate in files, each in a file of its own. None is ever violated by a document
// of a mix alone: signals that nobody knows violate a shipped check already.
func Checks(files fs.FS, n int) (fs.FS, error) {
	all := fstest.MapFS{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		all[name] = &fstest.MapFile{Data: text}
		return err
	})
	for i := range n {
		all[fmt.Sprintf("compaction/added_%02d.rego", i)] = &fstest.MapFile{Data: []byte(check(i))}
	}
	return all, err
}

// check is one check on one of what the gate reads, with a limit of its own.
func check(i int) string {
	fields := []string{"retry_count", "projected_ms", "spend_tokens", "est_tokens", "queue_age_ms"}
	field, limit := fields[i%len(fields)], 900000+i
	return fmt.Sprintf(`package admission.compaction

import data.admission.guard

# METADATA
# title: Added check %[1]d
# description: More than the gate lets through; %[2]s is at most %[3]d.
# custom:
#   reason: reject_added_%02[1]d
#   action: keep_last_summary
violated contains rego.metadata.rule().custom if not added_%02[1]d_holds

# METADATA
# title: Added check %[1]d holds
added_%02[1]d_holds if guard.at_most(%[2]s, %[3]d)

observed["reject_added_%02[1]d"] := %[2]s
limit["reject_added_%02[1]d"] := %[3]d
`, i, field, limit)
}
