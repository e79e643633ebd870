package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/admitctl/admitctl/bench/contender"
	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/bench/scale"
	"github.com/admitctl/admitctl/bench/timing"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

// cores measures two goroutines on two cores against the same work on one.
func (b *bench) cores() error {
	tasks, err := coreTasks(b.program, b.mix, b.least)
	if err != nil {
		return err
	}
	samples, err := timing.Rounds(tasks, b.rounds, b.least)
	if err != nil {
		return err
	}
	b.add(report.Row{
		Section: "two cores", Unit: report.Nanoseconds, Faster: true, Target: report.AtLeast(1.8),
		What: tasks[1].Name, Figure: samples[1], Beside: tasks[0].Name, Against: samples[0],
	})
	return nil
}

// coreTasks are the same work on one core and on two, for the least time.
func coreTasks(program *engine.Program, n int, least time.Duration) ([]timing.Task, error) {
	fences := contender.Documents(mix.Take(n, mix.New(1).Fence))
	workers := []contender.Contender{contender.Main(program, fences), contender.Main(program, fences)}
	passes, err := timing.Repeat(task(workers[0], len(fences)), least) // starting goroutines is then nothing
	if err != nil {
		return nil, err
	}
	return []timing.Task{
		{Name: "two goroutines, GOMAXPROCS=1", Units: 2 * passes * len(fences), Run: parallel(1, workers, passes)},
		{Name: "two goroutines, GOMAXPROCS=2", Units: 2 * passes * len(fences), Run: parallel(2, workers, passes)},
	}, nil
}

// parallel runs workers side by side on so many cores.
func parallel(cores int, workers []contender.Contender, passes int) func() error {
	return func() error {
		before := runtime.GOMAXPROCS(cores)
		defer runtime.GOMAXPROCS(before)
		var all sync.WaitGroup
		for _, worker := range workers {
			all.Go(func() {
				for range passes {
					worker.Pass()
				}
			})
		}
		all.Wait()
		return nil
	}
}

// manyPlanes measures the fence with many planes in the thresholds against three.
func (b *bench) manyPlanes() error {
	tasks, err := planeTasks(b.program, b.mix, b.planes)
	if err != nil {
		return err
	}
	samples, err := timing.Rounds(tasks, b.rounds, b.least)
	if err != nil {
		return err
	}
	for i := range tasks[1:] {
		b.add(report.Row{
			Section: "many planes", Unit: report.Nanoseconds, Target: report.AtMost(1.3),
			Why:  "names from all over a map of that size are no longer in the processor's caches, and every one of them has to come from memory",
			What: tasks[i+1].Name, Figure: samples[i+1], Beside: tasks[0].Name, Against: samples[0],
		})
	}
	return nil
}

// planeTasks are fences with three planes in the thresholds, and with many, of which documents name a few or all.
func planeTasks(few *engine.Program, n, planes int) ([]timing.Task, error) {
	many, err := engine.Compile(context.Background(), policies.Files, engine.Overlay("planes.yaml", scale.Overlay(planes)))
	if err != nil {
		return nil, err
	}
	five := contender.Documents(mix.Take(n, mix.New(1).Fence))
	all := contender.Documents(mix.Take(n, mix.Over(1, scale.Planes(planes)).Fence))
	tasks := []timing.Task{task(contender.Main(few, five), n), task(contender.Main(many, five), n), task(contender.Main(many, all), n)}
	tasks[0].Name = "3 planes"
	tasks[1].Name = fmt.Sprintf("%d planes, documents that name five", planes)
	tasks[2].Name = fmt.Sprintf("%d planes, documents that name any", planes)
	return tasks, nil
}

// manyChecks measures compaction with 14 more checks against the shipped ones.
func (b *bench) manyChecks() error {
	tasks, err := checkTasks(b.program, b.mix)
	if err != nil {
		return err
	}
	samples, err := timing.Rounds(tasks, b.rounds, b.least)
	if err != nil {
		return err
	}
	b.add(report.Row{
		Section: "many checks", Unit: report.Nanoseconds, Target: report.AtMost(3),
		What: tasks[1].Name, Figure: samples[1], Beside: tasks[0].Name, Against: samples[0],
	})
	return nil
}

// checkTasks are compaction as shipped, and with 14 more checks.
func checkTasks(shipped *engine.Program, n int) ([]timing.Task, error) {
	files, err := scale.Checks(policies.Files, 14)
	if err != nil {
		return nil, err
	}
	more, err := engine.Compile(context.Background(), files)
	if err != nil {
		return nil, err
	}
	documents := contender.Documents(mix.Take(n, mix.New(1).Compaction))
	tasks := []timing.Task{task(contender.Main(shipped, documents), n), task(contender.Main(more, documents), n)}
	tasks[0].Name, tasks[1].Name = "compaction as shipped", "compaction with 14 more checks"
	return tasks, nil
}
