package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// spoiled is a way to break a set, and what the refusal says of it.
type spoiled struct {
	name  string
	says  string
	kind  error
	spoil func(files fstest.MapFS)
}

const siteFile = "compaction/site.rego"

// spoils lists sets that do not load, whatever their number.
func spoils() []spoiled {
	edit := func(name, old, new string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			files[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(files[name].Data), old, new, 1))}
		}
	}
	remove := func(name string) func(fstest.MapFS) { return func(files fstest.MapFS) { delete(files, name) } }
	return []spoiled{
		{"syntax error", "rego_parse_error", engine.ErrRego, edit(siteFile, "site if", "site if if")},
		{"misspelt threshold", `did you mean "token_ceiling"?`, engine.ErrThresholds, edit("thresholds.yaml", "token_ceiling", "token_cieling")},
		{"missing entrypoint", "gate fanout has no decision", engine.ErrEntrypoint, remove("fanout/gate.rego")},
		{"half a file", "rego_parse_error", engine.ErrRego, func(files fstest.MapFS) {
			text := files[siteFile].Data
			files[siteFile] = &fstest.MapFile{Data: text[:strings.Index(string(text), " not site")]}
		}},
		{"missing thresholds", "compaction: missing", engine.ErrThresholds, remove("thresholds.yaml")},
		{"unsafe built-in", "http.send is not available to gates", engine.ErrBuiltin, edit(siteFile, "input.est_tokens == 123456789", `http.send({"method": "GET", "url": "https://example.com"}).status_code == 200`)},
		{"misspelt field", "rego_type_error", engine.ErrRego, edit(siteFile, "input.est_tokens", "input.est_tokenz")},
		{"nothing", "there is no policy (*.rego) here", engine.ErrFiles, func(files fstest.MapFS) { clear(files) }},
		{"row that vanishes", "does not follow from a check alone", engine.ErrForm, edit(siteFile, "if not site", "if input.est_tokens == 1")},
		{"threshold out of range", "is out of range", engine.ErrThresholds, edit("thresholds.yaml", "token_ceiling: ", "token_ceiling: -")},
	}
}

// spoil is a small set that does not load.
func spoil(t *testing.T, number int, how spoiled) fstest.MapFS {
	t.Helper()
	files := small(t, number)
	how.spoil(files)
	return files
}

// While files are refused the last good program decides and the status says why, until they are good or as before.
func TestBadFilesNeverReplaceGoodOnes(t *testing.T) {
	for _, how := range spoils() {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			directory := filepath.Join(root, "p")
			swap := func(name string, files fstest.MapFS) {
				require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
				lay(t, filepath.Join(root, name), files)
				link(t, name, directory)
			}
			swap("1", small(t, 1))
			at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Settle: time.Millisecond, Poll: never, Clock: func() time.Time { return at }})
			first := live.Program()

			swap("bad", spoil(t, 2, how))
			reload := live.untilRefused(t, how.says)
			require.ErrorIs(t, reload.Err, how.kind)
			require.NotContains(t, reload.Err.Error(), filepath.Join(root, "bad"), "files are named as the caller names the directory")
			var list *engine.LoadError
			require.ErrorAs(t, reload.Err, &list)
			require.Same(t, first, live.Program())
			require.Equal(t, 1, decides(t, live))
			status := live.Status()
			require.Equal(t, engine.Status{Revision: first.Revision(), LoadedAt: at, Loads: 1, Refused: 1, Err: reload.Err, FailedAt: at}, status)

			link(t, "1", directory)
			require.Equal(t, engine.Reload{Program: first, Previous: first}, live.until(t, "what was", func(engine.Reload) bool { return true }))
			require.Equal(t, engine.Status{Revision: first.Revision(), LoadedAt: at, Loads: 1, Refused: 1}, live.Status())

			link(t, "bad", directory)
			live.untilRefused(t, how.says)
			swap("3", small(t, 3))
			require.Same(t, first, live.untilSet(t, 3).Previous)
			require.Equal(t, 2, live.Status().Refused)
			require.Equal(t, 2, live.Status().Loads)

			_, err := engine.Watch(t.Context(), engine.WatchOptions{Directory: filepath.Join(root, "bad"), Settle: time.Millisecond, Clock: func() time.Time { return at }})
			require.ErrorAs(t, err, &list, "nothing starts without policies")
			require.ErrorIs(t, err, how.kind)
		})
	}
}

// What is no directory any more, or holds what cannot be read, is refused like a mistake in a rule.
func TestUnreadableFilesAreRefused(t *testing.T) {
	for _, test := range []struct {
		name, says string
		change     func(t *testing.T, directory string)
	}{
		{"directory removed", "no such file or directory", func(t *testing.T, directory string) {
			require.NoError(t, os.RemoveAll(directory))
		}},
		{"directory that is a file", "not a directory", func(t *testing.T, directory string) {
			require.NoError(t, os.RemoveAll(directory))
			require.NoError(t, os.WriteFile(directory, nil, 0o600))
		}},
		{"directory that is a link to itself", "too many links", func(t *testing.T, directory string) {
			require.NoError(t, os.RemoveAll(directory))
			link(t, "p", directory)
		}},
		{"file that leads nowhere", "gone.rego", func(t *testing.T, directory string) {
			link(t, "nowhere", filepath.Join(directory, "gone.rego"))
		}},
		{"folder above itself", "a link to a folder above itself", func(t *testing.T, directory string) {
			link(t, "..", filepath.Join(directory, "compaction", "up"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "p")
			lay(t, directory, small(t, 1))
			live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Settle: 5 * time.Millisecond, Poll: never})
			test.change(t, directory)
			live.untilRefused(t, test.says)
			require.ErrorIs(t, live.Status().Err, engine.ErrFiles)
			require.Equal(t, 1, decides(t, live))

			require.NoError(t, os.RemoveAll(directory))
			lay(t, directory+".new", small(t, 2))
			require.NoError(t, os.Rename(directory+".new", directory))
			live.untilSet(t, 2)
		})
	}
}

// WatchOptions that cannot work is told at once.
func TestWhatCannotBeWatchedIsTold(t *testing.T) {
	clock := func() time.Time { return time.Time{} }
	for _, test := range []struct {
		name, says string
		watching   engine.WatchOptions
	}{
		{"no directory", "WatchOptions.Directory must name", engine.WatchOptions{Clock: clock}},
		{"no clock", "WatchOptions.Clock must tell", engine.WatchOptions{Directory: "p"}},
		{"negative time-out", "WatchOptions.Timeout must be positive, not -1s", engine.WatchOptions{Directory: "p", Clock: clock, Timeout: -time.Second}},
		{"negative settle", "WatchOptions.Settle must be positive, not -1s", engine.WatchOptions{Directory: "p", Clock: clock, Settle: -time.Second}},
		{"negative poll", "WatchOptions.Poll must be positive, not -1s", engine.WatchOptions{Directory: "p", Clock: clock, Poll: -time.Second}},
		{"directory that is not there", "p: lstat", engine.WatchOptions{Directory: "p", Clock: clock, Settle: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			live, err := engine.Watch(t.Context(), test.watching)
			require.ErrorIs(t, err, engine.ErrLoad)
			require.ErrorContains(t, err, test.says)
			require.Nil(t, live)
		})
	}
}

// A Live that no Watch gave rejects, and says that there is nothing.
func TestTheZeroLiveRejects(t *testing.T) {
	for _, live := range []*engine.Live{nil, {}} {
		decision, err := live.Decide(t.Context(), siteDocument())
		requireReject(t, decision, engine.ReasonError)
		require.ErrorIs(t, err, engine.ErrEvaluation)
		require.ErrorIs(t, live.Status().Err, engine.ErrLoad)
		require.NoError(t, live.Close())
	}
}

// The time limit is that of every program, also of those that are loaded later.
func TestTheTimeLimitReachesLaterPrograms(t *testing.T) {
	directory := t.TempDir()
	lay(t, directory, small(t, 1))
	live := follow(t, engine.Watch, engine.WatchOptions{Directory: directory, Timeout: 50 * time.Millisecond, Settle: 5 * time.Millisecond, Poll: never})
	lay(t, directory, fstest.MapFS{"slow.rego": {Data: []byte(slowly)}})
	live.until(t, "a check without an end", func(reload engine.Reload) bool { return reload.Err == nil })
	decision, err := live.Decide(t.Context(), document(t, fanoutOf("slow")))
	requireReject(t, decision, engine.ReasonTimeout)
	require.ErrorContains(t, err, "no decision within 50ms")
}
