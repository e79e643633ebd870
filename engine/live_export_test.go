package engine

import (
	"context"
	"errors"

	"github.com/fsnotify/fsnotify"
)

// WatchWithoutEvents is [Watch] where the system has no more watches to give.
func WatchWithoutEvents(ctx context.Context, w Watching) (*Live, error) {
	return watch(ctx, w, func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") })
}
