package index

import (
	"context"
	"path"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchOptions say how Watch works; the zero value is right.
type WatchOptions struct {
	// Quiet is how long nothing must happen before changed files are read, so that
	// half a change is not; they are read after ten times that in any case. Default
	// 100 ms.
	Quiet time.Duration
	// Interval is how often all files are looked at where the system does not tell
	// of all changes; it is longer where looking takes long. Default 5 s.
	Interval time.Duration
	// Check is how often they are looked at where it does, since file systems on
	// other machines can be silent. Default 1 min.
	Check time.Duration
	// MaxDirs bounds the directories that the system is asked to watch. Default
	// 8192, or 128 on systems (BSD, macOS) where every file in them is held open;
	// negative for none, which leaves Interval.
	MaxDirs int
	// Changed is told when something has changed in the index. nil: nobody is.
	Changed func(Report)
}

func (o *WatchOptions) defaults() {
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
	if o.Changed == nil {
		o.Changed = func(Report) {}
	}
}

// Watch keeps what was analysed up to date until ctx ends, and returns its cause
// then. It begins by looking at all of it. What is analysed later is watched too.
// The other error is ErrClosed.
func (x *Index) Watch(ctx context.Context, o WatchOptions) error {
	o.defaults()
	w := &watch{x: x, o: o, eyes: eyes{x: x, most: o.MaxDirs, dirs: map[string]string{}, real: map[string]string{}}}
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
	x       *Index
	o       WatchOptions
	eyes    eyes
	took    time.Duration // what the last scan took
	pending map[string]bool
}

// scan looks at everything. Directories are watched before what is in them is
// looked at again, so that no change falls in between.
func (w *watch) scan(ctx context.Context) error {
	w.eyes.reset()
	w.pending = map[string]bool{}
	report, added, err := w.update(ctx, nil)
	if err != nil {
		return err
	}
	w.took = report.Duration
	return w.settle(ctx, added)
}

// update brings the index up to date and watches the directories that were walked.
// added are those that were not watched before.
func (w *watch) update(ctx context.Context, paths []string) (report Report, added []string, err error) {
	r := w.x.newRun(AnalyzeOptions{})
	r.maxDirs = max(w.o.MaxDirs, 0)
	if report, err = w.x.refresh(ctx, r, paths); err != nil {
		return report, nil, err
	}
	if report.Parsed+report.Removed+report.Failed > 0 {
		w.o.Changed(report)
	}
	return report, w.eyes.add(r.dirs), nil
}

// settle looks again at directories that are watched only now, until there are no
// more.
func (w *watch) settle(ctx context.Context, added []string) error {
	for tries := 0; len(added) > 0 && tries < 10; tries++ {
		var err error
		if _, added, err = w.update(ctx, added); err != nil {
			return err
		}
	}
	return nil
}

// follow updates what events tell of, until everything is to be looked at again.
func (w *watch) follow(ctx context.Context) error {
	while := w.o.Check
	if w.eyes.blind {
		while = max(w.o.Interval, 20*w.took)
	}
	timer := time.NewTimer(while)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.x.ctx.Done():
			return ErrClosed
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
		if err := w.flush(ctx); err != nil {
			return err
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
	_, open, known := byName(base)
	if event.Op == fsnotify.Write && !known && !open && base != ".gitignore" {
		return false
	}
	if !event.Op.Has(fsnotify.Write) {
		w.eyes.forget(name) // if it was a directory, it may be another now
	}
	w.pending[name] = true
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
			name = path.Dir(name)
		}
		paths = append(paths, name)
	}
	clear(w.pending)
	_, added, err := w.update(ctx, paths)
	if err != nil {
		return err
	}
	return w.settle(ctx, added)
}
