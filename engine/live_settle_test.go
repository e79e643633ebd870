package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// bubble is a Live that looks every second and wants files to stay for 100 ms, under a clock that only the test moves.
type bubble struct {
	*followed
	directory string
	at        time.Time
}

const settle, poll = 100 * time.Millisecond, time.Second

// inBubble runs a test from the moment at which set 1 was taken.
func inBubble(t *testing.T, test func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{directory: t.TempDir(), at: time.Date(2026, 3, 1, 2, 14, 0, 0, time.UTC)}
		lay(t, b.directory, small(t, 1))
		b.followed = follow(t, engine.WatchWithoutEvents, engine.WatchOptions{Directory: b.directory, Settle: settle, Poll: poll, Clock: func() time.Time { return b.at }})
		test(t, b)
	})
}

// pass lets time go by, and waits until all that it set off is done.
func pass(span time.Duration) {
	<-time.After(span)
	synctest.Wait()
}

func (b *bubble) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(b.directory, filepath.FromSlash(name)), []byte(text), 0o600))
}

// quiet requires that nothing was taken or refused.
func (b *bubble) quiet(t *testing.T) {
	t.Helper()
	require.Empty(t, b.reloads)
	require.NoError(t, b.Status().Err)
	require.Equal(t, 1, decides(t, b))
}

// A file that is written in two halves, with a pause shorter than Settle, is never seen half.
func TestHalfAFileIsNotTaken(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		next := small(t, 2)
		whole := string(next[siteFile].Data)
		b.write(t, siteFile, whole[:len(whole)/2])
		pass(poll + settle/2) // it was looked at once
		b.quiet(t)
		b.write(t, siteFile, whole)
		b.write(t, "thresholds.yaml", string(next["thresholds.yaml"].Data))
		pass(settle) // looked at again, and it is another
		b.quiet(t)
		pass(settle)
		require.Len(t, b.reloads, 1)
		b.untilSet(t, 2)
		require.Zero(t, b.Status().Refused)
	})
}

// A save of several files may pause between any two of them for less than Settle: no mixture comes into force.
func TestASaveOfSeveralFilesIsTakenWhole(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		next := small(t, 2)
		pass(poll - settle/2)
		b.write(t, siteFile, string(next[siteFile].Data)) // from here on the mixture would load
		pass(settle)
		b.quiet(t)
		b.write(t, "thresholds.yaml", string(next["thresholds.yaml"].Data))
		pass(settle)
		b.quiet(t)
		pass(settle)
		b.untilSet(t, 2)
		require.Equal(t, 2, b.Status().Loads)
	})
}

// Files that never rest are not taken, which is no error; once they rest, they are.
func TestFilesThatNeverRestAreNotTaken(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		for i := range 400 {
			b.write(t, "thresholds.yaml", fmt.Sprintf("compaction: {token_ceiling: %d, precedence: []}\n", i))
			pass(settle / 4 * 3)
			b.quiet(t)
		}
		lay(t, b.directory, small(t, 2))
		pass(2 * settle)
		b.untilSet(t, 2)
	})
}

// The same bad files are compiled and told once, however often they are looked at.
func TestBadFilesAreTriedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.write(t, siteFile, "package")
		pass(time.Hour)
		require.Len(t, b.reloads, 1)
		b.untilRefused(t, "rego_parse_error")
		require.Equal(t, 1, b.Status().Refused)
		lay(t, b.directory, small(t, 1))
		pass(time.Hour)
		require.Len(t, b.reloads, 1)
		first := b.Program()
		require.Same(t, first, b.untilSet(t, 1).Previous)
		require.Same(t, first, b.Program())
		require.Equal(t, 1, b.Status().Loads)
	})
}

// Files that nothing reads, and a change that is taken back at once, are no change.
func TestWhatIsNotReadIsNoChange(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		lay(t, b.directory, fstest.MapFS{"README.md": {}, ".site.rego.swp": {}, "a_test.rego": {}, ".git/x.rego": {}, "..data/x.yaml": {}})
		pass(time.Minute)
		b.quiet(t)
		pass(poll - settle/2)
		b.write(t, siteFile, "package")
		pass(settle)
		lay(t, b.directory, small(t, 1))
		pass(time.Minute)
		b.quiet(t)
	})
}

// Age is by the clock that was passed, and starts anew with a program, not with a refusal.
func TestAgeIsThatOfTheProgramInForce(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		start := b.at
		require.Equal(t, start, b.Status().LoadedAt)
		require.Zero(t, b.Status().Age)
		b.at = start.Add(time.Hour)
		b.write(t, siteFile, "package")
		pass(poll + settle)
		require.Equal(t, time.Hour, b.Status().Age)
		require.Equal(t, start.Add(time.Hour), b.Status().FailedAt)
		b.at = start.Add(2 * time.Hour)
		lay(t, b.directory, small(t, 2))
		pass(poll + settle)
		b.at = start.Add(2*time.Hour + time.Second)
		require.Equal(t, start.Add(2*time.Hour), b.Status().LoadedAt)
		require.Equal(t, time.Second, b.Status().Age)
		require.Zero(t, b.Status().FailedAt)
		b.at = start
		require.Zero(t, b.Status().Age, "a clock that was set back gives no negative age")
	})
}

// A service that starts while its files are being laid waits for them, and gives up when they never rest.
func TestStartingWaitsForFilesToRest(t *testing.T) {
	type answer struct {
		live *engine.Live
		err  error
	}
	start := func(ctx context.Context, directory string) <-chan answer {
		answers := make(chan answer, 1)
		go func() {
			live, err := engine.WatchWithoutEvents(ctx, engine.WatchOptions{Directory: directory, Settle: settle, Poll: poll, Clock: func() time.Time { return time.Time{} }})
			answers <- answer{live, err}
		}()
		synctest.Wait()
		return answers
	}
	t.Run("rest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			directory := filepath.Join(t.TempDir(), "p")
			answers := start(t.Context(), directory)
			pass(settle / 2)
			lay(t, directory, small(t, 1))
			pass(settle)
			require.Empty(t, answers)
			pass(settle)
			got := <-answers
			require.NoError(t, got.err)
			require.Equal(t, 1, decides(t, got.live))
			require.NoError(t, got.live.Close())
		})
	})
	t.Run("never", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			directory := t.TempDir()
			answers := start(t.Context(), directory)
			for i := range 99 {
				require.Empty(t, answers)
				lay(t, directory, fstest.MapFS{"x.yaml": {Data: []byte(strings.Repeat("#", i))}})
				pass(settle)
			}
			got := <-answers
			require.ErrorIs(t, got.err, engine.ErrLoad)
			require.ErrorContains(t, got.err, directory+": the files changed at every one of 100 looks, 100ms apart")
		})
	})
	t.Run("called off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			answers := start(ctx, t.TempDir())
			cancel()
			got := <-answers
			require.ErrorIs(t, got.err, engine.ErrLoad)
			require.ErrorIs(t, got.err, context.Canceled)
		})
	})
}

// The end of the context ends watching and nothing else.
func TestAnEndedContextEndsWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		lay(t, directory, small(t, 1))
		ctx, cancel := context.WithCancelCause(t.Context())
		live := follow(t, func(_ context.Context, w engine.WatchOptions) (*engine.Live, error) {
			return engine.WatchWithoutEvents(ctx, w)
		}, engine.WatchOptions{Directory: directory, Settle: settle, Poll: poll})
		require.EqualError(t, live.Status().WatchErr, "no events: too many open files")
		lay(t, directory, small(t, 2))
		pass(poll) // seen, and not yet taken
		cancel(os.ErrProcessDone)
		pass(time.Minute)
		require.Empty(t, live.reloads)
		require.ErrorIs(t, live.Status().WatchErr, os.ErrProcessDone)
		require.ErrorContains(t, live.Status().WatchErr, "watching has ended")
		require.NoError(t, live.Status().Err)
		require.NoError(t, live.Close())
		require.NoError(t, live.Close())
		require.Equal(t, 1, decides(t, live))
	})
}
