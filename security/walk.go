package security

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"sync"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/trash"
	"github.com/dougu-go/dougu/security/internal/walk"
)

// WalkOptions says what Walk visits. The zero value leaves out what .gitignore files and names that begin with a dot leave out.
type WalkOptions struct {
	// Ignored visits also what .gitignore, in any directory from the top of the Root's directory down to the entry, and
	// .git/info/exclude leave out. .git itself is never visited.
	Ignored bool
	// Hidden visits also names that begin with a dot. A .gitignore is read either way.
	Hidden bool
	// Skip leaves an entry, and what is below it, out. rel is relative to the start, with slashes. With several Workers it is
	// called from several goroutines at once. nil leaves nothing out.
	Skip func(rel string, kind Kind) bool
	// MaxDepth bounds the levels below the start: 1 visits the entries of the start alone. 0 is 64; at most 256.
	MaxDepth int
	// MaxEntries bounds the entries that are looked at, those that are not visited included. 0 is 1,000,000.
	MaxEntries int
	// Workers is the number of goroutines. 0 or 1 walks in the caller's own and in order: a directory before what is in it, names
	// sorted by bytes. More visit concurrently and in no order, except a directory before what is in it; at most 64.
	Workers int
}

const (
	defaultWalkDepth   = 64
	maxWalkDepth       = 256
	defaultWalkEntries = 1_000_000
	maxWalkWorkers     = 64
	maxWalkProblems    = 8
)

// WalkStats tells what a walk did and what it could not do.
type WalkStats struct {
	Entries    int      // that the rules of the Root let tools see
	Skipped    int      // the part of Entries left out because of Hidden, Ignored or Skip; what is below is not counted
	Hidden     int      // the part of Skipped that was left out for its name alone
	Withheld   int      // further entries that no option shows: the rules of the Root hide them, or they are .git, backups or the trash
	Unusable   int      // further entries whose names no call accepts, such as names that are not UTF-8
	Unread     int      // directories that could not be read, or not to their end
	Problems   []string // a few of them, and of .gitignore files that could not be read, as "path: CODE"; at most 8
	Full       bool     // there were more entries than MaxEntries
	Deeper     int      // directories that were not entered because of MaxDepth
	Incomplete bool     // something was not looked at: Full is set, or Unread or Deeper is not 0
}

// Walk visits what lies below a directory, which is not visited itself. It goes through open directories and never through a
// link; links are visited as such. What the rules of the Root hide, names that no call would accept, files that are being
// written, .git, and, unless the walk starts there, the directories of backups and of the trash are not visited. A walk that starts in
// .git is INVALID_PARAMS.
//
// visit may return fs.SkipDir to leave out what is in the directory that it was called with, or the rest of the directory that
// any other entry is in, and fs.SkipAll to end the walk; another error ends the walk and is returned as it is. A panic
// of visit is a panic of Walk. The statistics are valid whatever the error.
//
// A directory that cannot be read does not end the walk, unless it is the start: see WalkStats.Problems. The end of the context
// does.
//
// A .gitignore that leaves the start itself out, or a directory on the way to it, does not count: who names a directory means it.
// All other rules of the directories from the top down do. One that is larger than 1 MiB, a link or hidden is not read.
func (r *Root) Walk(ctx context.Context, name string, o WalkOptions, visit func(e *WalkEntry) error) (WalkStats, error) {
	t, start, err := r.openStart(ctx, name)
	if err != nil {
		return WalkStats{}, r.refused(ctx, "walk", err)
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultWalkDepth
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = defaultWalkEntries
	}
	problems := walkProblems{root: r, tree: t.tree}
	options := walk.Options{
		Root: t.tree.Root, Links: &t.tree.links, Blocked: r.blocked, Ignored: o.Ignored, Hidden: o.Hidden,
		MaxDepth: min(o.MaxDepth, maxWalkDepth), MaxEntries: o.MaxEntries, Workers: min(o.Workers, maxWalkWorkers),
		Reserved: trash.IsDir, FoldName: foldEntry, Problem: problems.add,
		Visitor: func() func(*walk.Entry) error {
			e := WalkEntry{root: r, tree: t.tree}
			return func(entry *walk.Entry) error {
				e.Name, e.Kind, e.Depth, e.entry = entry.Name, kindOf(entry.Type), entry.Depth, entry
				return visit(&e)
			}
		},
	}
	if o.Skip != nil {
		options.Skip = func(rel string, mode fs.FileMode) bool { return o.Skip(rel, kindOf(mode)) }
	}
	final := start.Path
	counts, err := walk.Run(ctx, start, options)
	if err == walk.ErrEnded {
		err = ended(ctx)
	} else if failed, ok := err.(*walk.ListError); ok {
		err = r.explain(target{given: t.tree.location(final).Path, tree: t.tree, rel: final}, failed.Err)
	}
	stats := WalkStats{
		Entries: counts.Entries, Skipped: counts.Skipped, Hidden: counts.Hidden, Withheld: counts.Withheld, Unusable: counts.Unusable,
		Unread: counts.Unread, Problems: problems.list, Full: counts.Full, Deeper: counts.Deeper,
	}
	stats.Incomplete = stats.Full || stats.Unread > 0 || stats.Deeper > 0
	return stats, err
}

// openStart opens the directory in which a walk begins.
func (r *Root) openStart(ctx context.Context, name string) (target, *rootfs.Dir, error) {
	if err := ended(ctx); err != nil {
		return target{}, nil, err
	}
	t, err := r.locate(name)
	if err != nil {
		return t, nil, err
	}
	opened, err := t.tree.OpenDir(t.rel)
	if err != nil {
		return t, nil, r.explain(t, err)
	}
	if opened.Path != t.rel {
		err = r.admit(t, opened.Path)
	}
	if err == nil && walk.InGit(opened.Path) {
		err = invalid("Name a file in it, such as .git/HEAD, or walk another directory.", "%s lies in .git, which is not walked.", quote(t.given))
	}
	if err != nil {
		opened.Close()
		return t, nil, err
	}
	return t, opened, nil
}

// walkProblems collects the first problems of a walk.
type walkProblems struct {
	root *Root
	tree *tree

	mu   sync.Mutex
	list []string
}

// add records a path that could not be read.
func (p *walkProblems) add(final string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == maxWalkProblems {
		return
	}
	given := p.tree.location(path.Join(".", final)).Path
	var code Code
	if errors.Is(err, rootfs.ErrLarge) {
		code = FileTooLarge
	} else {
		code = CodeOf(p.root.explain(target{given: given, tree: p.tree, rel: final}, err))
	}
	p.list = append(p.list, shorten(given)+": "+string(code))
}

// foldEntry folds a name, and reports whether a call could use it. Most names are plain ASCII, for which this is cheap.
func foldEntry(name string) (folded string, ok bool) {
	for i := range len(name) {
		if c := name[i]; c >= 0x7f || c <= ' ' || c == '/' || c == '\\' || c == ':' || 'A' <= c && c <= 'Z' {
			return pattern.Fold(name), checkEntry(name)
		}
	}
	switch name[0] {
	case '.', 'a', 'c', 'l', 'n', 'p': // a temporary file, or a device of Windows
		return name, checkEntry(name)
	}
	return name, checkComponent(onWindows, name) == ""
}
