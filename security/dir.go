package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// Dir is a directory held open for walking: entries are read in batches, and files and directories in it are opened from
// here, without walking down from the root again. None of its methods follows a link; pass the path of a link to Root.Stat or
// Root.Open for that. One goroutine at a time may call Next; the other methods may be called from several.
type Dir struct {
	root    *Root
	tree    *tree
	dir     *rootfs.Dir
	folded  string // final path as patterns see it, "" for the root
	skipped int

	blockedOnce sync.Once
	blockedIDs  hardlink.Identities
}

// Entry is one entry of a directory.
type Entry struct {
	Name string
	Kind Kind
}

// OpenDir opens the directory that a path leads to.
func (r *Root) OpenDir(ctx context.Context, name string) (*Dir, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	t, err := r.locate(name)
	if err != nil {
		return nil, r.refused(ctx, "list", err)
	}
	opened, err := t.tree.OpenDir(t.rel)
	if err != nil {
		return nil, r.refused(ctx, "list", r.explain(t, err))
	}
	if opened.Path != t.rel {
		if err := r.admit(t, opened.Path); err != nil {
			opened.Close()
			return nil, r.refused(ctx, "list", err)
		}
	}
	return r.newDir(t.tree, opened), nil
}

func (r *Root) newDir(t *tree, opened *rootfs.Dir) *Dir {
	d := &Dir{root: r, tree: t, dir: opened}
	if opened.Path != "." {
		d.folded = pattern.Fold(opened.Path)
	}
	return d
}

// Info describes the directory.
func (d *Dir) Info() FileInfo { return d.tree.info(d.dir.Path, d.dir.Info) }

// Path names an entry in another call.
func (d *Dir) Path(name string) string {
	return d.tree.location(slashpath.Join(d.dir.Path, name)).Path
}

// Next returns up to n further entries, or some when n is not positive, in the order of the file system, and io.EOF after the last. It leaves out what
// the rules hide, names that no call would accept, files that are being written, and the directories of backups and of the trash; see
// Skipped.
func (d *Dir) Next(ctx context.Context, n int) ([]Entry, error) {
	for {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		listed, err := d.dir.Next(n)
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			return nil, failure(d.Path("."), err)
		}
		entries := make([]Entry, 0, len(listed))
		for _, e := range listed {
			if trash.IsDir(e.Name) || !d.listable(e.Name) {
				d.skipped++
				continue
			}
			entries = append(entries, Entry{Name: e.Name, Kind: kindOf(e.Type)})
		}
		if len(entries) > 0 {
			return entries, nil
		}
	}
}

// Skipped counts the entries that Next has left out so far, apart from files that are being written.
func (d *Dir) Skipped() int { return d.skipped }

func (d *Dir) listable(name string) bool {
	return checkEntry(name) && !d.root.blocked.MatchEntry(d.folded, pattern.Fold(name))
}

// listable reports whether an entry may be shown, when its directory may.
func (r *Root) listable(dir, name string) bool {
	return checkEntry(name) && !r.blocked.Match(slashpath.Join(dir, name))
}

// Lstat describes an entry, a link itself.
func (d *Dir) Lstat(ctx context.Context, name string) (FileInfo, error) {
	if err := ended(ctx); err != nil {
		return FileInfo{}, err
	}
	if err := d.admit(name); err != nil {
		return FileInfo{}, err
	}
	info, err := d.dir.Lstat(name)
	if err != nil {
		return FileInfo{}, d.explain(name, &rootfs.StepError{Dir: d.dir.Path, Name: name, Err: err})
	}
	return d.tree.info(slashpath.Join(d.dir.Path, name), info), nil
}

// Open opens a file among the entries for reading, as Root.Open does.
func (d *Dir) Open(ctx context.Context, name string) (*File, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if err := d.admit(name); err != nil {
		return nil, err
	}
	opened, err := d.dir.Open(name)
	if err != nil {
		return nil, d.explain(name, err)
	}
	if opened.Info.IsDir() {
		opened.Close()
		return nil, problem(IsDirectory, d.Path(name), nil, "%s is a directory.", quote(d.Path(name)))
	}
	if rootfs.Links(opened.File, opened.Info) > 1 {
		d.blockedOnce.Do(func() { d.blockedIDs = d.tree.links.Find(d.root.blocked, d.dir.Path) })
		if d.blockedIDs.Hold(opened.Info) {
			opened.Close()
			return nil, blocked(d.Path(name))
		}
	}
	return &File{file: opened.File, info: d.tree.info(opened.Path, opened.Info)}, nil
}

// OpenDir opens a directory among the entries.
func (d *Dir) OpenDir(ctx context.Context, name string) (*Dir, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if err := d.admit(name); err != nil {
		return nil, err
	}
	opened, err := d.dir.OpenDir(name)
	if err != nil {
		return nil, d.explain(name, err)
	}
	return d.root.newDir(d.tree, opened), nil
}

// admit checks the name of an entry as locate checks a path.
func (d *Dir) admit(name string) error {
	if name != path.Base(name) || !checkEntry(name) {
		return unsafeName(name, "is not the name of an entry that can be opened")
	}
	if !d.listable(name) {
		return blocked(d.Path(name))
	}
	return nil
}

// explain turns a failure of the file system into an Error about an entry.
func (d *Dir) explain(name string, err error) error {
	return d.root.explain(target{given: d.Path(name), tree: d.tree, rel: slashpath.Join(d.dir.Path, name)}, err)
}

// Close releases the directory.
func (d *Dir) Close() error {
	if err := d.dir.Close(); err != nil {
		return failure(d.Path("."), err)
	}
	return nil
}

// MakeDirResult tells what MakeDir did.
type MakeDirResult struct {
	Location
	Created bool // there was no directory before
}

// MakeDir makes a directory, and those on the way to it if parents is true. A directory that is there already is left as it is.
// Links are followed, and the rules apply to where they lead.
func (r *Root) MakeDir(ctx context.Context, name string, parents bool) (MakeDirResult, error) {
	return r.MakeDirMode(ctx, name, parents, 0o777)
}

// MakeDirMode is MakeDir for directories with a mode, before the umask.
func (r *Root) MakeDirMode(ctx context.Context, name string, parents bool, perm fs.FileMode) (MakeDirResult, error) {
	s := lockedPath{follow: true, admit: r.admitChange}
	var got pathlock.Set
	defer func() { s.close(); got.Release() }()
	var result MakeDirResult
	d := operation{name: "mkdir", params: auditParams{Path: shorten(name)}}
	d.begin = func() (err error) {
		if s.target, err = r.locateChange(name, s.admit); err != nil {
			return err
		}
		if got, err = r.settle(ctx, &s); err != nil {
			return err
		}
		result = MakeDirResult{Location: s.location(), Created: s.place.Info == nil}
		d.idle, d.params = !result.Created, auditParams{Path: result.Path}
		return r.checkNewDir(&s, parents)
	}
	d.commit = func() error {
		err := s.place.MakeParents(perm, r.durability)
		if err == nil {
			err = s.place.Mkdir(perm, r.durability)
		}
		if errors.Is(err, fs.ErrExist) && s.place.Refresh() == nil && s.place.Info != nil && s.place.Info.IsDir() {
			result.Created, err = false, nil // by somebody else just now
		}
		if err != nil {
			err = r.explain(s.target, err)
		}
		return err
	}
	if err := r.perform(ctx, &d); err != nil {
		return MakeDirResult{}, err
	}
	return result, nil
}

func (r *Root) checkNewDir(s *lockedPath, parents bool) error {
	switch {
	case len(s.place.Missing) > 0 && !parents:
		return r.notFound(s.target, &rootfs.StepError{Dir: s.place.Dir(), Name: s.place.Missing[0], Err: fs.ErrNotExist})
	case s.place.Info != nil && !s.place.Info.IsDir():
		return problem(AlreadyExists, s.given, fs.ErrExist, "%s exists already, and is no directory.", quote(s.given))
	}
	return nil
}
