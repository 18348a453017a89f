package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/source"
)

// AnalyzeOptions configures Index.Analyze. The zero value analyzes changed files of all
// languages.
type AnalyzeOptions struct {
	// Force parses all files again, also those that have not changed.
	Force bool
	// Languages limits the analysis to these languages. Files of other languages keep
	// their index entries. Default: all languages of the Index.
	Languages []source.Language
}

// progressEvery is the interval between two calls of a progress function.
const progressEvery = 100 * time.Millisecond

// Analyze brings the index up to date for a directory and everything below it. It
// parses new and changed files and removes the entries of missing files. Hidden files
// and files ignored by .gitignore are not indexed; these rules do not apply to dir
// itself. Parsed files become visible in snapshots in batches, before Analyze returns.
//
// A call with the same arguments as a running one joins it and returns the same Report
// with Joined set. That Report can describe files as they were shortly before the
// second call. progress may be nil. It is called in the goroutine of the caller, every
// 100 ms and once at the end.
//
// When ctx ends, Analyze returns its cause. The work stops when its last caller has
// left; files parsed until then stay in the index. Other errors are ErrClosed and
// errors of Root.Walk for dir. Errors of single files are in the Report.
func (x *Index) Analyze(ctx context.Context, dir string, o AnalyzeOptions, progress func(Progress)) (Report, error) {
	a, err := x.Begin(ctx, dir, o)
	if err != nil {
		return Report{}, err
	}
	defer a.Release()
	report, err := a.Wait(ctx, progress)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("analyzing %s: %w", a.dir, err)
	}
	return report, err
}

// Analysis is one caller's handle on a running analysis. Several handles can share one
// analysis. Its methods are safe for concurrent use, except that Release must be called
// exactly once.
type Analysis struct {
	index  *Index
	job    *job
	dir    string
	joined bool
}

// Begin starts an analysis of dir, or joins a running one with the same options. The
// analysis runs until it is finished or until all its handles are released. The errors
// are ErrClosed and those of Root.Stat for dir.
func (x *Index) Begin(ctx context.Context, dir string, o AnalyzeOptions) (*Analysis, error) {
	info, err := x.root.Stat(ctx, dir)
	if err != nil {
		return nil, err
	}
	j, joined, err := x.join(info.Path, o)
	if err != nil {
		return nil, err
	}
	return &Analysis{index: x, job: j, dir: info.Path, joined: joined}, nil
}

// Wait waits until the analysis is finished and returns its Report. progress is called
// as in Index.Analyze and may be nil. If ctx ends first, Wait returns the cause; it may
// then be called again. Several goroutines may wait.
func (a *Analysis) Wait(ctx context.Context, progress func(Progress)) (Report, error) {
	if err := a.job.wait(ctx, progress); err != nil {
		return Report{}, err
	}
	report := a.job.report
	report.Joined = a.joined
	return report, a.job.err
}

// Joined reports whether Begin joined an analysis that another caller had started.
func (a *Analysis) Joined() bool { return a.joined }

// Progress returns the current progress of the analysis.
func (a *Analysis) Progress() Progress { return a.job.run.progress() }

// Started returns the time at which the analysis started.
func (a *Analysis) Started() time.Time { return a.job.run.began }

// Release gives the handle up. The analysis is cancelled when no handle is left. Call
// it exactly once; Wait may still be called while other handles exist.
func (a *Analysis) Release() { a.index.releaseJob(a.job) }

// job is a running analysis that one or more callers share.
type job struct {
	key    string // identifies equal requests: directory, Force and languages
	run    *run
	users  int // number of unreleased handles; guarded by Index.jobsMu
	cancel context.CancelFunc
	ended  chan struct{} // closed at the end
	report Report        // valid after ended is closed
	err    error         // valid after ended is closed
}

// join returns the running job for the same request, or starts one.
func (x *Index) join(dir string, o AnalyzeOptions) (j *job, joined bool, err error) {
	wanted := slices.Sorted(slices.Values(o.Languages))
	key := fmt.Sprint(dir, "\x00", o.Force, wanted)
	x.jobsMu.Lock()
	defer x.jobsMu.Unlock()
	if x.closed {
		return nil, false, ErrClosed
	}
	if j, ok := x.running[key]; ok {
		j.users++
		return j, true, nil
	}
	working, cancel := context.WithCancel(x.ctx) // independent of the caller's context, because other callers can join
	j = &job{key: key, run: x.newRun(o), users: 1, cancel: cancel, ended: make(chan struct{})}
	x.running[key] = j
	x.run.Go(func() {
		defer cancel()
		defer x.finishJob(j)
		j.err = errors.New("analyzing failed") // the result if the analysis panics
		j.report, j.err = j.run.analyze(working, dir)
	})
	return j, false, nil
}

// finishJob closes a job and removes it, so that the next request starts a new one.
func (x *Index) finishJob(j *job) {
	x.jobsMu.Lock()
	defer x.jobsMu.Unlock()
	if x.running[j.key] == j {
		delete(x.running, j.key)
	}
	close(j.ended)
}

// releaseJob removes one caller of a job and cancels the job after the last one.
func (x *Index) releaseJob(j *job) {
	x.jobsMu.Lock()
	defer x.jobsMu.Unlock()
	if j.users--; j.users == 0 {
		if x.running[j.key] == j {
			delete(x.running, j.key) // a cancelled job must not be joined
		}
		j.cancel()
	}
}

// wait blocks until the job ends or ctx is done, and calls progress every
// progressEvery.
func (j *job) wait(ctx context.Context, progress func(Progress)) error {
	if progress == nil {
		progress = func(Progress) {}
	}
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
			progress(j.run.progress())
		case <-j.ended:
			progress(j.run.progress())
			return nil
		}
	}
}

// analyze walks dir, parses changed files, removes missing ones and returns the Report.
func (r *run) analyze(ctx context.Context, dir string) (Report, error) {
	r.x.mu.Lock()
	r.x.starts[dir] = true
	r.x.mu.Unlock()
	err := r.walk(ctx, dir, nil)
	if err != nil && ctx.Err() == nil && !absent(err) {
		return r.report, err
	}
	gone := err
	r.readAll(ctx)
	r.drop(ctx, []string{dir}, true)
	report := r.finish(ctx)
	if elsewhere := slices.ContainsFunc(r.x.roots(), func(root string) bool { return !pathset.Within(root, dir) }); !elsewhere && !report.Incomplete {
		r.x.repaired()
	}
	if ctx.Err() != nil && r.x.ctx.Err() != nil {
		return report, ErrClosed
	}
	if gone != nil && ctx.Err() == nil {
		return report, gone
	}
	return report, nil
}

// roots returns the directories whose analysis found files, and the directories that
// this Index analyzed. Shorter paths come first, so that a directory precedes the ones
// below it.
func (x *Index) roots() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	all, last := map[string]bool{}, ""
	for dir := range x.starts {
		all[dir] = true
	}
	for _, f := range x.current.Load().files {
		if f.start != last && f.start != "" {
			last = f.start
			all[last] = true
		}
	}
	dirs := make([]string, 0, len(all))
	for dir := range all {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) // "." is the shortest path
	})
	return dirs
}
