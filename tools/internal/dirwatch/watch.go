package dirwatch

import (
	"context"
	"log/slog"
	"path"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Subject is what is kept up to date. Its methods are called by one goroutine.
type Subject interface {
	// Update brings everything up to date, or what is at some paths, which may be
	// gone, or a directory. It answers with the directories that it went through, and
	// needs to name no more than one more than most. An error ends Watch.
	Update(ctx context.Context, paths []string, most int) (dirs []string, err error)
	// Matters says whether writing to a file of this name can change anything.
	Matters(name string) bool
}

// Options say how Watch works; the zero value is right for ".".
type Options struct {
	// Base is the directory of the system that relative paths begin in.
	Base string
	// Quiet is how long nothing must happen before changed files are read, so that
	// half a change is not; they are read after ten times that in any case. Default
	// 100 ms.
	Quiet time.Duration
	// Interval is how often everything is looked at where the system does not tell of
	// all changes; it is longer where looking takes long. Default 5 s.
	Interval time.Duration
	// Check is how often it is looked at where it does, since file systems on other
	// machines can be silent. Default 1 min.
	Check time.Duration
	// MaxDirs bounds the directories that the system is asked to watch. Default 8192,
	// or 128 on systems (BSD, macOS) where every file in them is held open; negative
	// for none, which leaves Interval.
	MaxDirs int
	// Log is told of what does not work. nil: nobody is.
	Log *slog.Logger
	// Noticed is told how many paths have changed that were not updated yet, and
	// whether the system tells of all changes. nil: nobody is.
	Noticed func(pending int, told bool)
}

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

// Watch keeps a Subject up to date until ctx ends, and returns its cause then, or
// the error of the Subject. It begins by looking at everything.
func Watch(ctx context.Context, o Options, s Subject) error {
	o.defaults()
	w := &watch{o: o, subject: s, eyes: eyes{base: o.Base, log: o.Log, most: o.MaxDirs, dirs: map[string]string{}, real: map[string]string{}}}
	defer w.eyes.close()
	for {
		if err := w.scan(ctx); err != nil {
			return err
		}
		if err := w.follow(ctx); err != nil {
			return err
		}
	}
}

// watch is one Watch.
type watch struct {
	o       Options
	subject Subject
	eyes    eyes
	took    time.Duration // what the last scan took
	pending map[string]bool
}

// scan looks at everything. Directories are watched before what is in them is
// looked at again, so that no change falls in between.
func (w *watch) scan(ctx context.Context) error {
	w.eyes.reset()
	w.pending = map[string]bool{}
	began := time.Now()
	added, err := w.update(ctx, nil)
	if err != nil {
		return err
	}
	w.took = time.Since(began)
	return w.settle(ctx, added)
}

// update brings the subject up to date and watches the directories that were gone
// through. added are those that were not watched before.
func (w *watch) update(ctx context.Context, paths []string) (added []string, err error) {
	dirs, err := w.subject.Update(ctx, paths, max(w.o.MaxDirs, 0))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return w.eyes.add(dirs), nil
}

// settle looks again at directories that are watched only now, until there are no
// more.
func (w *watch) settle(ctx context.Context, added []string) error {
	for tries := 0; len(added) > 0 && tries < 10; tries++ {
		var err error
		if added, err = w.update(ctx, added); err != nil {
			return err
		}
	}
	w.o.Noticed(0, !w.eyes.blind)
	return nil
}

// follow updates what events tell of, until everything is to be looked at again.
func (w *watch) follow(ctx context.Context) error {
	while, blind := w.o.Check, w.eyes.blind
	if blind {
		while = max(w.o.Interval, 20*w.took)
	}
	timer := time.NewTimer(while)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case <-w.eyes.errors():
			return nil
		case event := <-w.eyes.events():
			w.note(event)
		}
		lost, err := w.gather(ctx)
		if lost || err != nil {
			return err
		}
		if err := w.flush(ctx); err != nil || w.eyes.blind && !blind {
			return err // to look more often
		}
	}
}

// gather notes events until nothing happens for a while. lost says that some may
// be missing.
func (w *watch) gather(ctx context.Context) (lost bool, err error) {
	latest := time.NewTimer(10 * w.o.Quiet)
	defer latest.Stop()
	quiet := time.NewTimer(w.o.Quiet)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-w.eyes.errors():
			return true, nil
		case <-latest.C:
			return false, nil
		case <-quiet.C:
			return false, nil
		case event := <-w.eyes.events():
			if w.note(event) {
				quiet.Reset(w.o.Quiet)
			}
		}
	}
}

// note notes what an event is about, if that may matter.
func (w *watch) note(event fsnotify.Event) bool {
	if event.Op == fsnotify.Chmod {
		return false
	}
	name, ok := w.eyes.path(event.Name)
	if !ok {
		return false
	}
	base := path.Base(name)
	if event.Op == fsnotify.Write && base != ".gitignore" && !w.subject.Matters(base) {
		return false
	}
	if !event.Op.Has(fsnotify.Write) {
		w.eyes.forget(name) // if it was a directory, it may be another now
	}
	w.pending[name] = true
	w.o.Noticed(len(w.pending), !w.eyes.blind)
	return true
}

// flush updates what was noted.
func (w *watch) flush(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	paths := make([]string, 0, len(w.pending))
	for name := range w.pending {
		if path.Base(name) == ".gitignore" {
			name = path.Dir(name) // it decides about all that is there
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
