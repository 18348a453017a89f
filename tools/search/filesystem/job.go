package filesystem

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// job is a Refresh that runs, for one or more callers.
type job struct {
	ended  chan struct{}
	report plugin.Report // after ended, as what follows
	dirs   []string      // that were gone through
	err    error
}

// Refresh implements plugin.Documents. The errors are those of ctx and of the Root
// for Path, INVALID_PARAMS for one that is not indexed, and INDEX_UNAVAILABLE with what
// the index said.
func (f *Filesystem) Refresh(ctx context.Context, o plugin.RefreshOptions) (plugin.Report, error) {
	if o.Path != "" {
		name, err := f.place(ctx, o.Path)
		if err != nil {
			return plugin.Report{}, err
		}
		if o.Path = name; name == "." && len(f.covered) == 1 {
			o.Path = "" // which is everything
		}
	}
	j, joined, err := f.begin(o)
	if err != nil {
		return plugin.Report{}, err
	}
	select {
	case <-j.ended:
	case <-ctx.Done():
		return plugin.Report{}, fmt.Errorf("refreshing the index, which goes on: %w", context.Cause(ctx))
	}
	report := j.report
	report.Joined = joined
	if j.err != nil {
		return report, &unavailable{j.err}
	}
	return report, nil
}

// place is the path of what is to be refreshed, as the index spells it.
func (f *Filesystem) place(ctx context.Context, name string) (string, error) {
	info, err := f.root.Lstat(ctx, name)
	final := info.Path
	if err != nil {
		final = f.clean(name)
		if security.CodeOf(err) != security.FileNotFound || !f.knows(ctx, final) {
			return "", err
		}
	}
	if below, _ := pathset.Touching(final, f.covered); !f.covers(final) && len(below) == 0 {
		return "", &security.Error{
			Code: security.InvalidParams, AttemptedPath: name, Message: name + " is not indexed.",
			Next: "get_index_status tells which directories are (covered).",
		}
	}
	return final, nil
}

// knows says that a path, or something below it, is indexed.
func (f *Filesystem) knows(ctx context.Context, name string) bool {
	if _, ok, err := f.index.Lookup(ctx, name); ok || err != nil {
		return ok
	}
	for k, err := range f.index.Files(ctx) {
		if err != nil {
			break
		}
		if pathset.Within(k.Path, name) {
			return true
		}
	}
	return false
}

// begin joins the job that does the same, or begins it.
func (f *Filesystem) begin(o plugin.RefreshOptions) (j *job, joined bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, false, &unavailable{index.ErrClosed}
	}
	if j, ok := f.jobs[o]; ok {
		return j, true, nil
	}
	j = &job{ended: make(chan struct{}), err: errors.New("indexing failed")} // unless it returns
	f.jobs[o] = j
	f.run.Go(func() {
		defer f.end(o, j)
		w := &work{f: f, full: o.Full}
		if o.Path != "" {
			w.paths = []string{o.Path}
		}
		j.err = f.do(w)
		j.report, j.dirs = w.report, w.dirs
	})
	return j, false, nil
}

// end ends a job: who comes now begins another.
func (f *Filesystem) end(o plugin.RefreshOptions, j *job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.jobs, o)
	close(j.ended)
}

// do does a work when it is its turn.
func (f *Filesystem) do(w *work) error {
	if f.turn.Acquire(f.ctx, 1) != nil {
		return index.ErrClosed
	}
	defer f.turn.Release(1)
	return w.do(f.ctx)
}
