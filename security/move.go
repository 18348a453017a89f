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

// MoveOptions says how Move treats what is there. The zero value moves to where nothing is.
type MoveOptions struct {
	// Overwrite allows a file or a link to be at the destination; it goes to the trash. A directory is never overwritten.
	Overwrite bool
	// DryRun decides everything and moves nothing.
	DryRun bool
}

// MoveResult tells what was moved.
type MoveResult struct {
	From, To Location
	Kind     Kind // a link is moved itself
	Entries  int  // below a directory that was moved
	// Replaced is where the file is, in the trash, that was at the destination; its Path is empty when there was none. A dry run
	// says only whether there is one, by the Path of the destination.
	Replaced Location
}

// Move renames a file, a link or a directory with all that is in it. The directory of the destination must exist. A link at the
// end of either path is not followed: links are moved themselves, and what they lead to stays where it is. Nothing is overwritten
// unless that is asked for, and then the former entry goes to the trash first, and comes back if the move fails.
//
// The rules apply to both paths, and to both for everything in a directory: one that holds, or would hold at its destination,
// something that is hidden or write-protected is not moved. Things in the trash can be moved out of it, but nothing into it.
//
// Both paths are locked as for a write, and a directory waits for all writes below it: the function of an Update must not move a
// directory that its file is in. Between file systems a file is copied, compared, and its original goes to the trash; directories
// and links cannot be moved there.
func (r *Root) Move(ctx context.Context, from, to string, o MoveOptions) (MoveResult, error) {
	m := moving{root: r, overwrite: o.Overwrite,
		source: lockedPath{admit: r.admitLeaving, recursive: true}, dest: lockedPath{admit: r.admitChange}}
	defer m.end()
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
	m.end()
	if len(m.trashed) > 0 {
		r.prune(ctx, m.dest.tree, m.trashed...)
		if m.source.tree != m.dest.tree {
			r.prune(ctx, m.source.tree, m.trashed...)
		}
	}
	return m.result, nil
}

// moveParams is what the audit log tells about a move.
type moveParams struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Overwrite bool   `json:"overwrite,omitempty"`
}

// moving is one Move on its way.
type moving struct {
	root      *Root
	overwrite bool

	source, dest lockedPath
	held         pathlock.Set
	respelled    bool     // the destination is the source, in another spelling of its name
	trashed      []string // entries of the trash that were made
	result       MoveResult
}

// begin does everything that has no effect.
func (m *moving) begin(ctx context.Context, from, to string) error {
	var err error
	if m.source.target, err = m.root.locateChange(from, m.root.admitLeaving); err != nil {
		return err
	}
	if m.dest.target, err = m.root.locateChange(to, m.root.admitChange); err != nil {
		return err
	}
	if m.held, err = m.root.settle(ctx, &m.source, &m.dest); err != nil {
		return err
	}
	if err := m.root.checkLeaving(&m.source, "moved"); err != nil {
		return err
	}
	if err := m.checkDest(); err != nil {
		return err
	}
	m.result = MoveResult{From: m.source.location(), To: m.dest.location(), Kind: kindOf(m.source.place.Info.Mode())}
	if m.dest.place.Info != nil && !m.respelled {
		m.result.Replaced = m.result.To
	}
	m.result.Entries, err = m.root.checkContent(ctx, &m.source, m.dest.place.Path)
	return err
}

// checkDest decides whether the destination may be taken.
func (m *moving) checkDest() error {
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
	m.respelled = same
	switch {
	case same && source.Path == dest.Path:
		return invalid("Give two different paths.", "%s and %s are the same.", quote(m.source.given), quote(given))
	case source.Info.IsDir() && m.intoItself():
		return intoItself(m.source.given, given)
	case dest.Info == nil || same:
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
	return m.root.checkOtherNames(&m.dest)
}

func (m *moving) intoItself() bool {
	return slashpath.IsBelow(m.dest.absolute(), m.source.absolute())
}

func intoItself(from, to string) error {
	return invalid("Choose a destination outside of the directory.", "%s cannot be moved to %s, which lies inside of it.", quote(from), quote(to))
}

// commit makes the move. Where that takes several steps, a journal says how a process that dies is made up for.
func (m *moving) commit(ctx context.Context) error {
	var steps []journal.Step
	var trashed string
	if m.result.Replaced.Path != "" {
		trashed = trashPath(m.dest.target, m.dest.place.Path)
		steps = append(steps, journal.Step{Kind: journal.Trash, Root: m.dest.tree.RealName(), Path: m.dest.place.Path, ToRoot: m.dest.tree.RealName(), To: trashed})
	}
	if trashed == "" {
		err := m.source.place.MoveTo(m.dest.place, m.root.durability)
		if !m.mustCopy(err) {
			return m.moved(err)
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
	err = m.moved(m.transfer(ctx))
	if err != nil && kept != nil {
		err = m.restore(kept, err)
	}
	return err
}

// moved cleans up after the source has got its new place, or explains why it has not.
func (m *moving) moved(err error) error {
	if err != nil {
		return m.explain(err)
	}
	trash.RemoveEmpty(m.source.tree.Root, path.Dir(m.source.place.Path)) // if it comes from the trash
	return nil
}

func (m *moving) mustCopy(err error) bool {
	return errors.Is(err, rootfs.ErrCrossDevice) && m.source.place.Info.Mode().IsRegular()
}

// transfer moves the source to the destination, which is free.
func (m *moving) transfer(ctx context.Context) error {
	err := m.source.place.MoveTo(m.dest.place, m.root.durability)
	if !m.mustCopy(err) {
		return err
	}
	return m.root.copyAway(ctx, m.source.place, m.dest.place, func() error {
		kept, err := m.root.discard(ctx, m.source.target, m.source.place, trashPath(m.source.target, m.source.place.Path))
		if err == nil {
			m.trashed = append(m.trashed, trash.EntryOf(kept.Path))
			kept.Close()
		}
		return err
	})
}

// restore brings back what was overwritten, after the move itself has failed.
func (m *moving) restore(kept *rootfs.Place, failed error) error {
	trashed := kept.Path
	if err := m.dest.place.Refresh(); err == nil {
		if err = kept.MoveTo(m.dest.place, m.root.durability); err == nil {
			trash.RemoveEmpty(m.dest.tree.Root, path.Dir(trashed))
			return failed
		}
	}
	e := &Error{Code: CodeOf(failed), AttemptedPath: shorten(m.dest.given), Err: failed,
		Message: failed.Error() + " What was at " + quote(m.dest.given) + " is in the trash."}
	e.Next = "It is at " + quote(m.dest.tree.location(trashed).Path) + "; move it back from there."
	return e
}

func (m *moving) explain(err error) error {
	switch {
	case errors.Is(err, rootfs.ErrCrossDevice):
		e := problem(InvalidParams, m.source.given, nil, "%s and %s lie on different file systems, between which only files can be moved.", quote(m.source.given), quote(m.dest.given))
		e.Next = "Make the directory there, and move its files one by one."
		return e
	case errors.Is(err, fs.ErrExist):
		return m.root.explain(m.dest.target, err)
	case m.source.place.Info != nil && m.source.place.Info.IsDir() && slashpath.IsBelow(pattern.Fold(m.dest.absolute()), pattern.Fold(m.source.absolute())):
		return intoItself(m.source.given, m.dest.given) // by another spelling
	}
	return m.root.explain(m.source.target, err)
}

// end gives everything up that the move holds.
func (m *moving) end() {
	m.source.close()
	m.dest.close()
	m.held.Release()
	m.held = nil
}

// holdsDir reports whether one of the directories of the Root is a directory, or lies below it.
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

// copyAway is for a file that cannot be renamed, because its new place lies on another file system: it is copied, the copy is read
// again and compared, and so is the file itself; only then the file is disposed of. On an error the copy is removed.
func (r *Root) copyAway(ctx context.Context, source, dest *rootfs.Place, dispose func() error) error {
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

// compare reads a file and reports ErrChanged when it has another digest.
func compare(ctx context.Context, p *rootfs.Place, want string) error {
	sum, err := digestOf(ctx, p)
	if err == nil && sum != want {
		err = rootfs.ErrChanged
	}
	return err
}

// digestOf is the sha256 of what a file holds.
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
