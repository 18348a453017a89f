// Package walk traverses a directory tree through open directories of a [rootfs.Root] and never through a link. It knows ignore files of
// git, blocked patterns and hard links to blocked files, and walks in order or with a pool of workers.
//
// The caller opens the start, gives the rules for names as functions, and explains errors; see [Options]. A final path is the path of an
// opened entry in the Root, after all links.
package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// ErrEnded is returned by Run when the context has ended.
var ErrEnded = errors.New("the context of the walk has ended")

// ListError is the error of a start that cannot be listed.
type ListError struct{ Err error }

func (e *ListError) Error() string { return "list the start of the walk: " + e.Err.Error() }

// Unwrap returns the error of the file system.
func (e *ListError) Unwrap() error { return e.Err }

// Options are the rules of a walk. All functions are required, apart from Skip, and may be called from several goroutines at once.
type Options struct {
	Root    *rootfs.Root
	Links   *hardlink.Finder
	Blocked pattern.List

	Ignored    bool // visit entries that ignore files leave out
	Hidden     bool // visit names that begin with a dot
	MaxDepth   int  // levels below the start
	MaxEntries int  // entries that are read
	Workers    int  // goroutines; with 1 or less the walk is in order

	// Skip leaves an entry out. rel is relative to the start.
	Skip func(rel string, mode fs.FileMode) bool
	// Reserved reports whether a name belongs to the trash or the backups. A walk visits them only if it starts in one of them.
	Reserved func(name string) bool
	// Own reports whether the directory with a final path holds nothing but hidden files of the programs. A walk visits such a
	// directory only if it starts there.
	Own func(final string) bool
	// OwnRules returns the rules that match the files of the programs among the entries of a directory with a final path; nil without
	// such files. A walk visits the files only if it starts in the directory.
	OwnRules func(final string, dir *rootfs.Dir) *ignore.Rules
	// FoldName returns the name in the case of the patterns. usable is false for a name that the methods of security.Root refuse; the
	// walk leaves it out.
	FoldName func(name string) (folded string, usable bool)
	// Problem receives the errors of directories and ignore files that cannot be read, with their final paths.
	Problem func(final string, err error)
	// Visitor returns the function that visits entries. It is called once for each goroutine of the walk, so that the function may
	// use memory of its own.
	Visitor func() func(*Entry) error
}

// Stats are the counts of a walk.
type Stats struct {
	Entries  int  // entries with permitted names, including the skipped ones
	Skipped  int  // entries left out as hidden, by an ignore file, or by Options.Skip
	Hidden   int  // the part of Skipped whose names begin with a dot
	Withheld int  // entries left out as .git, as reserved, or by a blocked pattern; not in Entries
	Unusable int  // entries left out because no call accepts their names; not in Entries
	Unread   int  // directories that could not be read; see Options.Problem
	Deeper   int  // directories at MaxDepth, which were visited and not entered
	Full     bool // MaxEntries was reached, so entries are missing
}

// walker is one walk. Its counters are those of Stats.
type walker struct {
	Options
	ctx      context.Context
	rules    *pattern.Index
	bases    map[string][]string // Blocked.Bases()
	reserved bool                // the walk started in a reserved directory

	stopped  atomic.Bool // nothing more is visited
	full     atomic.Bool // nothing more is read
	seen     counter     // entries that were read, for MaxEntries
	entries  counter
	skipped  counter
	hidden   counter
	withheld counter
	unusable counter
	unread   counter
	deeper   counter
}

type counter struct{ n atomic.Int64 }

func (c *counter) Add(n int) int { return int(c.n.Add(int64(n))) }
func (c *counter) Load() int     { return int(c.n.Load()) }

// Run visits the entries below a directory, which it closes. The visit may return fs.SkipDir and fs.SkipAll; another error ends the
// walk and is returned as it is. The counts are valid with every error.
func Run(ctx context.Context, start *rootfs.Dir, o Options) (Stats, error) {
	w := &walker{Options: o, ctx: ctx, rules: pattern.NewIndex(o.Blocked), bases: o.Blocked.Bases()}
	top, _, _ := strings.Cut(start.Path, "/")
	w.reserved = o.Reserved(top)
	d := &directory{w: w, dir: start, path: fromTop(start.Path), depth: 1}
	d.links = &linkScope{w: w, dir: start.Path}
	d.ignored = w.rulesAbove(d.path)
	d.enter()
	var err error
	if o.Workers > 1 {
		err = w.runWorkers(d)
	} else {
		var entry Entry
		err = w.runSorted(d, &entry, o.Visitor())
	}
	return Stats{
		Entries: w.entries.Load(), Skipped: w.skipped.Load(), Hidden: w.hidden.Load(), Withheld: w.withheld.Load(), Unusable: w.unusable.Load(),
		Unread: w.unread.Load(), Deeper: w.deeper.Load(), Full: w.full.Load(),
	}, err
}

// fromTop returns a final path, with "" instead of "." for the top of the Root.
func fromTop(final string) string {
	if final == "." {
		return ""
	}
	return final
}

// InGit reports whether a final path lies in a directory .git.
func InGit(final string) bool {
	for component := range strings.SplitSeq(final, "/") {
		if isGit(component) {
			return true
		}
	}
	return false
}

func isGit(name string) bool { return len(name) == len(".git") && strings.EqualFold(name, ".git") }

// runSorted walks in the goroutine of the caller: a directory before its content, names sorted by bytes.
func (w *walker) runSorted(d *directory, entry *Entry, visit func(*Entry) error) error {
	defer d.release()
	entries, err := d.all()
	if err != nil {
		return err
	}
	for _, e := range entries {
		*entry = Entry{Name: e.Name, Type: e.Type, Depth: d.depth, dir: d}
		enter, err := w.offer(entry, visit)
		if err != nil {
			return err
		}
		if !enter {
			continue
		}
		if child := w.descend(d, e.Name); child != nil {
			if err := w.runSorted(child, entry, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// all reads the entries, and sorts them. At the limit MaxEntries the entries that were read before are returned.
func (d *directory) all() ([]rootfs.Entry, error) {
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

// offer calls visit for an entry that Skip does not leave out. enter reports that the entry is a directory that is to be walked.
func (w *walker) offer(e *Entry, visit func(*Entry) error) (enter bool, err error) {
	if e.dir.left.Load() || w.stopped.Load() {
		return false, nil
	}
	if w.ctx.Err() != nil {
		return false, ErrEnded
	}
	if w.Skip != nil && w.Skip(e.Rel(), e.Type) {
		w.skipped.Add(1)
		return false, nil
	}
	switch err := visit(e); err {
	case nil:
	case fs.SkipDir:
		if !e.Type.IsDir() {
			e.dir.left.Store(true)
		}
		return false, nil
	case fs.SkipAll:
		w.stopped.Store(true)
		return false, nil
	default:
		return false, err
	}
	if e.Type.IsDir() && e.Depth >= w.MaxDepth {
		w.deeper.Add(1)
		return false, nil
	}
	return e.Type.IsDir(), nil
}

// descend opens a directory that is to be walked. nil says that it cannot be opened, or that the walk ends.
func (w *walker) descend(d *directory, name string) *directory {
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

// unreadable reports a directory that could not be read, unless it was just removed.
func (w *walker) unreadable(final string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.unread.Add(1)
	w.Problem(final, err)
}
