package engine_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// goodSets is how many distinct sets come into force one after another; a third of them come after a bad one, so that of
// all sets one in four is bad.
var goodSets = flag.Int("good-sets", 204, "the sets that TestReloadUnderFire puts into force")

// half stands for a file of rules that somebody is still writing: while it is there, nothing loads.
const half = "package admission.compaction\n\nsite if"

// fire is a directory behind a link whose sets are swapped while others decide.
type fire struct {
	root    string
	version int
	holds   fstest.MapFS // what the directory holds now
}

func (f *fire) directory() string { return filepath.Join(f.root, "current") }

// swap lays a set into a new directory, and leads the link to it.
func (f *fire) swap(t *testing.T, files fstest.MapFS) {
	t.Helper()
	old := fmt.Sprintf("v%d", f.version)
	f.version++
	next := fmt.Sprintf("v%d", f.version)
	require.NoError(t, os.MkdirAll(filepath.Join(f.root, next), 0o700))
	lay(t, filepath.Join(f.root, next), files)
	link(t, next, f.directory())
	require.NoError(t, os.RemoveAll(filepath.Join(f.root, old)))
	f.holds = files
}

// edit makes a set of the one before file by file, the rules that show its number half first and whole last, so that
// no state between is a set: a Live must not take it, however long this goroutine has to wait for its turn.
func (f *fire) edit(t *testing.T, files fstest.MapFS, write func(t *testing.T, place string, text []byte)) {
	t.Helper()
	place := func(name string) string { return filepath.Join(f.directory(), filepath.FromSlash(name)) }
	require.NoError(t, os.MkdirAll(filepath.Dir(place(siteFile)), 0o700))
	write(t, place(siteFile), []byte(half))
	for name, file := range files {
		if known := f.holds[name]; name != siteFile && (known == nil || !bytes.Equal(known.Data, file.Data)) {
			require.NoError(t, os.MkdirAll(filepath.Dir(place(name)), 0o700))
			write(t, place(name), file.Data)
		}
	}
	for name := range f.holds {
		if files[name] == nil && name != siteFile {
			require.NoError(t, os.Remove(place(name)))
		}
	}
	if files[siteFile] == nil {
		require.NoError(t, os.Remove(place(siteFile)))
	} else {
		write(t, place(siteFile), files[siteFile].Data)
	}
	f.holds = files
}

func inPlace(t *testing.T, place string, text []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(place, text, 0o600))
}

func byRename(t *testing.T, place string, text []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(place+".tmp", text, 0o600))
	require.NoError(t, os.Rename(place+".tmp", place))
}

// change makes a set the current one, each time in another way.
func (f *fire) change(t *testing.T, turn int, files fstest.MapFS) {
	t.Helper()
	switch turn % 3 {
	case 0:
		f.edit(t, files, inPlace)
	case 1:
		f.edit(t, files, byRename)
	case 2:
		f.swap(t, files)
	}
}

// deciders decide without pause, and keep which set decided under which revision.
type deciders struct {
	stop  atomic.Bool
	all   sync.WaitGroup
	mu    sync.Mutex
	seen  map[string]int // number of a set by revision
	count int
	wrong error
}

func (d *deciders) start(t *testing.T, by decider) {
	d.seen = map[string]int{}
	for range 4 {
		d.all.Go(func() {
			for ; !d.stop.Load(); runtime.Gosched() { // without pause, and without keeping the others from their turn
				decision, err := by.Decide(t.Context(), siteDocument())
				if err == nil {
					err = d.keep(decision)
				}
				if err != nil {
					d.fail(err)
					return
				}
			}
		})
	}
}

// keep wants the check and the threshold of a decision to be of one set, and always of the same under one revision.
func (d *deciders) keep(decision engine.Decision) error {
	number, err := numberOf(decision)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	if known, ok := d.seen[decision.Policy.Revision]; ok && known != number {
		return fmt.Errorf("revision %s decided as set %d and as set %d", decision.Policy.Revision, known, number)
	}
	d.seen[decision.Policy.Revision] = number
	return nil
}

func (d *deciders) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wrong = err
}

// One set after another comes, good and bad, in every way, while others decide: every decision is by one good set
// and by the whole of it, every good set comes into force, no bad one does, and the counts are exact.
func TestReloadUnderFire(t *testing.T) {
	f := &fire{root: t.TempDir()}
	f.swap(t, small(t, 0))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: f.directory(), Settle: 3 * time.Millisecond, Poll: never})
	revisions := map[string]int{live.Program().Revision(): 0}
	fire := &deciders{}
	fire.start(t, live)
	defer func() {
		fire.stop.Store(true)
		fire.all.Wait()
	}()

	turn, bad, refused := 0, 0, 0
	last := live.Program()
	next := func(files fstest.MapFS, done func(engine.Reload) bool) engine.Reload {
		f.change(t, turn, files)
		before := refused
		reload := live.until(t, fmt.Sprintf("turn %d", turn), func(reload engine.Reload) bool {
			if reload.Err != nil {
				refused++
				require.Same(t, last, reload.Program)
			}
			return done(reload)
		})
		if turn%3 == 2 && reload.Err != nil {
			require.Equal(t, before+1, refused, "a swap is seen once, and whole")
		}
		turn++
		return reload
	}
	for number := 1; number < *goodSets; number++ {
		if number%3 == 0 {
			how := spoils()[bad%len(spoils())]
			bad++
			next(spoil(t, 1_000_000+number, how), func(reload engine.Reload) bool {
				return reload.Err != nil && bytes.Contains([]byte(reload.Err.Error()), []byte(how.says))
			})
			require.ErrorIs(t, live.Status().Err, how.kind, how.name)
			require.Same(t, last, live.Program(), how.name)
			require.Equal(t, number-1, decides(t, live))
		}
		reload := next(small(t, number), func(reload engine.Reload) bool { return reload.Err == nil })
		require.Equal(t, number, decides(t, reload.Program), "the only set that loads")
		require.Same(t, last, reload.Previous)
		last = reload.Program
		revisions[last.Revision()] = number
		require.NoError(t, live.Status().Err)
		require.Equal(t, number+1, live.Status().Loads)
		require.Equal(t, refused, live.Status().Refused)
	}
	fire.stop.Store(true)
	fire.all.Wait()
	require.NoError(t, fire.wrong)
	require.Len(t, revisions, *goodSets, "each set has a revision of its own")
	for revision, number := range fire.seen {
		require.Contains(t, revisions, revision)
		require.Equal(t, revisions[revision], number)
	}
	require.Empty(t, live.reloads)
	require.GreaterOrEqual(t, refused, bad)
	require.Equal(t, compile(t, os.DirFS(f.directory())).Revision(), live.Status().Revision)
	t.Logf("%d decisions by %d of %d sets; %d bad sets between, %d refusals", fire.count, len(fire.seen), *goodSets, bad, refused)
}
