package main

import (
	"context"
	"sync"
)

// pipeline decides batches on several cores and prints them in the order in which they were put in. However much goes
// through, it holds no more than a few batches for each core: who puts in waits for who prints.
type pipeline struct {
	ctx     context.Context // ends with the first failure too
	cancel  context.CancelCauseFunc
	workers []*worker
	print   func(*batch) error

	free    chan *batch // all that nobody uses
	todo    chan *batch // those that wait for a worker
	ordered chan *batch // those that are not printed yet, in order

	running sync.WaitGroup
	mutex   sync.Mutex
	failure error // the first, in the order of the batches
}

// newPipeline starts the workers, and whoever prints. A single worker needs no goroutines: put does all.
func newPipeline(ctx context.Context, workers []*worker, print func(*batch) error) *pipeline {
	batches := 2*len(workers) + 1 // so that nobody waits for the one that is printed
	if len(workers) == 1 {
		batches = 1
	}
	p := &pipeline{workers: workers, print: print, free: make(chan *batch, batches)}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	for range batches {
		p.free <- &batch{decided: make(chan struct{}, 1)}
	}
	if batches == 1 {
		return p
	}
	p.todo, p.ordered = make(chan *batch, batches), make(chan *batch, batches)
	for _, w := range workers {
		p.running.Go(func() {
			for b := range p.todo {
				w.work(p.ctx, b)
				b.decided <- struct{}{}
			}
		})
	}
	p.running.Go(func() {
		for b := range p.ordered {
			<-b.decided
			p.finish(b)
		}
	})
	return p
}

// take gives an empty batch, once there is one.
func (p *pipeline) take(file string) *batch {
	b := <-p.free
	b.reset(file)
	return b
}

// put hands a batch on, which is the pipeline's then. It reports a failure, whichever batch that is of: nothing is
// printed after it.
func (p *pipeline) put(b *batch) error {
	if p.todo == nil {
		p.workers[0].work(p.ctx, b)
		p.finish(b)
	} else {
		p.ordered <- b
		p.todo <- b
	}
	return p.failed()
}

// finish prints a batch, unless one before it failed.
func (p *pipeline) finish(b *batch) {
	if p.failed() == nil {
		err := p.print(b)
		if err == nil {
			err = b.stopped
		}
		if err != nil {
			p.fail(err)
		}
	}
	p.free <- b
}

func (p *pipeline) fail(err error) {
	p.mutex.Lock()
	p.failure = err
	p.mutex.Unlock()
	p.cancel(err) // which ends the wait for more input, and the work on what nobody will see
}

func (p *pipeline) failed() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.failure
}

// close waits until all is printed, and gives the failure, or what else went wrong.
func (p *pipeline) close(otherwise error) error {
	if p.todo != nil {
		close(p.todo)
		close(p.ordered)
		p.running.Wait()
	}
	p.cancel(nil)
	if p.failure != nil {
		return p.failure
	}
	return otherwise
}
