package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/table"
)

// mostAnnotations is how many annotations of one kind GitHub shows of a step; it drops the others without a word.
const mostAnnotations = 10

// annotation is a message at a line of a file.
type annotation struct {
	level    string // error, warning or notice
	rank     int    // the lowest come first
	at, base table.Origin
	title    string
	message  string
}

// annotations are the commands of a workflow, the worst first and no more than GitHub shows.
func (r *reviewed) annotations() string {
	all := r.annotated()
	slices.SortStableFunc(all, func(a, b annotation) int {
		return cmp.Or(cmp.Compare(levelRank(a.level), levelRank(b.level)), cmp.Compare(a.rank, b.rank))
	})
	var text strings.Builder
	shown := all
	if len(all) > mostAnnotations {
		shown = all[:mostAnnotations-1]
	}
	top := repositoryTop(".")
	for _, one := range shown {
		text.WriteString(one.command(top))
	}
	if left := len(all) - len(shown); left > 0 {
		last := annotation{level: all[len(shown)].level, title: "admitctl review", message: fmt.Sprintf("%d more are left out, since GitHub shows %d of a step; the summary of the step has all", left, mostAnnotations)}
		text.WriteString(last.command(top))
	}
	return text.String()
}

func levelRank(level string) int { return slices.Index([]string{"error", "warning", "notice"}, level) }

// annotated is everything that a reviewer should see beside the changed lines.
func (r *reviewed) annotated() []annotation {
	var all []annotation
	for _, lost := range r.Properties.Lost {
		lines := append([]string{"lost: " + lost.Words()}, lost.examples()...)
		all = append(all, annotation{level: r.levelOf(failProperty), rank: -1, at: r.gates[lost.Gate], title: "admitctl: " + lost.Gate + ": property", message: strings.Join(lines, "\n")})
	}
	for _, own := range r.Properties.fewer() {
		level := "warning"
		if own.unclear() {
			level = r.levelOf(failProperty)
		}
		all = append(all, annotation{level: level, rank: severity(review.Unproved), at: r.gates[own.Gate], title: "admitctl: " + own.Gate + ": property", message: own.String()})
	}
	changed, _ := byVerdict(&r.Comparison)
	for _, name := range changed {
		gate := r.Gates[name]
		for _, change := range gate.Changes {
			all = append(all, r.annotate(name, change))
		}
		if !gate.Proof.Complete {
			all = append(all, annotation{level: r.levelOf(failUnproved), rank: severity(review.Unproved), at: r.gates[name], title: "admitctl: " + name + ": " + told(gate.Verdict), message: because(proofWords(gate), gate.Proof.Why)})
		}
	}
	if r.Fixtures != nil {
		for _, flip := range r.Fixtures.Flips {
			all = append(all, annotation{level: r.levelOf(string(flip.Kind)), rank: severityOf(flip.Kind), at: table.Origin{File: flip.File}, title: "admitctl: fixture " + kindOrNone(flip.Kind), message: flip.Change})
		}
	}
	for _, log := range r.Recorded {
		for _, flip := range log.Flips {
			all = append(all, annotation{level: r.levelOf(string(flip.Kind)), rank: severityOf(flip.Kind), title: "admitctl: recorded decisions " + string(flip.Kind), message: log.Log + ": " + flipWords(flip)})
		}
	}
	return all
}

// levelOf is an error for what was asked to fail on; a relabelling is otherwise no more than a notice.
func (r *reviewed) levelOf(word string) string {
	switch {
	case slices.Contains(r.fails, failAny), slices.Contains(r.fails, word):
		return "error"
	case word == string(review.KindRelabelled):
		return "notice"
	}
	return "warning"
}

// annotate is a change, beside the line that made it.
func (r *reviewed) annotate(gate string, change review.Change) annotation {
	one := annotation{level: r.levelOf(string(change.Kind)), rank: severityOf(change.Kind), at: r.gates[gate], title: fmt.Sprintf("admitctl: %s: %s", gate, change.Kind)}
	if r.Gates[gate].Verdict == review.Mixed && slices.Contains(r.fails, failMixed) && change.Kind != review.KindRelabelled {
		one.level = "error"
	}
	lines := []string{turn(change)}
	if change.Inside != nil {
		lines = append(lines, offWords(change.Inside)+": "+decided(change.Inside))
	}
	for i, cause := range change.Cause {
		if i == 0 {
			one.at, one.base = cause.Head, cause.Base
		}
		lines = append(lines, "cause: "+causeWords(cause))
	}
	one.message = strings.Join(lines, "\n")
	return one
}

// command is the annotation as a workflow reads it.
func (a annotation) command(top string) string {
	var properties []string
	file, line := inRepository(a.at.File, top), a.at.Line
	if file == "" { // what was removed is annotated at the file that had it
		file, line = inRepository(a.base.File, top), 0
	}
	if file != "" {
		properties = append(properties, "file="+githubProperty(oneLine(file)))
		if line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", line))
		}
	}
	properties = append(properties, "title="+githubProperty(oneLine(a.title)))
	lines := strings.Split(a.message, "\n")
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	return fmt.Sprintf("::%s %s::%s\n", a.level, strings.Join(properties, ","), githubMessage(strings.Join(lines, "\n")))
}

// repositoryTop is the folder of the repository that a folder is in, or "".
func repositoryTop(folder string) string {
	at, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	for !exists(filepath.Join(at, ".git")) {
		above := filepath.Dir(at)
		if above == at {
			return ""
		}
		at = above
	}
	return at
}

// inRepository is a place's file from the top of its repository, as annotations name it; "" where it is in none.
func inRepository(file, top string) string {
	if rest, ok := strings.CutPrefix(file, "git:"); ok { // git:REF:FILE, and no ref has a colon
		if _, name, ok := strings.Cut(rest, ":"); ok {
			return path.Clean(name)
		}
		return ""
	}
	if archive, _, ok := strings.Cut(file, ".tar.gz:"); ok {
		file = archive + ".tar.gz"
	}
	if file == "" || !exists(file) {
		return ""
	}
	if top == "" {
		return filepath.ToSlash(file)
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	way, err := filepath.Rel(top, whole)
	if err != nil || !filepath.IsLocal(way) {
		return ""
	}
	return filepath.ToSlash(way)
}

// writeSummary adds the report to the summary of a step, if there is one, as far as it has room.
func (r *reviewed) writeSummary(name string) error {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666) // as a shell would
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.WriteString(within(mostSummary-int(info.Size()), r.markdown))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return nil
}
