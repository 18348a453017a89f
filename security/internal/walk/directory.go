package walk

import (
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// Entry is an entry during a visit. It is valid until the visit returns; the strings stay valid.
type Entry struct {
	Name  string
	Type  fs.FileMode // the type bits
	Depth int         // levels below the start; 1 is an entry of the start

	dir *directory
	rel string // "" until it is needed
}

// Rel returns the path relative to the start of the walk.
func (e *Entry) Rel() string {
	if e.rel == "" {
		e.rel = slashpath.Join(e.dir.rel, e.Name)
	}
	return e.rel
}

// Final returns the final path.
func (e *Entry) Final() string {
	if len(e.dir.path) == len(e.dir.rel) {
		return e.Rel()
	}
	return slashpath.Join(e.dir.path, e.Name)
}

// Dir returns the open directory of the entry. The walk closes it.
func (e *Entry) Dir() *rootfs.Dir { return e.dir.dir }

// IsBlockedLink reports whether a file with several names is a blocked file by another name.
func (e *Entry) IsBlockedLink(info fs.FileInfo) bool { return e.dir.links.hold(info) }

// directory is an open directory of a walk, with the rules for its entries.
type directory struct {
	w       *walker
	dir     *rootfs.Dir
	path    string // final path from the top of the tree; "" for the top
	rel     string // relative to the start; "" for the start
	depth   int    // of the entries
	rules   pattern.DirRules
	ignored *ignore.Stack
	own     *ignore.Rules // match files of the programs; nil without such files, and at the start
	links   *linkScope

	left  atomic.Bool  // visit wanted no more of the entries
	users atomic.Int32 // that have not released it
}

// child opens a directory among the entries.
func (d *directory) child(name string) (*directory, error) {
	opened, err := d.dir.OpenDir(name)
	if err != nil {
		return nil, err
	}
	c := &directory{w: d.w, dir: opened, path: opened.Path, rel: slashpath.Join(d.rel, name), depth: d.depth + 1, ignored: d.ignored}
	c.links = &linkScope{w: d.w, dir: opened.Path, above: d.links}
	c.own = d.w.OwnRules(c.path, opened)
	c.enter()
	return c, nil
}

// enter reads the rules of the directory; ignored has the rules of the directories above.
func (d *directory) enter() {
	d.users.Store(1)
	d.rules = d.w.rules.In(pattern.Fold(d.path))
	if !d.w.Ignored {
		d.readIgnored()
	}
}

func (d *directory) retain() { d.users.Add(1) }

// release closes the directory when its last user releases it.
func (d *directory) release() {
	if d.users.Add(-1) == 0 {
		d.dir.Close()
	}
}

// next returns the next entry that is neither hidden nor ignored. It returns io.EOF at the end, also at the limit MaxEntries.
func (d *directory) next() (rootfs.Entry, error) {
	w := d.w
	for {
		if w.full.Load() || w.stopped.Load() || d.left.Load() {
			return rootfs.Entry{}, io.EOF
		}
		if w.ctx.Err() != nil {
			return rootfs.Entry{}, ErrEnded
		}
		e, err := d.dir.Read()
		if err != nil {
			return e, d.listed(err)
		}
		if w.seen.Add(1) > w.MaxEntries {
			w.full.Store(true)
			return e, io.EOF
		}
		if d.admits(e) {
			return e, nil
		}
	}
}

// listed reports why there are no more entries. Only the start fails with an error.
func (d *directory) listed(err error) error {
	if err == io.EOF {
		return io.EOF
	}
	if d.rel == "" {
		return &ListError{err}
	}
	d.w.unreadable(d.path, err)
	return io.EOF
}

// admits decides on the name of an entry, and counts an entry that is left out.
func (d *directory) admits(e rootfs.Entry) bool {
	w := d.w
	if e.Name[0] == '.' && (isGit(e.Name) || w.Reserved(e.Name) && !w.reserved) {
		w.withheld.Add(1)
		return false
	}
	folded, ok := w.FoldName(e.Name)
	switch {
	case d.rules.Match(folded):
		w.withheld.Add(1)
		return false
	case !ok:
		w.unusable.Add(1)
		return false
	case e.Type.IsDir() && w.Own(slashpath.Join(d.path, e.Name)), d.own != nil && d.own.Match(e.Name, e.Type.IsDir()) == ignore.Ignored:
		w.withheld.Add(1)
		return false
	}
	w.entries.Add(1)
	switch {
	case e.Name[0] == '.' && !w.Hidden:
		w.hidden.Add(1)
	case d.ignored.Match(d.path, e.Name, e.Type.IsDir()) == ignore.Ignored:
	default:
		return true
	}
	w.skipped.Add(1)
	return false
}

// linkScope has the blocked files of a directory that is walked, to recognise them by another name. Each directory of a walk collects
// its own part, and only once a file with several names is opened in it or below it.
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
	if s.above == nil {
		s.found = s.w.Links.Find(s.w.Blocked, s.dir)
		return
	}
	s.found = s.w.Links.FindIn(s.w.Blocked, s.w.bases, s.dir)
}
