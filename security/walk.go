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

// WalkOptions are the options of Walk. The zero value omits ignored files and names that begin with a dot.
type WalkOptions struct {
	// Ignored visits ignored files, too: entries that match .git/info/exclude or a .gitignore, in any directory from
	// the top of the project to the entry. .git itself is never visited.
	Ignored bool
	// Hidden visits names that begin with a dot, too. Walk reads .gitignore files in either case.
	Hidden bool
	// Skip omits an entry and its content if it returns true. rel is relative to the start, with slashes. With
	// several Workers it is called concurrently. nil omits nothing.
	Skip func(rel string, kind Kind) bool
	// MaxDepth is the limit of levels below the start; 1 visits only the entries of the start. 0 is 64; the maximum
	// is 256.
	MaxDepth int
	// MaxEntries is the limit of entries that Walk examines, including omitted ones. 0 is 1,000,000.
	MaxEntries int
	// Workers is the number of goroutines; the maximum is 64. With 0 or 1, Walk runs in the caller's goroutine and in
	// order: a directory before its content, names sorted by bytes. With more, visits are concurrent and unordered,
	// except that a directory comes before its content.
	Workers int
}

const (
	defaultWalkDepth   = 64
	maxWalkDepth       = 256
	defaultWalkEntries = 1_000_000
	maxWalkWorkers     = 64
	maxWalkProblems    = 8
)

// WalkStats are the statistics of a walk.
type WalkStats struct {
	// Entries counts the entries that the rules of the Root allow, including skipped ones.
	Entries int
	// Skipped counts the entries of Entries that Hidden, Ignored or Skip has omitted. The content of a skipped
	// directory is not counted.
	Skipped int
	// Hidden counts the entries of Skipped whose name begins with a dot.
	Hidden int
	// Withheld counts further entries that no option shows: blocked files, .git, backups, the trash, and files of the
	// ready programs, for example an index, that their .gitignore in the directory hides. A directory with nothing but
	// such files counts once. A walk that starts in the directory visits them.
	Withheld int
	// Unusable counts further entries whose names no call accepts, such as names that are not UTF-8.
	Unusable int
	// Unread counts directories that could not be read completely.
	Unread int
	// Problems lists at most 8 directories and .gitignore files that could not be read, as "path: CODE".
	Problems []string
	// Full reports that there were more entries than MaxEntries.
	Full bool
	// Deeper counts directories that were not entered because of MaxDepth.
	Deeper int
	// Unverified is the reason why entries may have unsaved text that was not read; see FileInfo.Unverified.
	Unverified string
	// Incomplete reports that entries may be missing: Full is set, or Unread or Deeper is not 0.
	Incomplete bool
}

// Walk calls visit for the entries below a directory, but not for the directory itself. It visits links and does not
// follow them. Blocked files, names that no call accepts, temporary files of writers and .git are never visited.
// BackupDir and TrashDir are visited only if the walk starts there. A start in .git is INVALID_PARAMS.
//
// visit can return fs.SkipDir to skip the content of the visited directory; for another entry it skips the rest of
// the entry's directory. fs.SkipAll ends the walk. Any other error ends the walk and is returned unchanged. A panic
// of visit is a panic of Walk. The statistics are valid for every error.
//
// A directory that cannot be read does not end the walk, unless it is the start: see WalkStats.Problems. The end of
// the context ends it.
//
// A .gitignore rule that ignores the start or one of its parents has no effect, since the caller names the start
// explicitly. The other rules of the directories above apply. A .gitignore is not read if it is larger than 1 MiB, a
// link, or blocked.
func (r *Root) Walk(ctx context.Context, name string, o WalkOptions, visit func(e *WalkEntry) error) (WalkStats, error) {
	view := r.view(ctx)
	t, start, err := r.openStart(ctx, name)
	if err != nil {
		return WalkStats{}, r.logRefusal(ctx, "walk", err)
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
		Reserved: trash.IsDir, Own: t.tree.isOwn, OwnRules: ownRules, FoldName: foldEntry, Problem: problems.add,
		Visitor: func() func(*walk.Entry) error {
			e := WalkEntry{root: r, tree: t.tree, view: view}
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
		err = contextError(ctx)
	} else if failed, ok := err.(*walk.ListError); ok {
		err = r.explain(target{given: t.tree.location(final).Path, tree: t.tree, rel: final}, failed.Err)
	}
	stats := WalkStats{
		Entries: counts.Entries, Skipped: counts.Skipped, Hidden: counts.Hidden, Withheld: counts.Withheld, Unusable: counts.Unusable,
		Unread: counts.Unread, Problems: problems.list, Full: counts.Full, Deeper: counts.Deeper,
	}
	stats.Unverified = view.Problem()
	r.reportMissing(ctx, view, t.tree, final)
	stats.Incomplete = stats.Full || stats.Unread > 0 || stats.Deeper > 0
	return stats, err
}

// openStart opens the directory in which a walk begins.
func (r *Root) openStart(ctx context.Context, name string) (target, *rootfs.Dir, error) {
	if err := contextError(ctx); err != nil {
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

// foldEntry returns the folded name and reports whether calls accept the name. Plain ASCII, the common case, is
// cheap.
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
