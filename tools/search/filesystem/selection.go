package filesystem

import (
	"context"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/internal/skips"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// maxDepth is the maximum depth of directories, the limit of a Root.
const maxDepth = 256

// selectFiles finds the files to read and the indexed files to remove.
func (w *work) selectFiles(ctx context.Context) error {
	var walked []string // paths to walk
	if w.isComplete() {
		walked = w.f.covered
	}
	for _, name := range pathset.Outermost(w.paths) { // nested paths are found by the walk of the outer one, whose .gitignore may be new
		if !w.considerIndexed(ctx, name) {
			walked = append(walked, name)
		}
	}
	walked = pathset.Outermost(walked)
	for _, dir := range w.f.covered {
		below, complete := pathset.Intersect(dir, walked)
		if len(below) == 0 {
			continue
		}
		var only *pathset.Only
		if !complete {
			only = pathset.NewOnly(dir, below)
		}
		if err := w.walk(ctx, dir, only); err != nil {
			return err
		}
	}
	return w.removeMissing(ctx, walked)
}

// considerIndexed handles an indexed file that still exists or was deleted, without a walk: the rules that admitted it have not
// changed. It reports whether the path is done.
func (w *work) considerIndexed(ctx context.Context, name string) bool {
	if _, ok := w.lookup(ctx, name); !ok {
		return false
	}
	info, err := w.f.root.Lstat(ctx, name)
	switch {
	case err == nil && info.Kind == security.RegularFile && info.Path == name && w.f.isCovered(name):
		w.consider(ctx, name, info)
		return true
	case err == nil || security.CodeOf(err) == security.FileNotFound:
		w.removed = append(w.removed, name)
		return err != nil
	}
	return false
}

// walk visits the files of a directory; only restricts the walk to some paths.
func (w *work) walk(ctx context.Context, dir string, only *pathset.Only) error {
	o := security.WalkOptions{MaxDepth: maxDepth, Workers: w.f.workers, Skip: func(rel string, kind security.Kind) bool {
		isDir := kind == security.Directory
		return !only.Concerns(rel, isDir) || w.f.isExcluded(join(dir, rel), isDir)
	}}
	if only != nil {
		o.Workers = 1
	} else {
		w.dirs = append(w.dirs, dir)
	}
	stats, err := w.f.root.Walk(ctx, dir, o, func(e *security.WalkEntry) error {
		switch e.Kind {
		case security.Directory:
			w.addDir(e.Path())
		case security.RegularFile:
			w.visit(ctx, e)
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !isMissing(err) {
		w.incomplete, w.problem = true, err.Error()
		w.f.log.WarnContext(ctx, "reading an indexed directory failed", "directory", dir, "error", err)
	}
	w.addWalkStats(stats)
	return nil
}

// isMissing reports whether a directory does not exist.
func isMissing(err error) bool {
	code := security.CodeOf(err)
	return code == security.FileNotFound || code == security.NotDirectory
}

// addWalkStats records the parts that a walk did not visit as notes.
func (w *work) addWalkStats(stats security.WalkStats) {
	w.incomplete = w.incomplete || stats.Incomplete
	note := func(reason string, n int, problems []string) {
		if n == 0 {
			return
		}
		one := plugin.Skipped{Reason: reason, Files: n}
		for _, problem := range problems {
			name, _, _ := strings.Cut(problem, ": ")
			one.Examples = skips.WithExample(one.Examples, name)
		}
		w.skipped.notes = append(w.skipped.notes, one)
	}
	note(reasonDirectory, stats.Unread, stats.Problems)
	note(reasonDeep, stats.Deeper, nil)
	note(reasonWithheld, stats.Withheld, nil)
	note(reasonUnusable, stats.Unusable, nil)
	if stats.Full {
		note(reasonMany, 1, nil)
	}
}

// addDir records a directory, to be watched.
func (w *work) addDir(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirs = append(w.dirs, name)
}

// visit handles a file of a walk.
func (w *work) visit(ctx context.Context, e *security.WalkEntry) {
	name := e.Path()
	if isBinaryName(e.Name) {
		w.skip(name, skip{reason: reasonBinary})
		return
	}
	info, err := e.Info(ctx)
	if err != nil {
		if security.CodeOf(err) != security.FileNotFound {
			w.skip(name, skip{reason: reasonUnreadable})
		}
		return
	}
	w.consider(ctx, name, info)
}

// consider decides whether a file must be read.
func (w *work) consider(ctx context.Context, name string, info security.FileInfo) {
	known, indexed := w.lookup(ctx, name)
	current := indexed && known.Size == info.Size && known.ModTime.Equal(info.ModTime) && w.f.cutter.isCurrent(known)
	w.f.mu.Lock()
	before, same := w.f.skipped.unchanged(name, info.Size, info.ModTime)
	w.f.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[name] {
		return
	}
	w.seen[name] = true
	switch {
	case info.Size > w.f.maxFile:
		before = skip{reasonLarge, info.Size, info.ModTime}
	case same && !w.full && before.reason != reasonUnreadable:
	case current && !w.full:
		w.report.Unchanged++
		return
	default:
		w.targets = append(w.targets, target{name, known, indexed})
		return
	}
	w.skipped.add(name, before)
	if indexed {
		w.removed = append(w.removed, name)
	}
}

// skip records a file that is not indexed.
func (w *work) skip(name string, why skip) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skipped.add(name, why)
}

// removeMissing selects indexed files for removal that the walk did not find in walked.
func (w *work) removeMissing(ctx context.Context, walked []string) error {
	if w.isComplete() {
		for name := range w.known {
			w.removeUnlessSeen(ctx, name)
		}
		return ctx.Err()
	}
	var dirs []string
	for _, name := range walked {
		if !w.seen[name] {
			dirs = append(dirs, name)
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	var all []index.Known
	for k, err := range w.f.index.Files(ctx) {
		if err != nil {
			return err
		}
		all = append(all, k)
	}
	for _, k := range all {
		for _, dir := range dirs {
			if pathset.Within(k.Path, dir) {
				w.removeUnlessSeen(ctx, k.Path)
				break
			}
		}
	}
	return ctx.Err()
}

// removeUnlessSeen selects an indexed file for removal, unless it was seen or is in an unreadable directory.
func (w *work) removeUnlessSeen(ctx context.Context, name string) {
	if w.seen[name] || ctx.Err() != nil {
		return
	}
	if _, skipped := w.skipped.files[name]; w.incomplete && !skipped && w.f.isCovered(name) {
		if info, err := w.f.root.Lstat(ctx, name); err == nil && info.Kind == security.RegularFile || isInconclusive(err) {
			w.report.Unchanged++
			return
		}
	}
	w.removed = append(w.removed, name)
}

// isInconclusive reports whether an error leaves open whether a file exists and is permitted.
func isInconclusive(err error) bool {
	switch security.CodeOf(err) {
	case security.FileNotFound, security.NotDirectory, security.PermissionDenied:
		return false
	}
	return err != nil
}
