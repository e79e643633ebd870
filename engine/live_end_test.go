package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// Whatever way watching ends or does not begin, no goroutine of it is left.
func TestNothingRunsOnAfterClose(t *testing.T) {
	good, bad := t.TempDir(), t.TempDir()
	lay(t, good, small(t, 1))
	clock := func() time.Time { return time.Time{} }
	for _, by := range sights() {
		t.Run("by "+by.name, func(t *testing.T) {
			for range 10 {
				live, err := by.watch(t.Context(), engine.WatchOptions{Directory: good, Settle: time.Millisecond, Clock: clock})
				require.NoError(t, err)
				lay(t, good, fstest.MapFS{"compaction/site.rego": {Data: []byte("package")}})
				lay(t, good, small(t, 1))
				require.NoError(t, live.Close())
				require.NoError(t, live.Close())
				_, err = by.watch(t.Context(), engine.WatchOptions{Directory: bad, Settle: time.Millisecond, Clock: clock})
				require.ErrorIs(t, err, engine.ErrLoad)
				ctx, cancel := context.WithCancel(t.Context())
				live, err = by.watch(ctx, engine.WatchOptions{Directory: good, Settle: time.Millisecond, Clock: clock})
				require.NoError(t, err)
				cancel()
				require.NoError(t, live.Close())
			}
			requireNoneLeft(t)
		})
	}
}

// requireNoneLeft looks for the goroutines by what they run; one that has told its end may still be on its last line.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	for patience := time.After(time.Minute); ; runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if !strings.Contains(string(stacks), "engine.(*Live)") && !strings.Contains(string(stacks), "engine.(*events)") && !strings.Contains(string(stacks), "fsnotify.(*") {
			return
		}
		select {
		case <-patience:
			require.FailNow(t, "a goroutine is left", string(stacks))
		default:
		}
	}
}

// A watcher that takes no watches is said so, looking goes on, and so does asking for one that could not be had.
func TestEventsThatFailAreToldAndDoWithout(t *testing.T) {
	directory := t.TempDir()
	lay(t, directory, small(t, 1))
	watching := engine.WatchOptions{Directory: directory, Settle: time.Millisecond, Poll: time.Millisecond}
	by := func(open func() (*fsnotify.Watcher, error)) func(context.Context, engine.WatchOptions) (*engine.Live, error) {
		return func(ctx context.Context, w engine.WatchOptions) (*engine.Live, error) {
			return engine.WatchBy(ctx, w, open)
		}
	}
	t.Run("no watches", func(t *testing.T) {
		live := follow(t, by(func() (*fsnotify.Watcher, error) {
			watcher, err := fsnotify.NewWatcher()
			require.NoError(t, err)
			return watcher, watcher.Close()
		}), watching)
		require.ErrorIs(t, live.Status().WatchErr, fsnotify.ErrClosed)
		require.ErrorContains(t, live.Status().WatchErr, "no events of "+string(filepath.Separator))
		lay(t, directory, small(t, 2))
		live.untilSet(t, 2)
		require.ErrorIs(t, live.Status().WatchErr, fsnotify.ErrClosed)
	})
	t.Run("none at first", func(t *testing.T) {
		var enough atomic.Bool
		live := follow(t, by(func() (*fsnotify.Watcher, error) {
			if enough.Load() {
				return fsnotify.NewWatcher()
			}
			return nil, errors.New("too many open files")
		}), watching)
		require.EqualError(t, live.Status().WatchErr, "no events: too many open files")
		enough.Store(true)
		for patience := time.After(time.Minute); live.Status().WatchErr != nil; runtime.Gosched() {
			select {
			case <-patience:
				require.FailNow(t, "no events came back")
			default:
			}
		}
		lay(t, directory, small(t, 3))
		live.untilSet(t, 3)
	})
}

// fsnotify tells an error under its own lock when a folder is gone before its move was told; whoever both reads its
// channels and adds watches would wait for ever.
func TestFoldersThatAreMovedAndRemovedAtOnce(t *testing.T) {
	root := t.TempDir()
	directory := filepath.Join(root, "p")
	lay(t, directory, small(t, 1))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Settle: time.Millisecond, Poll: never})
	for i := range 300 {
		files := small(t, 2+i)
		lay(t, filepath.Join(root, "new"), files)
		require.NoError(t, os.Rename(directory, filepath.Join(root, "old")))
		require.NoError(t, os.Rename(filepath.Join(root, "new"), directory))
		require.NoError(t, os.RemoveAll(filepath.Join(root, "old")))
	}
	live.untilSet(t, 301)
}

// Closing calls off a compilation, and what that says is nothing about the files.
func TestCloseDoesNotWaitForACompilation(t *testing.T) {
	directory := t.TempDir()
	lay(t, directory, small(t, 1))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Settle: time.Millisecond, Poll: never})
	endless := strings.Replace(slowly, "quick if not slow\n", "", 1) // not even an empty document is decided in time
	endless = strings.Replace(endless, "slow if input.class == \"slow\"\n", "", 1)
	lay(t, directory, fstest.MapFS{"slow.rego": {Data: []byte(endless)}})
	select {
	case reload := <-live.reloads:
		require.Fail(t, "a gate without an end was taken or refused", "%v", reload.Err)
	case <-time.After(500 * time.Millisecond): // it is being proved by now, which takes ten seconds
	}
	require.NoError(t, live.Close())
	require.Empty(t, live.reloads)
	require.NoError(t, live.Status().Err)
	require.Equal(t, 1, decides(t, live))
}

// A panic of the compiler is a refusal, since the program in force must go on deciding.
func TestAPanicIsARefusal(t *testing.T) {
	program, err := engine.CompileOfNothing(t.Context(), "p")
	require.Nil(t, program)
	var refused *engine.LoadError
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, engine.ErrLoad)
	require.ErrorContains(t, err, "p: the load panicked: runtime error: invalid memory address")
}
