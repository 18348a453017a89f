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

// job is a running Refresh, shared by one or more callers.
type job struct {
	ended  chan struct{} // closed at the end; the following fields are valid then
	report plugin.Report
	dirs   []string // visited directories
	err    error
}

// Refresh implements plugin.Documents. Errors: that of ctx, errors of the Root for Path, INVALID_PARAMS for a path that is not
// indexed, and INDEX_UNAVAILABLE for a failed update.
func (f *Filesystem) Refresh(ctx context.Context, o plugin.RefreshOptions) (plugin.Report, error) {
	if o.Path != "" {
		name, err := f.resolvePath(ctx, o.Path)
		if err != nil {
			return plugin.Report{}, err
		}
		if o.Path = name; name == "." && len(f.covered) == 1 {
			o.Path = "" // all files
		}
	}
	j, joined, err := f.startJob(o)
	if err != nil {
		return plugin.Report{}, err
	}
	select {
	case <-j.ended:
	case <-ctx.Done():
		return plugin.Report{}, fmt.Errorf("refreshing the index, which continues: %w", context.Cause(ctx))
	}
	report := j.report
	report.Joined = joined
	if j.err != nil {
		return report, &unavailableError{j.err}
	}
	return report, nil
}

// resolvePath returns the path to refresh in the form of the index.
func (f *Filesystem) resolvePath(ctx context.Context, name string) (string, error) {
	info, err := f.root.Lstat(ctx, name)
	final := info.Path
	if err != nil {
		final = f.cleanPath(name)
		if security.CodeOf(err) != security.FileNotFound || !f.isIndexed(ctx, final) {
			return "", err
		}
	}
	if below, _ := pathset.Intersect(final, f.covered); !f.isCovered(final) && len(below) == 0 {
		return "", &security.Error{
			Code: security.InvalidParams, AttemptedPath: name, Message: name + " is not indexed.",
			Next: "get_index_status lists the indexed directories (covered).",
		}
	}
	return final, nil
}

// isIndexed reports whether a path, or a file below it, is indexed.
func (f *Filesystem) isIndexed(ctx context.Context, name string) bool {
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

// startJob returns the running job with the same options, or starts one.
func (f *Filesystem) startJob(o plugin.RefreshOptions) (j *job, joined bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, false, &unavailableError{index.ErrClosed}
	}
	if j, ok := f.jobs[o]; ok {
		return j, true, nil
	}
	j = &job{ended: make(chan struct{}), err: errors.New("indexing failed")} // the error if the work panics
	f.jobs[o] = j
	f.run.Go(func() {
		defer f.endJob(o, j)
		w := &work{f: f, full: o.Full}
		if o.Path != "" {
			w.paths = []string{o.Path}
		}
		j.err = f.runWork(w)
		j.report, j.dirs = w.report, w.dirs
	})
	return j, false, nil
}

// endJob removes a job; a later Refresh starts a new one.
func (f *Filesystem) endJob(o plugin.RefreshOptions, j *job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.jobs, o)
	close(j.ended)
}

// runWork runs w while holding the write lock.
func (f *Filesystem) runWork(w *work) error {
	if f.writeLock.Acquire(f.ctx, 1) != nil {
		return index.ErrClosed
	}
	defer f.writeLock.Release(1)
	return w.run(f.ctx)
}
