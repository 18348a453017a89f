package index

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/internal/dirwatch"
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

// Watch keeps what was analysed up to date until ctx ends, and returns its cause
// then. It begins by looking at all of it. What is analysed later is watched too.
// The other error is ErrClosed.
func (x *Index) Watch(ctx context.Context, o WatchOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(x.ctx, func() { cancel(ErrClosed) })()
	if o.Changed == nil {
		o.Changed = func(Report) {}
	}
	return dirwatch.Watch(ctx, dirwatch.Options{
		Base: x.root.Dirs()[0], Quiet: o.Quiet, Interval: o.Interval, Check: o.Check, MaxDirs: o.MaxDirs, Log: x.log,
	}, watched{x, o.Changed})
}

// watched is an Index as Watch keeps it up to date.
type watched struct {
	x       *Index
	changed func(Report)
}

// Update implements dirwatch.Subject.
func (w watched) Update(ctx context.Context, paths []string, most int) (dirs []string, err error) {
	r := w.x.newRun(AnalyzeOptions{})
	r.maxDirs = most
	report, err := w.x.refresh(ctx, r, paths)
	if err != nil {
		return nil, err
	}
	if report.Parsed+report.Removed+report.Failed > 0 {
		w.changed(report)
	}
	return r.dirs, nil
}

// Matters implements dirwatch.Subject.
func (w watched) Matters(name string) bool {
	_, open, known := w.x.languageByName(name)
	return open || known
}
