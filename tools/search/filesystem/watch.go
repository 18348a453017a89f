package filesystem

import (
	"context"
	"errors"
	"time"

	"github.com/dougu-go/dougu/tools/internal/dirwatch"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	defaultQuiet = 20 * time.Millisecond
	// maxPathUpdates is the maximum number of changed paths that are updated individually. For more, all files are checked.
	maxPathUpdates = 2000
)

// watch keeps the index up to date until the Filesystem is closed.
func (f *Filesystem) watch(o Options) {
	if o.Quiet <= 0 {
		o.Quiet = defaultQuiet
	}
	err := dirwatch.Watch(f.ctx, dirwatch.Options{
		Base: f.root.Dirs()[0], Quiet: o.Quiet, Check: o.Interval, Log: f.log, Noticed: f.setPending,
	}, watchSubject{f})
	if f.ctx.Err() == nil {
		f.log.Error("watching files ended", "error", err)
		f.setPending(0, false)
	}
}

// watchSubject adapts a Filesystem to dirwatch.Subject.
type watchSubject struct{ f *Filesystem }

// Matters implements dirwatch.Subject.
func (watchSubject) Matters(name string) bool { return !isBinaryName(name) }

// Update implements dirwatch.Subject. A failed update is repeated with the next complete check.
func (w watchSubject) Update(ctx context.Context, paths []string, most int) (dirs []string, err error) {
	if paths == nil || len(paths) > maxPathUpdates {
		j, _, err := w.f.startJob(plugin.RefreshOptions{})
		if err != nil {
			return nil, err
		}
		<-j.ended
		return j.dirs[:min(len(j.dirs), most+1)], w.fatal(ctx, j.err)
	}
	some := &work{f: w.f, paths: paths}
	err = w.f.runWork(some)
	return some.dirs[:min(len(some.dirs), most+1)], w.fatal(ctx, err)
}

// fatal returns err if it ends the watching, otherwise nil.
func (w watchSubject) fatal(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, index.ErrClosed) {
		return err
	}
	return nil
}
