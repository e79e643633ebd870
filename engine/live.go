package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/admitctl/admitctl/inputs"
)

// What [Watch] takes where [WatchOptions] says nothing.
const (
	// DefaultSettle is how long files must stay as they are: longer than a copy pauses between two of them.
	DefaultSettle = 100 * time.Millisecond
	// DefaultPoll is how often files are read though nothing told of a change.
	DefaultPoll = 5 * time.Second
)

// WatchOptions says which files a [Live] follows, and how.
type WatchOptions struct {
	Directory string           // of the policies; it and any folder on the way to it may be a link
	Overlays  []string         // files of thresholds laid over those of the policies; later ones win
	Timeout   time.Duration    // of one decision, positive; 0 is DefaultTimeout
	Settle    time.Duration    // how long files must stay as they are to be taken, positive; 0 is DefaultSettle
	Poll      time.Duration    // how often they are read when no event came, positive; 0 is DefaultPoll
	Clock     func() time.Time // tells LoadedAt, FailedAt and Age; safe for concurrent use; required
	Reloaded  func(Reload)     // called after every change that was taken or refused, one call at a time; may be nil
}

// Reload is a change of the files that a [Live] took or refused.
type Reload struct {
	Program  *Program // in force now, never nil
	Previous *Program // in force before; the same one when the files were refused, or went back to what they were
	Err      error    // nil: Program is what the files say; else why they are refused, an [ErrLoad]
}

// Status is what a [Live] stands at.
type Status struct {
	Revision string        // of the program in force
	LoadedAt time.Time     // when it came into force
	Age      time.Duration // since LoadedAt, 0 or more
	Loads    int           // how many programs came into force, the first one included
	Refused  int           // how many changes were refused
	Err      error         // why the files of the last look are refused, an [ErrLoad]; nil when they are not
	FailedAt time.Time     // when they were refused; zero when Err is nil
	WatchErr error         // nil: changes are noticed at once; else why some only every Poll, or none once watching has ended
}

// Live is a program that follows its files: a change of them is read, compiled and checked beside the program in
// force, and takes its place at once and whole, or not at all. While the newest files are refused, the last good ones
// decide. It is safe for concurrent use; the zero Live rejects.
type Live struct {
	watching WatchOptions
	places   places
	events   *events
	state    atomic.Pointer[state]
	cancel   context.CancelFunc
	done     chan struct{}
	closing  error // of the events; written before done is closed

	// What the files were, which only the goroutine that follows them reads.
	seen    *[sha256.Size]byte // at the last look; nil when they were what was tried
	tried   *[sha256.Size]byte // when they were taken or refused last
	inForce [sha256.Size]byte  // when the program in force was compiled
}

// state is all that changes, so that one swap changes all of it.
type state struct {
	program  *Program
	loadedAt time.Time
	loads    int
	refused  int
	err      error
	failedAt time.Time
	watching error
}

// mostLooks is how often the first load waits for files that change: ten seconds' worth at the default Settle.
const mostLooks = 100

// Watch loads the policies and follows them until ctx ends or [Live.Close] is called. It returns when the files have
// stayed as they are for the time Settle and have loaded. If they do not load it returns the *[LoadError] of [Compile]
// and follows nothing: a service must not start without policies. Any other error is an [ErrLoad] too: Directory or
// Clock is missing, a duration is negative, ctx ended, or the files went on changing for 100 times Settle.
func Watch(ctx context.Context, w WatchOptions) (*Live, error) {
	return watch(ctx, w, fsnotify.NewWatcher)
}

// watch is [Watch] with the events of open, which may fail: then looking every Poll must do.
func watch(ctx context.Context, w WatchOptions, open func() (*fsnotify.Watcher, error)) (*Live, error) {
	w, err := w.complete()
	if err != nil {
		return nil, err
	}
	from, err := locate(w)
	if err != nil {
		return nil, err
	}
	l := &Live{watching: w, places: from, events: newEvents(open), done: make(chan struct{})}
	if err := l.start(ctx); err != nil {
		_ = l.events.close() // why nothing is watched is what the caller needs to know
		return nil, err
	}
	ctx, l.cancel = context.WithCancel(ctx)
	go l.follow(ctx)
	return l, nil
}

// complete fills in the defaults.
func (w WatchOptions) complete() (WatchOptions, error) {
	for _, wait := range []struct {
		name     string
		value    *time.Duration
		fallback time.Duration
	}{{"Timeout", &w.Timeout, DefaultTimeout}, {"Settle", &w.Settle, DefaultSettle}, {"Poll", &w.Poll, DefaultPoll}} {
		if *wait.value < 0 {
			return w, fmt.Errorf("%w: WatchOptions.%s must be positive, not %s", ErrLoad, wait.name, *wait.value)
		}
		if *wait.value == 0 {
			*wait.value = wait.fallback
		}
	}
	switch {
	case w.Directory == "":
		return w, fmt.Errorf("%w: WatchOptions.Directory must name the directory of the policies", ErrLoad)
	case w.Clock == nil:
		return w, fmt.Errorf("%w: WatchOptions.Clock must tell the time", ErrLoad)
	case w.Reloaded == nil:
		w.Reloaded = func(Reload) {}
	}
	return w, nil
}

// Program is what is in force: never nil of a Live that [Watch] gave, also after [Live.Close]. Who decides more than
// one document by the same policies asks once.
func (l *Live) Program() *Program { return l.now().program }

// now is the state, that of nothing for the zero Live.
func (l *Live) now() *state {
	if l != nil {
		if s := l.state.Load(); s != nil {
			return s
		}
	}
	return &state{err: fmt.Errorf("%w: there is no program: Watch failed, or was not called", ErrLoad)}
}

// Decide is [Program.Decide] of the program in force when it is called: a change while it decides has no part in it.
func (l *Live) Decide(ctx context.Context, document inputs.Document) (Decision, error) {
	return l.Program().Decide(ctx, document)
}

// Decode is [Program.Decode] by the program in force when it is called. [Live.Decide] holds the document against the
// schema of the program that decides it, which may be a later one.
func (l *Live) Decode(data []byte, source inputs.Source) (inputs.Document, error) {
	return l.Program().Decode(data, source)
}

// Status tells what is in force and why it is not what the files say, all of one moment.
func (l *Live) Status() Status {
	s := l.now()
	status := Status{LoadedAt: s.loadedAt, Loads: s.loads, Refused: s.refused, Err: s.err, FailedAt: s.failedAt, WatchErr: s.watching}
	if s.program != nil {
		status.Revision, status.Age = s.program.Revision(), max(0, l.watching.Clock().Sub(s.loadedAt))
	}
	return status
}

// Close stops following the files and waits until nothing runs any more; it can be called again. It must not be called
// from Reloaded. The last program stays in force. The error is that of giving the system's watches back.
func (l *Live) Close() error {
	if l == nil || l.cancel == nil {
		return nil
	}
	l.cancel()
	<-l.done
	return l.closing
}

// options are those of [Compile] for the same files.
func (w WatchOptions) options(overlays []overlay) *options {
	return &options{root: path.Clean(w.Directory), overlays: overlays, timeout: w.Timeout}
}
