package security

import (
	"io"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

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
	if e.Name[0] == '.' && (isGit(e.Name) || housekeeping(e.Name) && !w.keeping) {
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
