package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

const never = time.Hour

// followed is a Live whose reloads a test waits for.
type followed struct {
	*engine.Live
	reloads chan engine.Reload
}

// follow watches as a service would, and closes with the test.
func follow(t *testing.T, watch func(context.Context, engine.WatchOptions) (*engine.Live, error), w engine.WatchOptions) *followed {
	t.Helper()
	f := &followed{reloads: make(chan engine.Reload, 1000)}
	w.Reloaded = func(reload engine.Reload) { f.reloads <- reload }
	if w.Clock == nil {
		w.Clock = func() time.Time { return time.Time{} }
	}
	if w.Timeout == 0 {
		w.Timeout = time.Hour // a machine that stands still for a second says nothing about a program
	}
	live, err := watch(t.Context(), w)
	require.NoError(t, err)
	f.Live = live
	t.Cleanup(func() { require.NoError(t, live.Close()) })
	return f
}

// until waits for a reload that is wanted; a slow machine can have seen files half way.
func (f *followed) until(t *testing.T, what string, wanted func(engine.Reload) bool) engine.Reload {
	t.Helper()
	last := "none"
	for patience := time.After(time.Minute); ; {
		select {
		case reload := <-f.reloads:
			require.NotNil(t, reload.Program)
			if wanted(reload) {
				return reload
			}
			if last = "a program"; reload.Err != nil {
				last = reload.Err.Error()
			}
		case <-patience:
			require.FailNow(t, "no reload", "of %s; the last one: %s", what, last)
		}
	}
}

// untilSet waits until a set is in force, and decides.
func (f *followed) untilSet(t *testing.T, number int) engine.Reload {
	t.Helper()
	reload := f.until(t, "a good set", func(reload engine.Reload) bool {
		decision, err := reload.Program.Decide(t.Context(), siteDocument())
		require.NoError(t, err)
		shown, err := numberOf(decision) // an error where a slow machine paused between two files for longer than Settle
		return reload.Err == nil && err == nil && shown == number
	})
	require.Equal(t, number, decides(t, f))
	require.NoError(t, f.Status().Err)
	require.Zero(t, f.Status().FailedAt)
	require.Equal(t, reload.Program.Revision(), f.Status().Revision)
	return reload
}

// untilRefused waits until files are refused for a reason.
func (f *followed) untilRefused(t *testing.T, says string) engine.Reload {
	t.Helper()
	reload := f.until(t, "a refusal", func(reload engine.Reload) bool {
		return reload.Err != nil && strings.Contains(reload.Err.Error(), says)
	})
	require.ErrorIs(t, reload.Err, engine.ErrLoad)
	require.Same(t, reload.Previous, reload.Program)
	require.EqualError(t, f.Status().Err, reload.Err.Error())
	return reload
}

type decider interface {
	Decide(context.Context, inputs.Document) (engine.Decision, error)
}

// decides is the number of the set that decides.
func decides(t *testing.T, by decider) int {
	t.Helper()
	decision, err := by.Decide(t.Context(), siteDocument())
	require.NoError(t, err)
	number, err := numberOf(decision)
	require.NoError(t, err)
	return number
}

// lay writes files below a folder, each in place.
func lay(t *testing.T, folder string, files fstest.MapFS) {
	t.Helper()
	for name, file := range files {
		place := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(place), 0o700))
		require.NoError(t, os.WriteFile(place, file.Data, 0o600))
	}
}

// link leads a name to a target at once, as ln -sfn does not.
func link(t *testing.T, target, name string) {
	t.Helper()
	require.NoError(t, os.Symlink(target, name+".new"))
	require.NoError(t, os.Rename(name+".new", name))
}

// However files change, it is noticed by events alone and by looking alone, and so is the change after it.
func TestEveryWayOfChangingIsNoticed(t *testing.T) {
	for _, way := range ways() {
		for _, by := range sights() {
			t.Run(way.name+" by "+by.name, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				way.lay(t, root)
				directory := root + "/" + way.directory
				live := follow(t, by.watch, engine.WatchOptions{Directory: directory, Settle: 5 * time.Millisecond, Poll: by.poll})
				first := live.Program()
				require.Equal(t, 1, decides(t, live))
				require.Equal(t, by.blind, live.Status().WatchErr != nil)
				way.change(t, root)
				live.untilSet(t, 2)
				require.Equal(t, 1, decides(t, first), "a program never changes")
				requireRevisionOf(t, live, directory)

				real, err := filepath.EvalSymlinks(directory)
				require.NoError(t, err)
				overwrite(t, real, "100002", "100003", "site_2", "site_3", "act_2", "act_3", ":= 2", ":= 3")
				live.untilSet(t, 3)
				requireRevisionOf(t, live, directory)
			})
		}
	}
}

type sight struct {
	name  string
	watch func(context.Context, engine.WatchOptions) (*engine.Live, error)
	poll  time.Duration
	blind bool
}

// sights are the two ways of noticing, each without the other.
func sights() []sight {
	return []sight{{"events", engine.Watch, never, false}, {"looking", engine.WatchWithoutEvents, 5 * time.Millisecond, true}}
}

// overwrite replaces words in every file below a folder and behind its links, in place.
func overwrite(t *testing.T, folder string, words ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		place := filepath.Join(folder, entry.Name())
		info, err := os.Stat(place)
		require.NoError(t, err)
		if info.IsDir() {
			overwrite(t, place, words...)
			continue
		}
		text, err := os.ReadFile(place)
		require.NoError(t, err)
		if changed := strings.NewReplacer(words...).Replace(string(text)); changed != string(text) {
			require.NoError(t, os.WriteFile(place, []byte(changed), 0o600))
		}
	}
}

// requireRevisionOf holds a Live against what Compile makes of the same files.
func requireRevisionOf(t *testing.T, live *followed, directory string, options ...engine.Option) {
	t.Helper()
	want := compile(t, os.DirFS(directory), append(options, engine.Named(directory))...)
	require.Equal(t, want.Revision(), live.Status().Revision)
	require.Equal(t, want.Thresholds(), live.Program().Thresholds())
	require.Equal(t, want.Warnings(), live.Program().Warnings())
	require.Equal(t, want.Checks("compaction"), live.Program().Checks("compaction"))
}

// Overlays are files like the others, wherever they lie.
// Of link/../o.yaml the system means a neighbour of what the link leads to, and so does the command line.
func TestOverlaysAreReadWhereTheSystemFindsThem(t *testing.T) {
	root := t.TempDir()
	lay(t, filepath.Join(root, "p"), small(t, 1))
	lay(t, root, fstest.MapFS{
		"here/o.yaml":     {Data: []byte("compaction: {token_ceiling: 1}\n")},
		"real/o.yaml":     {Data: []byte("compaction: {token_ceiling: 2}\n")},
		"real/sub/x.yaml": {Data: []byte("{}\n")},
	})
	link(t, filepath.Join(root, "real", "sub"), filepath.Join(root, "here", "link"))
	overlay := root + "/here/link/../o.yaml"
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: filepath.Join(root, "p"), Overlays: []string{overlay}, Settle: 5 * time.Millisecond, Poll: never})
	text, err := os.ReadFile(overlay)
	require.NoError(t, err)
	requireRevisionOf(t, live, filepath.Join(root, "p"), engine.Overlay(overlay, text))
}

func TestOverlaysAreFollowed(t *testing.T) {
	for _, by := range sights() {
		t.Run("by "+by.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			directory, outer, inner := filepath.Join(root, "p"), filepath.Join(root, "o", "outer.yaml"), filepath.Join(root, "c", "inner.yaml")
			lay(t, directory, small(t, 1))
			ceiling := func(number string) []byte { return []byte("compaction: {token_ceiling: " + number + "}\n") }
			lay(t, root, fstest.MapFS{"o/outer.yaml": {Data: ceiling("7")}})
			mount(t, filepath.Join(root, "c"), "..1", fstest.MapFS{"inner.yaml": {Data: ceiling("8")}})
			live := follow(t, by.watch, engine.WatchOptions{Directory: directory, Overlays: []string{outer, inner}, Settle: 5 * time.Millisecond, Poll: by.poll})
			limit := func(program *engine.Program) string {
				decision, err := program.Decide(t.Context(), siteDocument())
				require.NoError(t, err)
				return decision.Violations[0].Limit.String()
			}
			require.Equal(t, "8", limit(live.Program()), "later ones win")
			requireRevisionOf(t, live, directory, engine.Overlay(outer, ceiling("7")), engine.Overlay(inner, ceiling("8")))
			until := func(want string) {
				live.until(t, "a limit", func(reload engine.Reload) bool { return reload.Err == nil && limit(reload.Program) == want })
				require.NoError(t, live.Status().Err)
			}

			mount(t, filepath.Join(root, "c"), "..2", fstest.MapFS{"inner.yaml": {Data: ceiling("9")}})
			until("9")
			require.NoError(t, os.Remove(filepath.Join(root, "c", "inner.yaml")))
			live.untilRefused(t, "inner.yaml: no such file or directory; an overlay must be there and readable")
			require.Equal(t, "9", limit(live.Program()))
			link(t, "..data/inner.yaml", inner)
			until("9")
			require.Equal(t, 2, live.Status().Loads, "going back to what is in force compiles nothing")
			require.NoError(t, os.Remove(inner))
			live.untilRefused(t, inner)
			require.NoError(t, os.WriteFile(inner, []byte("compaction: {max_retries: 1}\n"), 0o600))
			live.untilRefused(t, inner+":1:27: compaction.max_retries: unknown threshold")
			require.NoError(t, os.WriteFile(inner, []byte("compaction: {precedence: []}\n"), 0o600))
			until("7")
			require.NoError(t, os.RemoveAll(filepath.Join(root, "o")))
			live.untilRefused(t, outer)
			require.Equal(t, by.blind, live.Status().WatchErr != nil, "what is not there needs no watch")
			lay(t, root, fstest.MapFS{"o/outer.yaml": {Data: ceiling("10")}})
			until("10")
		})
	}
}

// A directory is named as the caller wrote it, and is the same one after the service has changed its own.
func TestARelativeDirectoryStaysTheSame(t *testing.T) {
	root := t.TempDir()
	lay(t, filepath.Join(root, "p"), small(t, 1))
	lay(t, root, fstest.MapFS{"o.yaml": {Data: []byte("compaction: {precedence: []}\n")}})
	t.Chdir(root)
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: "./p/", Overlays: []string{"o.yaml"}, Settle: 5 * time.Millisecond, Poll: never})
	t.Chdir(t.TempDir())
	lay(t, filepath.Join(root, "p"), fstest.MapFS{"compaction/site.rego": {Data: []byte("package")}})
	live.untilRefused(t, "p/compaction/site.rego:1:")
	require.NotContains(t, live.Status().Err.Error(), root)
	lay(t, filepath.Join(root, "p"), small(t, 2))
	live.untilSet(t, 2)
}

// Files beside those that are read may change without end: a change of the others is taken all the same.
func TestEventsWithoutEndPutNothingOff(t *testing.T) {
	directory := t.TempDir()
	lay(t, directory, small(t, 1))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Settle: 50 * time.Millisecond, Poll: never})
	ctx, cancel := context.WithCancel(t.Context())
	var noise sync.WaitGroup
	noise.Go(func() {
		for ctx.Err() == nil {
			_ = os.WriteFile(filepath.Join(directory, ".log"), []byte("noise"), 0o600)
		}
	})
	defer noise.Wait()
	defer cancel()
	lay(t, directory, small(t, 2))
	live.untilSet(t, 2)
}

// What a service does with a Live, all at once, is for the race detector.
func TestALiveIsSafeForConcurrentUse(t *testing.T) {
	directory := t.TempDir()
	lay(t, directory, small(t, 1))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Settle: time.Millisecond, Poll: time.Millisecond})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				_, _ = live.Decide(t.Context(), siteDocument())
				_, _ = live.Status(), live.Program().Revision()
			}
			_ = live.Close()
		})
	}
	lay(t, directory, small(t, 2))
	all.Wait()
	require.ErrorIs(t, live.Status().WatchErr, context.Canceled)
}
