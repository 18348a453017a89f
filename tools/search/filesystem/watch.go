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
	// maxPaths is how many changed paths are looked at one by one; of more,
	// everything is looked at.
	maxPaths = 2000
)

// watch keeps the index up to date until everything ends.
func (f *Filesystem) watch(o Options) {
	if o.Quiet <= 0 {
		o.Quiet = defaultQuiet
	}
	err := dirwatch.Watch(f.ctx, dirwatch.Options{
		Base: f.root.Dirs()[0], Quiet: o.Quiet, Check: o.Interval, Log: f.log, Noticed: f.noticed,
	}, watched{f})
	if f.ctx.Err() == nil {
		f.log.Error("the files are not watched any more", "error", err)
		f.noticed(0, false)
	}
}

// watched is a Filesystem as dirwatch keeps it up to date.
type watched struct{ f *Filesystem }

// Matters implements dirwatch.Subject.
func (watched) Matters(name string) bool { return !binaryName(name) }

// Update implements dirwatch.Subject. What fails is tried again when everything is
// looked at the next time.
func (w watched) Update(ctx context.Context, paths []string, most int) (dirs []string, err error) {
	if paths == nil || len(paths) > maxPaths {
		j, _, err := w.f.begin(plugin.RefreshOptions{})
		if err != nil {
			return nil, err
		}
		<-j.ended
		return j.dirs[:min(len(j.dirs), most+1)], w.ended(ctx, j.err)
	}
	some := &work{f: w.f, paths: paths}
	err = w.f.do(some)
	return some.dirs[:min(len(some.dirs), most+1)], w.ended(ctx, err)
}

// ended passes on only what ends the watching.
func (w watched) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, index.ErrClosed) {
		return err
	}
	return nil
}
