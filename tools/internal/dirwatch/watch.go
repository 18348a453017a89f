package dirwatch

import (
	"context"
	"log/slog"
	"path"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Subject is kept up to date by Watch. Its methods are called by one goroutine.
type Subject interface {
	// Update updates the given paths, or everything if paths is nil. A path may be a directory, or no longer exist. Update returns
	// the directories that it visited, at most one more than most. An error ends Watch.
	Update(ctx context.Context, paths []string, most int) (dirs []string, err error)
	// Matters reports whether a write to a file of this name can affect the subject.
	Matters(name string) bool
}

// Options configures Watch. The zero value watches the working directory with the defaults.
type Options struct {
	// Base is the directory to which relative paths refer. Default the working directory.
	Base string
	// Quiet is the pause after the last event before changed files are read, so that a change is complete. After ten times Quiet
	// they are read in any case. Default 100 ms.
	Quiet time.Duration
	// Interval is the time between scans if the system does not report all changes. It is at least 20 times the duration of a scan.
	// Default 5 s.
	Interval time.Duration
	// Check is the time between scans if the system reports changes. The scans detect changes on remote file systems, which are not
	// reported. Default 1 min.
	Check time.Duration
	// MaxDirs is the number of directories to watch. Default 8192, or 128 on systems that hold every file of a directory open (BSD,
	// macOS). A negative number disables watching; then files are scanned at Interval.
	MaxDirs int
	// Log receives failures. nil discards them.
	Log *slog.Logger
	// Barrier is opened while all changes are reported in order. Default nil.
	Barrier *Barrier
	// Noticed is called with the number of changed paths that are not updated yet, and whether the system reports all changes. nil
	// is not called.
	Noticed func(pending int, told bool)
}

// defaults sets unset fields to their defaults.
func (o *Options) defaults() {
	for at, d := range map[*time.Duration]time.Duration{&o.Quiet: 100 * time.Millisecond, &o.Interval: 5 * time.Second, &o.Check: time.Minute} {
		if *at <= 0 {
			*at = d
		}
	}
	if o.MaxDirs == 0 {
		o.MaxDirs = 8192
		if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
			o.MaxDirs = 128
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Noticed == nil {
		o.Noticed = func(int, bool) {}
	}
}

// Watch keeps a Subject up to date until ctx ends. It begins with a scan. It returns the cause of ctx, or the error of the Subject.
func Watch(ctx context.Context, o Options, s Subject) error {
	o.defaults()
	w := &watch{o: o, subject: s, watcher: watcher{base: o.Base, log: o.Log, maxDirs: o.MaxDirs, dirs: map[string]string{}, real: map[string]string{}}}
	defer w.watcher.close()
	defer o.Barrier.close()
	for {
		if err := w.scan(ctx); err != nil {
			return err
		}
		if err := w.follow(ctx); err != nil {
			return err
		}
	}
}

// watch is the state of one call of Watch.
type watch struct {
	o            Options
	subject      Subject
	watcher      watcher
	scanDuration time.Duration // duration of the last scan
	pending      map[string]bool
	marks        []string // reported marks of the Barrier, whose callers wait for an update
}

// scan updates everything. Directories that are watched only from now on are updated again, so that no change is lost.
func (w *watch) scan(ctx context.Context) error {
	w.o.Barrier.close()
	w.watcher.reset()
	w.pending, w.marks = map[string]bool{}, nil
	began := time.Now()
	added, err := w.update(ctx, nil)
	if err != nil {
		return err
	}
	w.scanDuration = time.Since(began)
	if err := w.settle(ctx, added); err != nil {
		return err
	}
	if w.o.Barrier != nil {
		w.o.Barrier.open(w.watcher.markDir())
	}
	return nil
}

// update updates the subject and watches the visited directories. added were not watched before.
func (w *watch) update(ctx context.Context, paths []string) (added []string, err error) {
	dirs, err := w.subject.Update(ctx, paths, max(w.o.MaxDirs, 0))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return w.watcher.add(dirs), nil
}

// settle updates newly watched directories again until there are no more, at most ten times.
func (w *watch) settle(ctx context.Context, added []string) error {
	for tries := 0; len(added) > 0 && tries < 10; tries++ {
		var err error
		if added, err = w.update(ctx, added); err != nil {
			return err
		}
	}
	w.o.Noticed(0, !w.watcher.incomplete)
	return nil
}

// follow updates changed paths until the next scan is due.
func (w *watch) follow(ctx context.Context) error {
	while, blind := w.o.Check, w.watcher.incomplete
	if blind {
		while = max(w.o.Interval, 20*w.scanDuration)
	}
	timer := time.NewTimer(while)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case <-w.watcher.errors():
			return nil
		case event := <-w.watcher.events():
			w.note(event)
		}
		lost, err := w.gather(ctx)
		if lost || err != nil {
			return err
		}
		if err := w.flush(ctx); err != nil || w.watcher.incomplete && !blind {
			return err // scan more often
		}
		w.o.Barrier.release(w.marks)
		w.marks = nil
	}
}

// gather collects events until they pause or a mark comes. lost means that events are missing.
func (w *watch) gather(ctx context.Context) (lost bool, err error) {
	latest := time.NewTimer(10 * w.o.Quiet)
	defer latest.Stop()
	quiet := time.NewTimer(w.o.Quiet)
	defer quiet.Stop()
	for len(w.marks) == 0 {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-w.watcher.errors():
			return true, nil
		case <-latest.C:
			return false, nil
		case <-quiet.C:
			return false, nil
		case event := <-w.watcher.events():
			if w.note(event) {
				quiet.Reset(w.o.Quiet)
			}
		}
	}
	return false, nil
}

// note records the path of an event, if it can affect the subject.
func (w *watch) note(event fsnotify.Event) bool {
	if w.watcher.isMark(event.Name) {
		if event.Op.Has(fsnotify.Create) {
			w.marks = append(w.marks, event.Name)
		}
		return false
	}
	if event.Op == fsnotify.Chmod {
		return false
	}
	name, ok := w.watcher.path(event.Name)
	if !ok {
		return false
	}
	base := path.Base(name)
	if event.Op == fsnotify.Write && base != ".gitignore" && !w.subject.Matters(base) {
		return false
	}
	if !event.Op.Has(fsnotify.Write) {
		w.watcher.forget(name) // a directory may have been replaced
	}
	w.pending[name] = true
	w.o.Noticed(len(w.pending), !w.watcher.incomplete)
	return true
}

// flush updates the recorded paths.
func (w *watch) flush(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	paths := make([]string, 0, len(w.pending))
	for name := range w.pending {
		if path.Base(name) == ".gitignore" {
			name = path.Dir(name) // a .gitignore affects its directory
		}
		paths = append(paths, name)
	}
	clear(w.pending)
	added, err := w.update(ctx, paths)
	if err != nil {
		return err
	}
	return w.settle(ctx, added)
}
