package main

import (
	"context"

	"github.com/admitctl/admitctl/bench/contender"
	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/bench/timing"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

// overNative are the most that an embedded decision may cost beside native code; other gates have no target.
func overNative(gate string) report.Target {
	switch gate {
	case "fence":
		return report.AtMost(2)
	case "compaction":
		return report.AtMost(6)
	case "fanout":
		return report.AtMost(3.5)
	}
	return report.Target{}
}

// compile compiles the shipped policies with the thresholds that mixes are made for.
func compile() (*engine.Program, error) {
	return engine.Compile(context.Background(), policies.Files, engine.Overlay("planes.yaml", []byte(mix.Overlay)))
}

// timed is the samples of a lineup's contenders, by name.
func (b *bench) timed(lineup *contender.Lineup) (map[string]timing.Sample, error) {
	if err := lineup.Sound(); err != nil {
		return nil, err
	}
	tasks := make([]timing.Task, len(lineup.Contenders))
	for i, each := range lineup.Contenders {
		tasks[i] = task(each, len(lineup.Documents))
	}
	samples, err := timing.Rounds(tasks, b.rounds, b.least)
	if err != nil {
		return nil, err
	}
	byName := map[string]timing.Sample{}
	for i, each := range lineup.Contenders {
		byName[each.Name] = samples[i]
	}
	return byName, nil
}

// task is a pass of a contender.
func task(each contender.Contender, documents int) timing.Task {
	return timing.Task{Name: each.Name, Units: documents, Run: func() error {
		each.Pass()
		return nil
	}}
}

// decisions measures documents of the whole contract: each door over native code, and stock OPA over the main door.
func (b *bench) decisions() error {
	lineups, err := contender.Whole(b.program, b.mix)
	if err != nil {
		return err
	}
	for i := range lineups {
		lineup := &lineups[i]
		samples, err := b.timed(lineup)
		if err != nil {
			return err
		}
		row := report.Row{Section: "decision, " + lineup.Gate, Unit: report.Nanoseconds}
		for _, door := range contender.Doors() {
			row := row
			row.What, row.Figure, row.Beside, row.Against = door, samples[door], contender.Native, samples[contender.Native]
			if door == contender.Door() {
				row.Target = overNative(lineup.Gate)
				row.Why = "a third of the time is the walk, whose branches share one jump that processors predict worse than native code's own; the rest is " +
					"laying the document flat, validating it and, for effects, its planes' names"
			}
			b.add(row)
		}
		row.What, row.Figure, row.Beside, row.Against = contender.Door(), samples[contender.Door()], contender.NativeUnsafe, samples[contender.NativeUnsafe]
		b.add(row)
		row.Beside, row.Against, row.Faster = contender.StockShipped, samples[contender.StockShipped], true
		b.add(row)
		if err := b.allocations(lineup); err != nil {
			return err
		}
	}
	return nil
}

// allocations measures those of a decision through the main door.
func (b *bench) allocations(lineup *contender.Lineup) error {
	door, _ := lineup.Find(contender.Door())
	figure, err := timing.Allocations(task(door, len(lineup.Documents)))
	if err != nil {
		return err
	}
	b.add(report.Row{Section: "decision, " + lineup.Gate, What: "allocations of " + contender.Door(), Unit: report.Allocations, Figure: timing.Sample{figure}, Target: report.AtMost(0)})
	return nil
}

// bare measures documents that checks without guards can decide, against engines that run just those.
func (b *bench) bare() error {
	lineups, err := contender.Bare(b.program, b.mix)
	if err != nil {
		return err
	}
	for i := range lineups {
		samples, err := b.timed(&lineups[i])
		if err != nil {
			return err
		}
		for _, peer := range []struct {
			name   string
			target report.Target
		}{
			{contender.StockBare, report.AtLeast(1000)},
			{contender.Cedar, report.AtLeast(20)},
			{contender.CEL, report.Target{}},
		} {
			b.add(report.Row{
				Section: "bare checks, " + lineups[i].Gate, Unit: report.Nanoseconds, Faster: true, Target: peer.target,
				Why:  "the door does more than bare checks do, since it also validates and fails closed; the row of native code, which does the same by hand, says how much is left to gain",
				What: contender.Door(), Figure: samples[contender.Door()], Beside: peer.name, Against: samples[peer.name],
			})
		}
		b.add(report.Row{ // how far any decision of the whole contract can get
			Section: "bare checks, " + lineups[i].Gate, Unit: report.Nanoseconds, Faster: true,
			What: contender.Native, Figure: samples[contender.Native], Beside: contender.StockBare, Against: samples[contender.StockBare],
		})
	}
	return nil
}
