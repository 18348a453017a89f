package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
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
	w := newWalker(ctx, r, o, visit)
	start, err := w.start(name)
	if err != nil {
		return WalkStats{}, r.refused(ctx, "walk", err)
	}
	if w.o.Workers > 1 {
		err = w.concurrently(start)
	} else {
		err = w.inOrder(start)
	}
	return w.stats(), err
}

// start opens the directory in which the walk begins.
func (w *walker) start(name string) (*walkDir, error) {
	if err := ended(w.ctx); err != nil {
		return nil, err
	}
	t, err := w.root.locate(name)
	if err != nil {
		return nil, err
	}
	opened, err := t.tree.OpenDir(t.rel)
	if err != nil {
		return nil, w.root.explain(t, err)
	}
	if opened.Path != t.rel {
		err = w.root.admit(t, opened.Path)
	}
	if err == nil && insideGit(opened.Path) {
		err = invalid("Name a file in it, such as .git/HEAD, or walk another directory.", "%s lies in .git, which is not walked.", quote(t.given))
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	w.tree = t.tree
	top, _, _ := strings.Cut(opened.Path, "/")
	w.keeping = trash.IsDir(top)
	d := &walkDir{w: w, dir: opened, path: fromTop(opened.Path), depth: 1}
	d.links = &linkScope{w: w, dir: opened.Path}
	d.ignored = w.rulesAbove(d.path)
	d.enter()
	return d, nil
}

// fromTop is a final path without a dot for the top.
func fromTop(final string) string {
	if final == "." {
		return ""
	}
	return final
}

func insideGit(final string) bool {
	for component := range strings.SplitSeq(final, "/") {
		if isGit(component) {
			return true
		}
	}
	return false
}

func isGit(name string) bool { return len(name) == len(".git") && strings.EqualFold(name, ".git") }

// walker is one walk.
type walker struct {
	ctx     context.Context
	root    *Root
	tree    *tree
	o       WalkOptions
	visit   func(*WalkEntry) error
	rules   *pattern.Index
	bases   map[string][]string // of the blocked pattern.List
	keeping bool                // the walk started in a directory of backups or of the trash

	stopped  atomic.Bool // nothing more is visited
	full     atomic.Bool // nothing more is read
	seen     counter
	entries  counter
	skipped  counter
	hidden   counter
	withheld counter
	unusable counter
	unread   counter
	deeper   counter
	mu       sync.Mutex
	problems []string
}

type counter struct{ n atomic.Int64 }

func (c *counter) Add(n int) int { return int(c.n.Add(int64(n))) }
func (c *counter) Load() int     { return int(c.n.Load()) }

func newWalker(ctx context.Context, r *Root, o WalkOptions, visit func(*WalkEntry) error) *walker {
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultWalkDepth
	}
	o.MaxDepth = min(o.MaxDepth, maxWalkDepth)
	if o.MaxEntries <= 0 {
		o.MaxEntries = defaultWalkEntries
	}
	o.Workers = min(o.Workers, maxWalkWorkers)
	return &walker{ctx: ctx, root: r, o: o, visit: visit, rules: pattern.NewIndex(r.blocked), bases: r.blocked.Bases()}
}

func (w *walker) stats() WalkStats {
	s := WalkStats{
		Entries: w.entries.Load(), Skipped: w.skipped.Load(), Hidden: w.hidden.Load(), Withheld: w.withheld.Load(), Unusable: w.unusable.Load(),
		Unread: w.unread.Load(), Problems: w.problems, Full: w.full.Load(), Deeper: w.deeper.Load(),
	}
	s.Incomplete = s.Full || s.Unread > 0 || s.Deeper > 0
	return s
}

// offer lets visit decide on an entry. enter tells that the entry is a directory that is to be walked.
func (w *walker) offer(e *WalkEntry) (enter bool, err error) {
	if e.dir.left.Load() || w.stopped.Load() {
		return false, nil
	}
	if err := ended(w.ctx); err != nil {
		return false, err
	}
	if w.o.Skip != nil && w.o.Skip(e.Rel(), e.Kind) {
		w.skipped.Add(1)
		return false, nil
	}
	switch err := w.visit(e); err {
	case nil:
	case fs.SkipDir:
		if e.Kind != Directory {
			e.dir.left.Store(true)
		}
		return false, nil
	case fs.SkipAll:
		w.stopped.Store(true)
		return false, nil
	default:
		return false, err
	}
	if e.Kind == Directory && e.Depth >= w.o.MaxDepth {
		w.deeper.Add(1)
		return false, nil
	}
	return e.Kind == Directory, nil
}

// descend opens a directory that is to be walked; nil says that it cannot be, or that there is no more to be walked.
func (w *walker) descend(d *walkDir, name string) *walkDir {
	if w.full.Load() || w.stopped.Load() {
		return nil
	}
	child, err := d.child(name)
	if err != nil {
		w.unreadable(slashpath.Join(d.path, name), err)
		return nil
	}
	return child
}

// unreadable notes that a directory could not be read, unless somebody has just removed it.
func (w *walker) unreadable(final string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.unread.Add(1)
	w.problem(final, err)
}

// problem tells of a path that could not be read.
func (w *walker) problem(final string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.problems) == maxWalkProblems {
		return
	}
	given := w.tree.location(path.Join(".", final)).Path
	var code Code
	if errors.Is(err, rootfs.ErrLarge) {
		code = FileTooLarge
	} else {
		code = CodeOf(w.root.explain(target{given: given, tree: w.tree, rel: final}, err))
	}
	w.problems = append(w.problems, shorten(given)+": "+string(code))
}

// inOrder walks in the caller's goroutine: directories before what is in them, names sorted by bytes.
func (w *walker) inOrder(d *walkDir) error {
	var entry WalkEntry
	return w.walkSorted(d, &entry)
}

func (w *walker) walkSorted(d *walkDir, entry *WalkEntry) error {
	defer d.release()
	entries, err := d.all()
	if err != nil {
		return err
	}
	for _, e := range entries {
		*entry = WalkEntry{Name: e.Name, Kind: kindOf(e.Type), Depth: d.depth, dir: d}
		enter, err := w.offer(entry)
		if err != nil {
			return err
		}
		if !enter {
			continue
		}
		if child := w.descend(d, e.Name); child != nil {
			if err := w.walkSorted(child, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// all reads the entries, and sorts them. When there are more than MaxEntries, those that were read are visited still.
func (d *walkDir) all() ([]rootfs.Entry, error) {
	var entries []rootfs.Entry
	for {
		e, err := d.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b rootfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

// walkDir is an open directory of a walk, with everything that decides about its entries.
type walkDir struct {
	w       *walker
	dir     *rootfs.Dir
	path    string // final path from the top of the tree; "" for the top
	rel     string // relative to the start; "" for the start
	depth   int    // of the entries
	rules   pattern.DirRules
	ignored *ignore.Stack
	links   *linkScope

	left  atomic.Bool  // visit wanted no more of the entries
	users atomic.Int32 // that have not released it
}

// child opens a directory among the entries.
func (d *walkDir) child(name string) (*walkDir, error) {
	opened, err := d.dir.OpenDir(name)
	if err != nil {
		return nil, err
	}
	c := &walkDir{w: d.w, dir: opened, path: opened.Path, rel: slashpath.Join(d.rel, name), depth: d.depth + 1, ignored: d.ignored}
	c.links = &linkScope{w: d.w, dir: opened.Path, above: d.links}
	c.enter()
	return c, nil
}

// enter learns the rules of the directory; the stack of those above is there already.
func (d *walkDir) enter() {
	d.users.Store(1)
	d.rules = d.w.rules.In(pattern.Fold(d.path))
	if !d.w.o.Ignored {
		d.readIgnored()
	}
}

func (d *walkDir) retain() { d.users.Add(1) }

// release closes the directory when nobody uses it any more.
func (d *walkDir) release() {
	if d.users.Add(-1) == 0 {
		d.dir.Close()
	}
}

// next returns the next entry that is neither hidden nor ignored. It returns io.EOF at the end, also at that of MaxEntries.
func (d *walkDir) next() (rootfs.Entry, error) {
	w := d.w
	for {
		if w.full.Load() || w.stopped.Load() || d.left.Load() {
			return rootfs.Entry{}, io.EOF
		}
		if err := ended(w.ctx); err != nil {
			return rootfs.Entry{}, err
		}
		e, err := d.dir.Read()
		if err != nil {
			return e, d.listed(err)
		}
		if w.seen.Add(1) > w.o.MaxEntries {
			w.full.Store(true)
			return e, io.EOF
		}
		if d.admits(e) {
			return e, nil
		}
	}
}

// listed explains why there are no more entries. Only that of the start is an error.
func (d *walkDir) listed(err error) error {
	if err == io.EOF {
		return io.EOF
	}
	if d.rel == "" {
		final := d.dir.Path
		return d.w.root.explain(target{given: d.w.tree.location(final).Path, tree: d.w.tree, rel: final}, err)
	}
	d.w.unreadable(d.path, err)
	return io.EOF
}

// admits decides on the name of an entry, and counts an entry that is left out.
func (d *walkDir) admits(e rootfs.Entry) bool {
	w := d.w
	if e.Name[0] == '.' && (isGit(e.Name) || trash.IsDir(e.Name) && !w.keeping) {
		w.withheld.Add(1)
		return false
	}
	folded, ok := foldEntry(e.Name)
	switch {
	case d.rules.Match(folded):
		w.withheld.Add(1)
		return false
	case !ok:
		w.unusable.Add(1)
		return false
	}
	w.entries.Add(1)
	switch {
	case e.Name[0] == '.' && !w.o.Hidden:
		w.hidden.Add(1)
	case d.ignored.Match(d.path, e.Name, e.Type.IsDir()) == ignore.Ignored:
	default:
		return true
	}
	w.skipped.Add(1)
	return false
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

// linkScope knows the blocked files of a directory that is walked, to recognise them under another name: see tree.collect, of which
// each directory of a walk does its own part, and only once a file with several names is opened in it or below it.
type linkScope struct {
	w     *walker
	dir   string // final path
	above *linkScope

	once  sync.Once
	found hardlink.Identities
}

func (s *linkScope) hold(info fs.FileInfo) bool {
	for ; s != nil; s = s.above {
		s.once.Do(s.collect)
		if s.found.Hold(info) {
			return true
		}
	}
	return false
}

func (s *linkScope) collect() {
	blocked := s.w.root.blocked
	if s.above == nil {
		s.found = s.w.tree.links.Find(blocked, s.dir)
		return
	}
	s.found = s.w.tree.links.FindIn(blocked, s.w.bases, s.dir)
}
