package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/bench/processes"
	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/bench/timing"
)

// stockBinary is OPA's: the one that was named, or that of the repository's tools, or one that is built.
func (b *bench) stockBinary() (string, error) {
	if b.opa != "" {
		return b.opa, nil
	}
	if tool := filepath.Join(b.root, ".bin", "opa"); exists(tool) {
		return tool, nil
	}
	return processes.BuildOPA(b.folder, version("github.com/open-policy-agent/opa"))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// processes measures one decision by a process that has just started: wall time and memory.
func (b *bench) processes() error {
	binaries, err := processes.Build(b.folder, b.root)
	if err != nil {
		return err
	}
	opa, err := b.stockBinary()
	if err != nil {
		return err
	}
	text, err := json.Marshal(mix.New(3).Compaction())
	if err != nil {
		return err
	}
	document := filepath.Join(b.folder, "document.json")
	if err := os.WriteFile(document, text, 0o600); err != nil {
		return err
	}
	commands := [][]string{
		{binaries.Admitctl, "eval", "-q", "-f", "json", document},
		{opa, "eval", "-d", filepath.Join(b.root, "policies"), "-i", document, "data.admission.compaction.decision"},
		{binaries.Hello},
	}
	walls, memories := make([]timing.Sample, len(commands)), make([]timing.Sample, len(commands))
	for round := range 2*b.rounds + 1 {
		for i := range commands {
			at := (i + round) % len(commands)
			wall, memory, err := binaries.Run(nil, commands[at]...)
			if err != nil {
				return err
			}
			if round > 0 { // the first one warms up
				walls[at], memories[at] = append(walls[at], wall), append(memories[at], memory)
			}
		}
	}
	for _, each := range []struct {
		name    string
		unit    report.Unit
		samples []timing.Sample
	}{{"wall time", report.Nanoseconds, walls}, {"memory", report.Kilobytes, memories}} {
		row := report.Row{Section: "cold process, " + each.name, Unit: each.unit, What: "admitctl eval", Figure: each.samples[0]}
		row.Beside, row.Against, row.Target = "opa eval", each.samples[1], report.AtMost(0.7)
		b.add(row)
		row.Beside, row.Against, row.Target = "a Go process that says hello", each.samples[2], report.Target{}
		b.add(row)
	}
	return nil
}
