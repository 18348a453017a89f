package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/journal"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// MoveOptions are the options of Move. The zero value moves to a path at which nothing exists.
type MoveOptions struct {
	// Overwrite allows a file or a link at the destination. It goes to the trash. A directory is never overwritten.
	Overwrite bool
	// DryRun checks everything and moves nothing.
	DryRun bool
}

// MoveResult is the result of Move.
type MoveResult struct {
	From, To Location
	Kind     Kind // kind of the moved entry; a link is moved itself
	Entries  int  // number of entries in a moved directory
	// Replaced is the location in the trash of the overwritten entry. Its Path is empty if nothing was overwritten.
	// After a dry run it is the destination if an entry would be overwritten.
	Replaced Location
}

// Move renames a file, a link, or a directory with its content. The directory of the destination must exist. Move
// follows no link at the end of either path. By default it overwrites nothing; with Overwrite the former entry goes
// to the trash first, and comes back if the move fails.
//
// The rules apply to both paths, also for each entry in a directory. Move refuses a directory that has a blocked or
// protected entry at either path. Entries can be moved out of the trash, but not into it.
//
// Move locks both paths as a write does. A directory waits for all writes below it, so the function of an Update must
// not move a directory that contains its file. Between file systems, a file is copied and compared, and the original
// goes to the trash. Directories and links cannot be moved between file systems.
func (r *Root) Move(ctx context.Context, from, to string, o MoveOptions) (MoveResult, error) {
	m := moveOperation{root: r, overwrite: o.Overwrite,
		source: lockedPath{admit: r.admitLeaving, recursive: true}, dest: lockedPath{admit: r.admitChange}}
	defer m.release()
	d := operation{name: "move", dry: o.DryRun, params: moveParams{From: shorten(from), To: shorten(to), Overwrite: o.Overwrite}}
	d.begin = func() error {
		if err := m.begin(ctx, from, to); err != nil {
			return err
		}
		d.params = moveParams{From: m.result.From.Path, To: m.result.To.Path, Overwrite: o.Overwrite}
		return nil
	}
	d.commit = func() error { return m.commit(ctx) }
	if err := r.perform(ctx, &d); err != nil {
		return MoveResult{}, err
	}
	m.release()
	if len(m.trashed) > 0 {
		r.prune(ctx, m.dest.tree, m.trashed...)
		if m.source.tree != m.dest.tree {
			r.prune(ctx, m.source.tree, m.trashed...)
		}
	}
	return m.result, nil
}

// moveParams are the parameters of a move in the audit log.
type moveParams struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Overwrite bool   `json:"overwrite,omitempty"`
}

// moveOperation is a running Move.
type moveOperation struct {
	root      *Root
	overwrite bool

	source, dest lockedPath
	locks        pathlock.Set
	sameEntry    bool     // source and destination are two spellings of the same entry
	trashed      []string // final paths of the entries that the move has put into the trash
	result       MoveResult
}

// begin locates, locks and checks both paths. It changes nothing.
func (m *moveOperation) begin(ctx context.Context, from, to string) error {
	var err error
	if m.source.target, err = m.root.locateChange(from, m.root.admitLeaving); err != nil {
		return err
	}
	if m.dest.target, err = m.root.locateChange(to, m.root.admitChange); err != nil {
		return err
	}
	if m.locks, err = m.root.settle(ctx, &m.source, &m.dest); err != nil {
		return err
	}
	if err := m.root.checkLeaving(ctx, &m.source, "moved"); err != nil {
		return err
	}
	if err := m.checkDest(ctx); err != nil {
		return err
	}
	m.result = MoveResult{From: m.source.location(), To: m.dest.location(), Kind: kindOf(m.source.place.Info.Mode())}
	if m.dest.place.Info != nil && !m.sameEntry {
		m.result.Replaced = m.result.To
	}
	m.result.Entries, err = m.root.checkContent(ctx, &m.source, m.dest.place.Path)
	return err
}

// checkDest checks that the destination is free or may be overwritten.
func (m *moveOperation) checkDest(ctx context.Context) error {
	source, dest := m.source.place, m.dest.place
	given := m.dest.given
	if len(dest.Missing) > 0 {
		err := m.root.notFound(m.dest.target, &rootfs.StepError{Dir: dest.Dir(), Name: dest.Missing[0], Err: fs.ErrNotExist})
		if known, ok := errors.AsType[*Error](err); ok {
			known.Next += " To move there, make the directory first."
		}
		return err
	}
	same, err := source.SameEntry(dest)
	if err != nil {
		return m.root.explain(m.dest.target, err)
	}
	m.sameEntry = same
	switch {
	case same && source.Path == dest.Path:
		return invalid("Give two different paths.", "%s and %s are the same.", quote(m.source.given), quote(given))
	case source.Info.IsDir() && m.isIntoItself():
		return moveIntoItselfError(m.source.given, given)
	case dest.Info == nil:
		return m.root.checkSaved(ctx, &m.dest, "used")
	case same:
		return nil
	case dest.Info.IsDir():
		e := problem(IsDirectory, given, fs.ErrExist, "%s is a directory, which cannot be overwritten.", quote(given))
		e.Next = "To move " + quote(m.source.given) + " into it, call again with the destination " + quote(slashpath.Join(given, path.Base(source.Path))) + "."
		return e
	case !m.overwrite:
		return problem(AlreadyExists, given, fs.ErrExist, "%s exists already.", quote(given))
	case source.Info.IsDir():
		return problem(NotDirectory, given, fs.ErrExist, "%s is not a directory, and a directory cannot take its place.", quote(given))
	}
	if dest.Info.Mode().IsRegular() {
		if err := dest.Writable(); err != nil {
			return m.root.explain(m.dest.target, err)
		}
	}
	if err := m.root.checkHardLinks(&m.dest); err != nil {
		return err
	}
	return m.root.checkSaved(ctx, &m.dest, "replaced")
}

func (m *moveOperation) isIntoItself() bool {
	return slashpath.IsBelow(m.dest.absolute(), m.source.absolute())
}

func moveIntoItselfError(from, to string) error {
	return invalid("Choose a destination outside of the directory.", "%s cannot be moved to %s, which lies inside of it.", quote(from), quote(to))
}

// commit makes the move. A move of several steps has a journal, so that the next process can undo it.
func (m *moveOperation) commit(ctx context.Context) error {
	var steps []journal.Step
	var trashed string
	if m.result.Replaced.Path != "" {
		trashed = trashPath(m.dest.target, m.dest.place.Path)
		steps = append(steps, journal.Step{Kind: journal.Trash, Root: m.dest.tree.RealName(), Path: m.dest.place.Path, ToRoot: m.dest.tree.RealName(), To: trashed})
	}
	if trashed == "" {
		err := m.source.place.MoveTo(m.dest.place, m.root.durability)
		if !m.mustCopy(err) {
			return m.finish(err)
		}
	}
	steps = append(steps, journal.Step{Kind: journal.Move, Root: m.source.tree.RealName(), Path: m.source.place.Path, ToRoot: m.dest.tree.RealName(), To: m.dest.place.Path})
	j, err := m.root.journalMove(ctx, steps)
	if err != nil {
		return m.root.explain(m.source.target, err)
	}
	defer j.Release()
	defer j.End()
	var kept *rootfs.Place
	if trashed != "" {
		if kept, err = m.root.discard(ctx, m.dest.target, m.dest.place, trashed); err != nil {
			return m.root.explain(m.dest.target, err)
		}
		defer kept.Close()
		m.trashed = append(m.trashed, trash.EntryOf(trashed))
		m.result.Replaced = m.dest.tree.location(kept.Path)
	}
	err = m.finish(m.transfer(ctx))
	if err != nil && kept != nil {
		err = m.restore(kept, err)
	}
	return err
}

// finish removes empty directories of the trash after a move, or returns the Error for err.
func (m *moveOperation) finish(err error) error {
	if err != nil {
		return m.explain(err)
	}
	m.source.tree.removeEmptyEntry(m.source.place.Path) // if the source was in the trash
	return nil
}

// mustCopy reports whether a rename failed because source and destination are on different file systems.
func (m *moveOperation) mustCopy(err error) bool {
	return errors.Is(err, rootfs.ErrCrossDevice) && m.source.place.Info.Mode().IsRegular()
}

// transfer moves the source to the destination, which is free.
func (m *moveOperation) transfer(ctx context.Context) error {
	err := m.source.place.MoveTo(m.dest.place, m.root.durability)
	if !m.mustCopy(err) {
		return err
	}
	return m.root.copyAcrossDevices(ctx, m.source.place, m.dest.place, func() error {
		kept, err := m.root.discard(ctx, m.source.target, m.source.place, trashPath(m.source.target, m.source.place.Path))
		if err == nil {
			m.trashed = append(m.trashed, trash.EntryOf(kept.Path))
			kept.Close()
		}
		return err
	})
}

// restore moves the overwritten entry back from the trash after the move has failed with the error failed.
func (m *moveOperation) restore(kept *rootfs.Place, failed error) error {
	trashed := kept.Path
	if err := m.dest.place.Refresh(); err == nil {
		if err = kept.MoveTo(m.dest.place, m.root.durability); err == nil {
			m.dest.tree.removeEmptyEntry(trashed)
			return failed
		}
	}
	e := &Error{Code: CodeOf(failed), AttemptedPath: shorten(m.dest.given), Err: failed,
		Message: failed.Error() + " What was at " + quote(m.dest.given) + " is in the trash."}
	e.Next = "It is at " + quote(m.dest.tree.location(trashed).Path) + "; move it back from there."
	return e
}

// explain turns an error of the move into an *Error.
func (m *moveOperation) explain(err error) error {
	switch {
	case errors.Is(err, rootfs.ErrCrossDevice):
		e := problem(InvalidParams, m.source.given, nil, "%s and %s lie on different file systems, between which only files can be moved.", quote(m.source.given), quote(m.dest.given))
		e.Next = "Make the directory there, and move its files one by one."
		return e
	case errors.Is(err, fs.ErrExist):
		return m.root.explain(m.dest.target, err)
	case m.source.place.Info != nil && m.source.place.Info.IsDir() && slashpath.IsBelow(pattern.Fold(m.dest.absolute()), pattern.Fold(m.source.absolute())):
		return moveIntoItselfError(m.source.given, m.dest.given) // by another spelling
	}
	return m.root.explain(m.source.target, err)
}

// release closes the places and releases the locks. It can be called more than once.
func (m *moveOperation) release() {
	m.source.close()
	m.dest.close()
	m.locks.Release()
	m.locks = nil
}

// holdsDir reports whether final is a directory of the Root or contains one.
func (r *Root) holdsDir(t *tree, final string) bool {
	for _, other := range r.trees {
		for _, name := range []string{other.Name(), other.RealName()} {
			if rel, ok := t.Rel(filepath.Clean(name)); ok && (final == "." || slashpath.IsBelow(rel, final)) {
				return true
			}
		}
	}
	return false
}

// copyAcrossDevices copies a file to another file system. It reads the copy and the source again and compares them,
// and then calls dispose to remove the source. On an error it removes the copy.
func (r *Root) copyAcrossDevices(ctx context.Context, source, dest *rootfs.Place, dispose func() error) error {
	f, _, err := source.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	var want string
	how := rootfs.Replacement{Like: f, New: true, Durability: r.durability}
	_, err = dest.Replace(how, func(w io.Writer) error {
		d := newDigest(w)
		err := copyContent(ctx, d, f)
		want = d.sum()
		return err
	})
	if err != nil {
		return err
	}
	if err = dest.Refresh(); err == nil {
		err = compare(ctx, dest, want)
	}
	if err == nil {
		err = compare(ctx, source, want)
	}
	if err == nil {
		err = dispose()
	}
	if err != nil {
		if e := dest.Remove(r.durability); e != nil {
			r.log.WarnContext(ctx, "copy of a file that was not moved is left", "path", dest.Path, "error", rootfs.Reason(e))
		}
	}
	return err
}

// compare reads a file and returns ErrChanged if it has another digest.
func compare(ctx context.Context, p *rootfs.Place, want string) error {
	sum, err := digestOf(ctx, p)
	if err == nil && sum != want {
		err = rootfs.ErrChanged
	}
	return err
}

// digestOf returns the SHA-256 of a file's content, in hexadecimal.
func digestOf(ctx context.Context, p *rootfs.Place) (string, error) {
	f, _, err := p.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	d := newDigest(io.Discard)
	if err := copyContent(ctx, d, f); err != nil {
		return "", err
	}
	return d.sum(), nil
}
