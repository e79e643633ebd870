// Package timing measures things that are compared in one run, in interleaved rounds: each round times every task once,
// beginning with another one, so that a machine that slows down slows all of them.
package timing

import (
	"runtime"
	"slices"
	"time"
)

// Task is work that is timed.
type Task struct {
	Name string
	// Run does Units units of work.
	Run   func() error
	Units int
}

// Sample is a figure of each round, in the order of the rounds.
type Sample []float64

// Rounds times tasks, in nanoseconds for a unit of work. In a round each runs at least once, and until it has taken the
// least time.
func Rounds(tasks []Task, rounds int, least time.Duration) ([]Sample, error) {
	samples := make([]Sample, len(tasks))
	for _, task := range tasks {
		if err := task.Run(); err != nil { // warm up
			return nil, err
		}
	}
	for round := range rounds {
		for i := range tasks {
			at := (i + round) % len(tasks)
			figure, err := tasks[at].time(least)
			if err != nil {
				return nil, err
			}
			samples[at] = append(samples[at], figure)
		}
	}
	return samples, nil
}

func (t *Task) time(least time.Duration) (float64, error) {
	runtime.GC() // what others left behind is not for this one to collect
	start, units := time.Now(), 0
	for {
		if err := t.Run(); err != nil {
			return 0, err
		}
		units += t.Units
		if taken := time.Since(start); taken >= least {
			return float64(taken.Nanoseconds()) / float64(units), nil
		}
	}
}

// Repeat is how many runs of a task take the least time, 1 or more.
func Repeat(task Task, least time.Duration) (int, error) {
	start := time.Now()
	for runs := 1; ; runs++ {
		if err := task.Run(); err != nil {
			return 0, err
		}
		if time.Since(start) >= least {
			return runs, nil
		}
	}
}

// Allocations is how often a unit of a task allocates.
func Allocations(task Task) (float64, error) {
	var before, after runtime.MemStats
	if err := task.Run(); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&before)
	err := task.Run()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(task.Units), err
}

// Median is the middle figure, and the lowest and the highest.
func (s Sample) Median() (middle, low, high float64) {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]
}

// Over is the ratio to another sample, round by round.
func (s Sample) Over(other Sample) Sample {
	ratios := make(Sample, len(s))
	for i := range s {
		ratios[i] = s[i] / other[i]
	}
	return ratios
}
