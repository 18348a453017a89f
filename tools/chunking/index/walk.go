package index

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
)

// maxDepth is the maximum depth of directories, equal to that of a Root.
const maxDepth = 256

// walk finds the source files below a directory and selects those to read. A non-nil
// only restricts the walk to some paths.
func (r *run) walk(ctx context.Context, start string, only *pathset.Only) error {
	o := security.WalkOptions{MaxDepth: maxDepth, Workers: r.x.o.Workers}
	if only != nil {
		o.Workers = 1
		o.Skip = func(rel string, kind security.Kind) bool { return !only.Concerns(rel, kind == security.Directory) }
	}
	if r.x.within != "" && pathset.Within(start, r.x.within) {
		return nil
	}
	if only == nil {
		r.expect(r.x.Snapshot().Len())
		r.enter(func() string { return start })
	}
	stats, err := r.x.root.Walk(ctx, start, o, func(e *security.WalkEntry) error {
		if e.Kind == security.Directory && r.x.within != "" && strings.HasSuffix(r.x.within, e.Name) && e.Path() == r.x.within {
			return fs.SkipDir
		}
		switch e.Kind {
		case security.Directory:
			r.enter(e.Path)
		case security.RegularFile:
			r.visit(ctx, e, start)
		}
		return nil
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Incomplete = r.report.Incomplete || stats.Incomplete
	r.report.LeftOut += stats.Skipped + stats.Withheld + stats.Unusable
	for _, problem := range stats.Problems {
		at := strings.LastIndex(problem, ": ")
		r.troubles.add(problem[:at], problem[at+2:])
	}
	return err
}

// expect allocates seen for the expected number of files.
func (r *run) expect(files int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) == 0 {
		r.seen = make(map[string]bool, files)
	}
}

// enter records a directory of the walk, up to maxDirs+1, for Watch.
func (r *run) enter(path func() string) {
	if r.maxDirs == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dirs) <= r.maxDirs {
		r.dirs = append(r.dirs, path())
	}
}

// visit selects a file of the walk, or counts it as unchanged or not indexed.
func (r *run) visit(ctx context.Context, e *security.WalkEntry, start string) {
	lang, open, ok := r.x.languageByName(e.Name)
	data := ok && r.x.o.Parsers.IsData(lang)
	switch {
	case open:
	case !ok || data || !r.x.o.Parsers.Supports(lang):
		r.countUnparsed(ctx, e, ok && !data)
		return
	case !r.x.languages[lang]:
		r.countExcluded(e.Name, e.Name)
		return
	case !r.languages[lang]:
		return
	}
	path := e.Path()
	old, indexed := r.x.Lookup(path)
	if indexed {
		lang, ok = old.Language, true
		if !r.languages[lang] && !open {
			return
		}
	}
	if !ok && !r.script(ctx, e) {
		return
	}
	info, err := e.Info(ctx)
	if err != nil {
		if security.CodeOf(err) != security.FileNotFound {
			r.lost(path, err)
		}
		return
	}
	current := indexed && !r.force && old.fingerprint == r.x.fingerprints[lang] && old.sameAs(info.Size, info.ModTime)
	if current && !r.languages[lang] {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen[path] = true
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, again := r.seen[path]; again { // another directory's walk found it
		return
	}
	r.found.Add(1)
	r.report.Files++
	r.seen[path] = true
	if current {
		r.report.Unchanged++
		r.indexed(old)
		return
	}
	if indexed {
		start = old.start
	}
	r.changedCount.Add(1)
	r.targets = append(r.targets, target{path, start})
	r.bytes += info.Size
}

// lost counts a file whose metadata cannot be read as failed.
func (r *run) lost(path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found.Add(1)
	r.seen[path] = false
	r.report.Files++
	r.report.Failed++
	r.troubles.add(path, err.Error())
}

// script reports whether a file without a telling name is a script in a wanted
// language. It reads the first 255 bytes.
func (r *run) script(ctx context.Context, e *security.WalkEntry) bool {
	var buf [256]byte
	content, err := e.ReadFile(ctx, buf[:0], len(buf)-1)
	if err != nil && security.CodeOf(err) != security.FileTooLarge {
		r.countNoExtension(nil)
		return false
	}
	lang, ok := r.x.languageOf(e.Name, content)
	switch {
	case !ok || !r.x.o.Parsers.Supports(lang):
		r.countNoExtension(content)
	case !r.x.languages[lang]:
		r.countExcluded(e.Name, Scripts)
	}
	return ok && r.languages[lang]
}

// absent reports whether an error means that a path does not exist.
func absent(err error) bool {
	code := security.CodeOf(err)
	return code == security.FileNotFound || code == security.NotDirectory || errors.Is(err, fs.ErrNotExist)
}
