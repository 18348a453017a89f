package filesystem

import (
	"context"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// maxDepth is how deep directories are walked: as deep as a Root does.
const maxDepth = 256

// survey finds which files are to be read, and which are gone.
func (w *work) survey(ctx context.Context) error {
	var walked []string // what is looked for by walking
	if w.whole() {
		walked = w.f.covered
	}
	for _, name := range pathset.Outermost(w.paths) { // what is within another is found by walking that, whose rules may be new
		if !w.single(ctx, name) {
			walked = append(walked, name)
		}
	}
	walked = pathset.Outermost(walked)
	for _, dir := range w.f.covered {
		below, whole := pathset.Touching(dir, walked)
		if len(below) == 0 {
			continue
		}
		var only *pathset.Only
		if !whole {
			only = pathset.NewOnly(dir, below)
		}
		if err := w.walk(ctx, dir, only); err != nil {
			return err
		}
	}
	return w.gone(ctx, walked)
}

// single decides on an indexed file that is still there or was removed, without
// walking: the rules that took it in have not changed.
func (w *work) single(ctx context.Context, name string) bool {
	if _, ok := w.lookup(ctx, name); !ok {
		return false
	}
	info, err := w.f.root.Lstat(ctx, name)
	switch {
	case err == nil && info.Kind == security.RegularFile && info.Path == name && w.f.covers(name):
		w.consider(ctx, name, info)
		return true
	case err == nil || security.CodeOf(err) == security.FileNotFound:
		w.removed = append(w.removed, name)
		return err != nil
	}
	return false
}

// walk looks at the files of a directory.
func (w *work) walk(ctx context.Context, dir string, only *pathset.Only) error {
	o := security.WalkOptions{MaxDepth: maxDepth, Workers: w.f.workers, Skip: func(rel string, kind security.Kind) bool {
		isDir := kind == security.Directory
		return !only.Concerns(rel, isDir) || w.f.leavesOut(join(dir, rel), isDir)
	}}
	if only != nil {
		o.Workers = 1
	} else {
		w.dirs = append(w.dirs, dir)
	}
	stats, err := w.f.root.Walk(ctx, dir, o, func(e *security.WalkEntry) error {
		switch e.Kind {
		case security.Directory:
			w.enter(e.Path())
		case security.RegularFile:
			w.visit(ctx, e)
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !absent(err) {
		w.incomplete, w.trouble = true, err.Error()
		w.f.log.WarnContext(ctx, "a directory of the index cannot be read", "directory", dir, "error", err)
	}
	w.notes(stats)
	return nil
}

// absent says that there is no such directory.
func absent(err error) bool {
	code := security.CodeOf(err)
	return code == security.FileNotFound || code == security.NotDirectory
}

// notes takes over what a walk could not look at.
func (w *work) notes(stats security.WalkStats) {
	w.incomplete = w.incomplete || stats.Incomplete
	note := func(reason string, n int, problems []string) {
		if n == 0 {
			return
		}
		one := plugin.Skipped{Reason: reason, Files: n}
		for _, problem := range problems {
			name, _, _ := strings.Cut(problem, ": ")
			one.Examples = examples(one.Examples, name)
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

// enter notes a directory, to be watched.
func (w *work) enter(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirs = append(w.dirs, name)
}

// visit looks at a file during the walk.
func (w *work) visit(ctx context.Context, e *security.WalkEntry) {
	name := e.Path()
	if binaryName(e.Name) {
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
	current := indexed && known.Size == info.Size && known.ModTime.Equal(info.ModTime) && w.f.cutter.current(known)
	w.f.mu.Lock()
	before, same := w.f.skipped.same(name, info.Size, info.ModTime)
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

// skip notes a file that is not indexed.
func (w *work) skip(name string, why skip) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skipped.add(name, why)
}

// gone finds the indexed files that were not seen where it was looked for them.
func (w *work) gone(ctx context.Context, walked []string) error {
	if w.whole() {
		for name := range w.known {
			w.missing(ctx, name)
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
				w.missing(ctx, k.Path)
				break
			}
		}
	}
	return ctx.Err()
}

// missing has an indexed file removed unless it was seen, or could not be.
func (w *work) missing(ctx context.Context, name string) {
	if w.seen[name] || ctx.Err() != nil {
		return
	}
	if _, skipped := w.skipped.files[name]; w.incomplete && !skipped && w.f.covers(name) {
		if info, err := w.f.root.Lstat(ctx, name); err == nil && info.Kind == security.RegularFile || unknown(err) {
			w.report.Unchanged++
			return
		}
	}
	w.removed = append(w.removed, name)
}

// unknown says that an error does not tell whether a file is there and may be seen.
func unknown(err error) bool {
	switch security.CodeOf(err) {
	case security.FileNotFound, security.NotDirectory, security.PermissionDenied:
		return false
	}
	return err != nil
}
