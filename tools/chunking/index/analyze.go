package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/source"
)

// AnalyzeOptions say how Analyze works; the zero value is right.
type AnalyzeOptions struct {
	// Force parses all files again, also those that have not changed.
	Force bool
	// Languages are those that are looked for; files in others stay as they are
	// indexed. Empty for all of the Index.
	Languages []source.Language
}

// progressEvery is how often Analyze tells its progress.
const progressEvery = 100 * time.Millisecond

// Analyze brings the index up to date for a directory and all below it: files that
// are new or have changed are parsed, and those that are gone are dropped. Hidden
// files and what .gitignore leaves out are not indexed, except that the directory
// itself is whatever rules say of it. What was read is known to others while the
// work goes on.
//
// A second call for the same joins the first, and has the same Report, with Joined
// set: it may tell of files as they were a moment before the call. progress may be
// nil; it is called in the caller's goroutine, now and then and at the end.
//
// When ctx ends, Analyze returns its cause; the work ends when no caller is left,
// and what was read until then is kept. Other errors are ErrClosed and those of
// Root.Walk for the directory itself. What is wrong with single files is in the
// Report.
func (x *Index) Analyze(ctx context.Context, dir string, o AnalyzeOptions, progress func(Progress)) (Report, error) {
	a, err := x.Begin(ctx, dir, o)
	if err != nil {
		return Report{}, err
	}
	defer a.Leave()
	report, err := a.Wait(ctx, progress)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("analyzing %s: %w", a.dir, err)
	}
	return report, err
}

// Analysis is the part that one caller has in an analysis that runs.
type Analysis struct {
	index  *Index
	job    *job
	dir    string
	joined bool
}

// Begin is the beginning of Analyze: it joins the analysis that does the same, or
// begins it. The work goes on until it is done or all who have begun or joined it
// have left.
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

// Wait waits for the end and reports. progress is that of Analyze. When ctx ends,
// its cause is the error, and the analysis can be waited for again, by several
// goroutines at once.
func (a *Analysis) Wait(ctx context.Context, progress func(Progress)) (Report, error) {
	if err := a.job.wait(ctx, progress); err != nil {
		return Report{}, err
	}
	report := a.job.report
	report.Joined = a.joined
	return report, a.job.err
}

// Joined says that the work had been begun for another caller.
func (a *Analysis) Joined() bool { return a.joined }

// Progress is how far the work has come.
func (a *Analysis) Progress() Progress { return a.job.run.progress() }

// Began is when the work was begun.
func (a *Analysis) Began() time.Time { return a.job.run.began }

// Leave ends the part of this caller, who may still Wait if others have a part. It
// must be called once.
func (a *Analysis) Leave() { a.index.leave(a.job) }

// job is an Analyze that runs, for one or more callers.
type job struct {
	key    string
	run    *run
	users  int // guarded by Index.jobs
	cancel context.CancelFunc
	ended  chan struct{}
	report Report // after ended
	err    error
}

// join finds the job that does the same, or begins it.
func (x *Index) join(dir string, o AnalyzeOptions) (j *job, joined bool, err error) {
	wanted := slices.Sorted(slices.Values(o.Languages))
	key := fmt.Sprint(dir, "\x00", o.Force, wanted)
	x.jobs.Lock()
	defer x.jobs.Unlock()
	if x.closed {
		return nil, false, ErrClosed
	}
	if j, ok := x.joined[key]; ok {
		j.users++
		return j, true, nil
	}
	working, cancel := context.WithCancel(x.ctx) // not the caller's, who may leave
	j = &job{key: key, run: x.newRun(o), users: 1, cancel: cancel, ended: make(chan struct{})}
	x.joined[key] = j
	x.run.Go(func() {
		defer cancel()
		defer x.forget(j)
		j.err = errors.New("analyzing failed") // unless it returns
		j.report, j.err = j.run.analyze(working, dir)
	})
	return j, false, nil
}

// forget ends a job: who comes now begins another.
func (x *Index) forget(j *job) {
	x.jobs.Lock()
	defer x.jobs.Unlock()
	if x.joined[j.key] == j {
		delete(x.joined, j.key)
	}
	close(j.ended)
}

// leave ends the interest of a caller in a job.
func (x *Index) leave(j *job) {
	x.jobs.Lock()
	defer x.jobs.Unlock()
	if j.users--; j.users == 0 {
		if x.joined[j.key] == j {
			delete(x.joined, j.key) // nobody joins what is being ended
		}
		j.cancel()
	}
}

// wait waits for the end of a job and tells of its progress.
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

// analyze does the work of Analyze.
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
	if ctx.Err() != nil && r.x.ctx.Err() != nil {
		return report, ErrClosed
	}
	if gone != nil && ctx.Err() == nil {
		return report, gone
	}
	return report, nil
}

// roots are the directories whose analysis has found files, and those that were
// analysed by this Index, the widest first.
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
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) // nothing is shorter than "."
	})
	return dirs
}
