package engine

import (
	"context"
	"fmt"
	"time"
)

// start loads for the first time.
func (l *Live) start(ctx context.Context) error {
	found, err := l.settled(ctx)
	if err != nil {
		return err
	}
	program, err := compileCaught(ctx, nil, found.files, l.watching.options(found.overlays))
	if err != nil {
		return err
	}
	l.tried, l.inForce = &found.digest, found.digest
	l.state.Store(&state{program: program, loadedAt: l.watching.Clock(), loads: 1, watching: l.events.failed})
	return nil
}

// settled looks until the files stay as they are.
func (l *Live) settled(ctx context.Context) (*view, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for range mostLooks {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %s: %w", ErrLoad, l.watching.Directory, context.Cause(ctx))
		case <-timer.C:
		}
		if found, ready := l.look(); ready {
			return found, nil
		}
		timer.Reset(l.watching.Settle)
	}
	return nil, fmt.Errorf("%w: %s: the files changed at every one of %d looks, %s apart", ErrLoad, l.watching.Directory, mostLooks, l.watching.Settle)
}

// follow looks whenever something may have changed, until ctx ends.
func (l *Live) follow(ctx context.Context) {
	defer close(l.done)
	defer func() {
		l.closing = l.events.close()
		l.store(func(s *state) { s.watching = fmt.Errorf("watching has ended: %w", context.Cause(ctx)) })
	}()
	timer := time.NewTimer(l.watching.Poll)
	defer timer.Stop()
	for soon := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-l.events.poke:
			if !soon { // however many events come, there is one look in a time of Settle, and no event puts it off
				soon = true
				timer.Reset(l.watching.Settle)
			}
			continue
		case <-timer.C:
		}
		found, ready := l.look()
		l.store(func(s *state) { s.watching = l.events.failed })
		if ready {
			l.attempt(ctx, found)
		}
		if soon = l.seen != nil; soon {
			timer.Reset(l.watching.Settle)
		} else {
			timer.Reset(l.watching.Poll)
		}
	}
}

// look reads the files; they are ready when they are not what was tried last, and the look before saw the same.
func (l *Live) look() (found *view, ready bool) {
	l.events.arm(l.places) // before reading: what changes after it was read is told
	found = l.read()
	switch {
	case l.tried != nil && found.digest == *l.tried:
		l.seen = nil
	case l.seen != nil && found.digest == *l.seen:
		l.seen = nil
		return found, true
	default:
		l.seen = &found.digest
	}
	return found, false
}

// attempt does everything that can fail before anything is swapped.
func (l *Live) attempt(ctx context.Context, found *view) {
	var program *Program
	var err error
	if found.digest != l.inForce {
		program, err = compileCaught(ctx, l.Program(), found.files, l.watching.options(found.overlays))
	}
	if ctx.Err() != nil {
		return // what a compilation says that was called off is nothing about the files
	}
	l.tried = &found.digest
	previous := l.Program()
	at := l.watching.Clock()
	l.store(func(s *state) {
		s.err, s.failedAt = nil, time.Time{}
		switch {
		case err != nil:
			s.err, s.failedAt = err, at
			s.refused++
		case program != nil:
			s.program, s.loadedAt = program, at
			s.loads++
			l.inForce = found.digest
		}
	})
	l.watching.Reloaded(Reload{Program: l.Program(), Previous: previous, Err: err})
}

// store swaps the state for a changed one; only one goroutine ever does.
func (l *Live) store(change func(*state)) {
	next := *l.state.Load()
	change(&next)
	l.state.Store(&next)
}

// compileCaught is a load that refuses where it would panic: the program in force must go on deciding. It takes over
// what that has compiled, where the rules are the same.
func compileCaught(ctx context.Context, inForce *Program, files *snapshot, o *options) (program *Program, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			problem := Problem{File: o.root, Problem: fmt.Sprintf("the load panicked: %v", caught), Mend: "report it, with these files", Kind: ErrLoad}
			program, err = nil, &LoadError{Problems: []Problem{problem}}
		}
	}()
	return inForce.reload(ctx, files, o)
}
