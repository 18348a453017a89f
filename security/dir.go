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

// Dir is an open directory. It lists entries in batches, and opens entries relative to the directory without
// resolving the path again. Its methods follow no links; use Root.Stat or Root.Open for a link. Next must not be
// called concurrently; the other methods can be.
type Dir struct {
	root    *Root
	tree    *tree
	dir     *rootfs.Dir
	folded  string // final path, folded for patterns; "" for the root
	skipped int

	blockedOnce sync.Once
	blockedIDs  hardlink.Identities
}

// Entry is one entry of a directory.
type Entry struct {
	// Name is the last name of the path.
	Name string
	// Kind is the type; a link has the kind Symlink.
	Kind Kind
}

// OpenDir opens a directory for listing. Links in the path are followed. The caller closes the Dir.
func (r *Root) OpenDir(ctx context.Context, name string) (*Dir, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	t, err := r.locate(name)
	if err != nil {
		return nil, r.logRefusal(ctx, "list", err)
	}
	opened, err := t.tree.OpenDir(t.rel)
	if err != nil {
		return nil, r.logRefusal(ctx, "list", r.explain(t, err))
	}
	if opened.Path != t.rel {
		if err := r.admit(t, opened.Path); err != nil {
			opened.Close()
			return nil, r.logRefusal(ctx, "list", err)
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

// Path returns the path of an entry for methods of the Root.
func (d *Dir) Path(name string) string {
	return d.tree.location(slashpath.Join(d.dir.Path, name)).Path
}

// Next returns at most n further entries in the order of the file system; if n is not positive, it chooses a number.
// It returns io.EOF after the last entry. It omits blocked files, names that no call accepts, temporary files of
// writers, the directories of backups and of the trash, and directories with nothing but files of the ready programs
// (see WalkStats.Withheld); see Skipped.
func (d *Dir) Next(ctx context.Context, n int) ([]Entry, error) {
	for {
		if err := contextError(ctx); err != nil {
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
			if trash.IsDir(e.Name) || !d.listable(e.Name) || e.Type.IsDir() && d.tree.isOwn(slashpath.Join(d.dir.Path, e.Name)) {
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

// Skipped returns the number of entries that Next has omitted so far. Temporary files of writers do not count.
func (d *Dir) Skipped() int { return d.skipped }

// listable reports whether the entry of the directory may be listed.
func (d *Dir) listable(name string) bool {
	return checkEntry(name) && !d.root.blocked.MatchEntry(d.folded, pattern.Fold(name))
}

// listable reports whether an entry of a directory that may be listed may be listed itself.
func (r *Root) listable(dir, name string) bool {
	return checkEntry(name) && !r.blocked.Match(slashpath.Join(dir, name))
}

// Lstat describes an entry; a link is not followed.
func (d *Dir) Lstat(ctx context.Context, name string) (FileInfo, error) {
	if err := contextError(ctx); err != nil {
		return FileInfo{}, err
	}
	if err := d.admit(name); err != nil {
		return FileInfo{}, err
	}
	info, err := d.dir.Lstat(name)
	if err != nil {
		return FileInfo{}, d.explain(name, &rootfs.StepError{Dir: d.dir.Path, Name: name, Err: err})
	}
	return d.root.describe(ctx, d.tree, d.tree.info(slashpath.Join(d.dir.Path, name), info), manyFiles), nil
}

// Open opens a regular file of the directory for reading, as Root.Open does.
func (d *Dir) Open(ctx context.Context, name string) (*File, error) {
	if err := contextError(ctx); err != nil {
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
	return d.root.present(ctx, d.tree, &File{file: opened.File, info: d.tree.info(opened.Path, opened.Info)}, manyFiles), nil
}

// OpenDir opens a directory of the directory.
func (d *Dir) OpenDir(ctx context.Context, name string) (*Dir, error) {
	if err := contextError(ctx); err != nil {
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

// explain turns an error of the file system into an *Error about an entry.
func (d *Dir) explain(name string, err error) error {
	return d.root.explain(target{given: d.Path(name), tree: d.tree, rel: slashpath.Join(d.dir.Path, name)}, err)
}

// Close closes the directory.
func (d *Dir) Close() error {
	if err := d.dir.Close(); err != nil {
		return failure(d.Path("."), err)
	}
	return nil
}

// MakeDirResult is the result of MakeDir.
type MakeDirResult struct {
	Location
	Created bool // false if the directory existed before
}

// MakeDir creates a directory with the mode 0o777 before the umask, and its missing parents if parents is true. An
// existing directory stays unchanged. Links are followed, and the rules apply to the final path.
func (r *Root) MakeDir(ctx context.Context, name string, parents bool) (MakeDirResult, error) {
	return r.MakeDirMode(ctx, name, parents, 0o777)
}

// MakeDirMode is MakeDir with the mode perm, before the umask, for each new directory.
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
			result.Created, err = false, nil // another process created it meanwhile
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

// checkNewDir checks that the directory can be created.
func (r *Root) checkNewDir(s *lockedPath, parents bool) error {
	switch {
	case len(s.place.Missing) > 0 && !parents:
		return r.notFound(s.target, &rootfs.StepError{Dir: s.place.Dir(), Name: s.place.Missing[0], Err: fs.ErrNotExist})
	case s.place.Info != nil && !s.place.Info.IsDir():
		return problem(AlreadyExists, s.given, fs.ErrExist, "%s exists already, and is no directory.", quote(s.given))
	}
	return nil
}
