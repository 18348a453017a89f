package index

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/internal/dirwatch"
)

// WatchOptions configures Index.Watch. The zero value is usable.
type WatchOptions struct {
	// Quiet is the time without changes before changed files are read, so that a series
	// of writes is read once. After ten times Quiet they are read anyway. Default: 100
	// ms.
	Quiet time.Duration
	// Interval is the time between comparisons of all files where the operating system
	// does not report all changes. It grows if a comparison takes long. Default: 5 s.
	Interval time.Duration
	// Check is the time between comparisons of all files where changes are reported,
	// since network file systems can miss some. Default: 1 min.
	Check time.Duration
	// MaxDirs is the maximum number of watched directories. Default: 8192, or 128 on
	// BSD and macOS, which hold every file of a watched directory open. Negative: none;
	// only Interval applies.
	MaxDirs int
	// Changed is called with the Report after the index has changed. Default: nil.
	Changed func(Report)
}

// Watch keeps analyzed directories up to date until ctx ends, and returns its cause. It
// first compares all files. Directories analyzed later are included. After Close, Watch
// returns ErrClosed.
func (x *Index) Watch(ctx context.Context, o WatchOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(x.ctx, func() { cancel(ErrClosed) })()
	if o.Changed == nil {
		o.Changed = func(Report) {}
	}
	return dirwatch.Watch(ctx, dirwatch.Options{
		Base: x.root.Dirs()[0], Quiet: o.Quiet, Interval: o.Interval, Check: o.Check, MaxDirs: o.MaxDirs, Log: x.log, Barrier: &x.barrier,
	}, watched{x, o.Changed})
}

// CatchUp returns when the index has all changes of the analyzed directories that were made before the call. With a Watch on a local
// file system of Linux that takes about a millisecond, otherwise all files are compared. The errors are those of Update.
func (x *Index) CatchUp(ctx context.Context) error {
	if passed, err := x.barrier.Pass(ctx); passed || err != nil {
		return err
	}
	_, err := x.Update(ctx, x.root.Dirs()...)
	return err
}

// watched adapts an Index to dirwatch.Subject.
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
