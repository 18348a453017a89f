package security

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

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
