package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/bench/timing"
	"github.com/admitctl/admitctl/engine"
)

// Every section that needs no binary of OPA's runs, on next to nothing: that the table can be written, not what it says.
func TestTableIsWritten(t *testing.T) {
	var page, log bytes.Buffer
	err := run([]string{"-only", "decisions,bare,cores,planes,checks,stream,load,reload", "-rounds", "1", "-least", "1ms", "-mix", "30", "-documents", "60", "-planes", "10"}, &page, &log)
	require.NoError(t, err, log.String())
	for _, part := range []string{"decision, fence.bind", "bare checks, fanout", "two cores", "10 planes", "14 more checks", "stream of 60 documents", "load", "reload", "## Slower than it should be"} {
		require.Contains(t, page.String(), part)
	}
}

func TestUnknownSectionIsRefused(t *testing.T) {
	require.ErrorContains(t, run([]string{"-only", "decision"}, &bytes.Buffer{}, &bytes.Buffer{}), `no section "decision"`)
}

// The benchmarks below are what the table is made of, for benchstat; decisions are those of package contender.

func BenchmarkCores(b *testing.B) {
	tasks, err := coreTasks(shipped(b), 1000, 50*time.Millisecond)
	require.NoError(b, err)
	benchmark(b, tasks)
}

func BenchmarkPlanes(b *testing.B) {
	tasks, err := planeTasks(shipped(b), 1000, 100_000)
	require.NoError(b, err)
	benchmark(b, tasks)
}

func BenchmarkChecks(b *testing.B) {
	tasks, err := checkTasks(shipped(b), 1000)
	require.NoError(b, err)
	benchmark(b, tasks)
}

func BenchmarkLoad(b *testing.B) { benchmark(b, loadTasks()) }

func BenchmarkReload(b *testing.B) {
	program := shipped(b)
	for _, planes := range []int{10, 1000, 100_000} {
		tasks, err := reloadTasks(program, planes)
		require.NoError(b, err)
		benchmark(b, tasks)
	}
}

func shipped(b *testing.B) *engine.Program {
	program, err := compile()
	require.NoError(b, err)
	return program
}

// benchmark times each task, and reports what a unit of it takes.
func benchmark(b *testing.B, tasks []timing.Task) {
	for _, task := range tasks {
		b.Run(task.Name, func(b *testing.B) {
			b.ReportAllocs()
			units := 0
			for b.Loop() {
				require.NoError(b, task.Run())
				units += task.Units
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(units), "ns/unit")
		})
	}
}
