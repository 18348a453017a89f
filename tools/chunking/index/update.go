package index

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/internal/pathset"
)

// maxUpdate is the number of paths above which Update compares all analyzed
// directories.
const maxUpdate = 2000

// Update brings the index up to date for changed, new or removed paths. It considers
// only directories analyzed by this Index or, with a Store, earlier. Ignored files and
// files outside these directories are not added. For a few paths it is much faster than
// Analyze. The errors are the cause of ctx and ErrClosed; invalid paths are ignored.
func (x *Index) Update(ctx context.Context, paths ...string) (Report, error) {
	r := x.newRun(AnalyzeOptions{})
	spelled := []string{} // not nil: nil means all paths
	for _, name := range paths {
		final, ok := x.finalPath(ctx, name)
		if ok && path.Base(final) == ".gitignore" {
			final = path.Dir(final) // it applies to the whole directory
		}
		if ok {
			spelled = append(spelled, final)
		}
	}
	return x.refresh(ctx, r, spelled)
}

// refresh does the work of Update; nil paths mean all analyzed directories.
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
		below, whole := pathset.Intersect(start, paths)
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

// enter registers an operation that Close must await. The caller calls busy.Done.
func (x *Index) enter() error {
	x.jobsMu.Lock()
	defer x.jobsMu.Unlock()
	if x.closed {
		return ErrClosed
	}
	x.busy.Add(1)
	return nil
}

// finalPath returns the final path of a file or directory that may no longer exist.
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
