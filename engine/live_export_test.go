package engine

import (
	"context"
	"errors"

	"github.com/fsnotify/fsnotify"
)

// WatchBy is [Watch] with the events that open gives.
func WatchBy(ctx context.Context, w WatchOptions, open func() (*fsnotify.Watcher, error)) (*Live, error) {
	return watch(ctx, w, open)
}

// WatchWithoutEvents is [Watch] where the system has no events to give.
func WatchWithoutEvents(ctx context.Context, w WatchOptions) (*Live, error) {
	return watch(ctx, w, func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") })
}

// CompileOfNothing compiles what take never gives, and would panic.
func CompileOfNothing(ctx context.Context, root string) (*Program, error) {
	return compileCaught(ctx, nil, nil, &options{root: root})
}
