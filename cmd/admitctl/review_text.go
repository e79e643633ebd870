package main

import (
	"fmt"

	"github.com/admitctl/admitctl/review"
)

// pretty is the report for a terminal: what a reviewer must know first comes first.
func (r *reviewed) pretty(s style, flags *common) string {
	p := &pretty{style: s, verbose: flags.verbose}
	p.verdict(&r.Comparison)
	if words := r.failWords(); words != "" {
		p.line(0, words)
	}
	p.properties(r.Properties)
	p.edits(&r.Comparison, r.Effects, r.Meanings)
	p.gates(&r.Comparison, flags.quiet)
	p.fixtures(r.Fixtures)
	p.recorded(r.Recorded)
	return p.String()
}

// properties are those that are lost, with an example, and those of which less is known than before.
func (p *pretty) properties(all properties) {
	for _, lost := range all.Lost {
		p.WriteString(p.style.bad + "LOST" + p.style.reset + "  ")
		p.line(0, lost.Gate+": "+lost.Words())
		for _, text := range lost.examples() {
			p.line(3, text)
		}
	}
	for _, own := range all.fewer() {
		p.line(0, own.Gate+": "+own.String())
	}
	if words := all.words(); words != "" {
		p.line(0, words)
	}
}

func (p *pretty) fixtures(f *fixtureFlips) {
	if f == nil {
		return
	}
	p.line(0, "")
	p.line(0, fixtureWords(f))
	for _, flip := range f.Flips {
		p.line(1, fmt.Sprintf("%s: %s", kindOrNone(flip.Kind), flip.Change), flip.File)
	}
	for _, file := range f.Failing {
		p.line(1, "not as wanted: "+file)
	}
}

func kindOrNone(kind review.Kind) string {
	if kind == "" {
		return "undecided"
	}
	return string(kind)
}

func (p *pretty) recorded(logs []recorded) {
	for _, log := range logs {
		p.line(0, "")
		p.line(0, log.Log+": "+logWords(log))
		for _, flip := range log.Flips {
			p.line(1, flipWords(flip), fmt.Sprintf("first in line %d", flip.Line))
		}
	}
}

// markdown is the report for a comment, or for the summary of a step.
func (r *reviewed) markdown(m *markdown) {
	m.verdict(&r.Comparison)
	if words := r.failWords(); words != "" {
		m.add("\n**%s.**\n", sentence(words))
	}
	m.properties(r.Properties)
	m.edits(&r.Comparison, r.Meanings)
	m.gates(&r.Comparison)
	m.fixtures(r.Fixtures)
	for _, log := range r.Recorded {
		m.add("\n### Recorded decisions\n\n%s: %s.\n\n", code(log.Log), logWords(log))
		for _, flip := range log.Flips {
			m.add("- %s, first in line %d\n", code(flipWords(flip)), flip.Line)
		}
	}
}

func (m *markdown) properties(all properties) {
	if words := all.words(); words != "" {
		m.add("\n### Properties\n\n%s.\n\n", sentence(words))
	}
	for _, lost := range all.Lost {
		m.add("- **lost**: %s: %s\n", code(lost.Gate), code(lost.Words()))
		for _, text := range lost.examples() {
			m.add("  - %s\n", code(text))
		}
	}
	for _, own := range all.fewer() {
		m.add("- %s: %s\n", code(own.Gate), code(own.String()))
	}
}

func (m *markdown) fixtures(f *fixtureFlips) {
	if f == nil {
		return
	}
	m.add("\n### Fixtures\n\n%s.\n\n", sentence(fixtureWords(f)))
	for _, flip := range f.Flips {
		m.add("- **%s**: %s: %s\n", kindOrNone(flip.Kind), code(flip.File), code(flip.Change))
	}
	for _, file := range f.Failing {
		m.add("- not as wanted: %s\n", code(file))
	}
}
