package index

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/internal/pathset"
)

// maxUpdate is how many paths Update looks at one by one. Of more, all that was
// analysed is looked at.
const maxUpdate = 2000

// Update brings the index up to date for some files and directories that have
// changed, appeared or gone, in what was analysed before: now or, with a Store, in
// an earlier run. What no analysis would find, because it lies elsewhere or is
// left out by .gitignore, does not enter the index. It is much faster than Analyze
// for a few paths. The errors are those of ctx and ErrClosed; a path that cannot be
// is left alone.
func (x *Index) Update(ctx context.Context, paths ...string) (Report, error) {
	r := x.newRun(AnalyzeOptions{})
	spelled := []string{} // not nil, which is everything
	for _, name := range paths {
		final, ok := x.finalPath(ctx, name)
		if ok && path.Base(final) == ".gitignore" {
			final = path.Dir(final) // it decides about all that is there
		}
		if ok {
			spelled = append(spelled, final)
		}
	}
	return x.refresh(ctx, r, spelled)
}

// refresh does the work of Update, for everything if paths is nil.
func (x *Index) refresh(ctx context.Context, r *run, paths []string) (Report, error) {
	if err := x.enter(); err != nil {
		return Report{}, err
	}
	defer x.busy.Done()
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(x.ctx, cancel)()
	roots := x.roots()
	if paths == nil || len(paths) > maxUpdate {
		paths = roots
	}
	paths = pathset.Outermost(paths)
	for _, start := range roots {
		below, whole := pathset.Touching(start, paths)
		if len(below) == 0 {
			continue
		}
		var some *pathset.Only
		if !whole {
			some = pathset.NewOnly(start, below)
		}
		if err := r.walk(working, start, some); err != nil && !absent(err) && working.Err() == nil {
			r.report.Incomplete = true
			x.log.WarnContext(ctx, "a directory of the index cannot be walked", "directory", start, "error", err)
		}
	}
	r.readAll(working)
	r.drop(working, paths, false)
	report := r.finish(working)
	switch {
	case ctx.Err() != nil:
		return report, context.Cause(ctx)
	case x.ctx.Err() != nil:
		return report, ErrClosed
	}
	return report, nil
}

// enter begins work that Close waits for, until busy is done.
func (x *Index) enter() error {
	x.jobs.Lock()
	defer x.jobs.Unlock()
	if x.closed {
		return ErrClosed
	}
	x.busy.Add(1)
	return nil
}

// finalPath is the final path of a file or directory that may be gone, as the index
// spells it.
func (x *Index) finalPath(ctx context.Context, name string) (string, bool) {
	info, err := x.root.Lstat(ctx, name)
	if err == nil {
		return info.Path, true
	}
	if !absent(err) {
		return "", false
	}
	clean := filepath.ToSlash(filepath.Clean(name))
	for dir, rest := path.Split(clean); ; dir, rest = path.Dir(path.Clean(dir)), path.Join(path.Base(path.Clean(dir)), rest) {
		if dir == "" || dir == "." {
			return path.Clean(rest), true
		}
		info, err := x.root.Stat(ctx, dir)
		switch {
		case err == nil && info.Path == ".":
			return path.Clean(rest), true
		case err == nil:
			return path.Join(info.Path, rest), true
		case !absent(err) || errors.Is(err, context.Canceled) || dir == "/":
			return "", false
		}
	}
}
