package security

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// TrashDir is the directory for deleted and overwritten entries, at the top of each project directory; with
// RootOptions.RemovedInState its content is elsewhere, under the same paths. An entry has
// the path TrashDir/<time>-<random>/<original path>. Tools can read it and move entries out of it, but not write to
// it. Listings omit it unless it is opened by name. It keeps at most 1,000 entries; the oldest are removed.
const TrashDir = trash.Dir

// TrashOptions are the options of Trash. The zero value deletes a file, a link or an empty directory.
type TrashOptions struct {
	// Recursive deletes a directory with its content. Otherwise a directory that is not empty is IS_A_DIRECTORY.
	Recursive bool
	// ExpectedSHA256 is the digest that the file must have; see CheckSHA256. STALE_FILE reports another digest. ""
	// accepts any content.
	ExpectedSHA256 string
	// Permanent removes the entry from the trash after the deletion. It cannot be restored.
	Permanent bool
	// DryRun checks everything and deletes nothing.
	DryRun bool

	// trashPath is the final path in the trash, as the function trashPath returns it; "" chooses a new one.
	trashPath string
}

// TrashResult is the result of Trash.
type TrashResult struct {
	From    Location
	Kind    Kind // a link is deleted itself
	Entries int  // number of entries in a deleted directory
	// Trash is the location in the trash. Its Path is empty after a dry run and after a permanent removal.
	Trash Location
}

// Trash deletes an entry of any kind by moving it into TrashDir; Move restores it. A link at the end of the path is
// not followed. Trash refuses a directory that contains a blocked or protected entry, and the directories of the
// Root.
//
// Trash locks the path as a write does. A directory waits for all writes below it, so the function of an Update must
// not delete a directory that contains its file. A file on another file system than TrashDir is copied and compared
// before it is removed; a directory there is refused.
func (r *Root) Trash(ctx context.Context, name string, o TrashOptions) (TrashResult, error) {
	s := lockedPath{recursive: true, admit: r.admitTrash}
	var got pathlock.Set
	end := func() { s.close(); got.Release(); got = nil }
	defer end()
	var result TrashResult
	d := operation{name: "trash", dry: o.DryRun, params: auditParams{Path: shorten(name), ExpectedSHA256: shorten(o.ExpectedSHA256), Permanent: o.Permanent}}
	d.begin = func() (err error) {
		if s.target, err = r.locateChange(name, s.admit); err != nil {
			return err
		}
		if got, err = r.settle(ctx, &s); err != nil {
			return err
		}
		result, err = r.checkTrash(ctx, &s, o)
		d.params = auditParams{Path: result.From.Path, ExpectedSHA256: o.ExpectedSHA256, Permanent: o.Permanent}
		return err
	}
	d.commit = func() error {
		if o.trashPath == "" {
			o.trashPath = trashPath(s.target, s.place.Path)
		}
		kept, err := r.discard(ctx, s.target, s.place, o.trashPath)
		if err != nil {
			return r.explainTrash(&s, err)
		}
		result.Trash = s.tree.location(kept.Path)
		kept.Close()
		if o.Permanent {
			if err := trash.Remove(s.tree.holder(o.trashPath), trash.EntryOf(o.trashPath)); err != nil {
				return fmt.Errorf("removing it from the trash, where it is now as %s: %w", result.Trash.Path, err)
			}
			result.Trash = Location{}
		}
		return nil
	}
	if err := r.perform(ctx, &d); err != nil {
		return TrashResult{}, err
	}
	end()
	if !o.DryRun {
		r.prune(ctx, s.tree, trash.EntryOf(o.trashPath))
	}
	return result, nil
}

// admitTrash is admitChange with a clearer message for entries that are already in the trash.
func (r *Root) admitTrash(t target, final string) error {
	if final == TrashDir || strings.HasPrefix(final, TrashDir+"/") {
		return refuse(PermissionDenied, ProtectedFile, t.given, quote(t.given)+" is in the trash already, where the oldest things are removed as new ones come.",
			"Leave it there, or move it back.")
	}
	return r.admitChange(t, final)
}

// checkTrash checks that an entry may be deleted.
func (r *Root) checkTrash(ctx context.Context, s *lockedPath, o TrashOptions) (TrashResult, error) {
	result := TrashResult{From: s.location()}
	expected, err := checkDigest(o.ExpectedSHA256)
	if err != nil {
		return result, err
	}
	if err := r.checkLeaving(ctx, s, "deleted"); err != nil {
		return result, err
	}
	result.Kind = kindOf(s.place.Info.Mode())
	if expected != "" {
		if result.Kind != RegularFile {
			return result, invalid("Call again without the expected sha256.", "%s is a %s, which has no sha256.", quote(s.given), result.Kind)
		}
		is, err := digestOf(ctx, s.place)
		if err != nil {
			return result, r.explain(s.target, err)
		}
		if !strings.HasPrefix(is, expected) {
			return result, stale(s.given, is, expected)
		}
	}
	if result.Kind == Directory && !o.Recursive {
		if err := r.checkEmpty(s); err != nil {
			return result, err
		}
	}
	result.Entries, err = r.checkContent(ctx, s, "")
	return result, err
}

func (r *Root) checkEmpty(s *lockedPath) error {
	dir, err := s.place.OpenDir()
	if err != nil {
		return r.explain(s.target, err)
	}
	defer dir.Close()
	if _, err = dir.Next(1); err == nil {
		e := problem(IsDirectory, s.given, nil, "%s is a directory that is not empty.", quote(s.given))
		e.Next = "To delete it with everything in it, ask for that with recursive."
		return e
	}
	if err != io.EOF {
		return r.explain(s.target, err)
	}
	return nil
}

func (r *Root) explainTrash(s *lockedPath, err error) error {
	if !errors.Is(err, rootfs.ErrCrossDevice) {
		return r.explain(s.target, err)
	}
	e := problem(InvalidParams, s.given, nil, "%s lies on another file system than the trash, to which only files can be moved.", quote(s.given))
	e.Next = "Delete the files in it one by one, or ask the user to delete it."
	return e
}

// discard moves the entry at a place into the trash and returns its new place. at is the final path in the trash.
func (r *Root) discard(ctx context.Context, t target, place *rootfs.Place, at string) (*rootfs.Place, error) {
	// Only its owner can look into the entry: the directories that the file was in may have been closed to others.
	kept, err := r.openKeptPlace(t, at, 0o700)
	if err != nil {
		return nil, err
	}
	err = place.MoveTo(kept, r.durability)
	if errors.Is(err, rootfs.ErrCrossDevice) && t.tree.keeper() != t.tree.Root {
		// A mount of the same volume: the project itself may be nearer.
		kept.Close()
		t.tree.removeEmptyEntry(at)
		if kept, err = r.openKeptPlaceIn(t.tree.Root, t, at, 0o700); err != nil {
			return nil, err
		}
		err = place.MoveTo(kept, r.durability)
	}
	if errors.Is(err, rootfs.ErrCrossDevice) && place.Info.Mode().IsRegular() {
		err = r.copyAcrossDevices(ctx, place, kept, func() error { return place.Remove(r.durability) })
	}
	if err != nil {
		if place.Info == nil && kept.Info != nil { // the rename succeeded and only the flush failed
			if failed := kept.MoveTo(place, rootfs.Process); failed != nil {
				err = problem(InternalError, t.given, errors.Join(err, failed), "The file system failed: %s is now at %s, and could not be moved back.", quote(t.given), quote(t.tree.location(kept.Path).Path))
			}
		}
		kept.Close()
		t.tree.removeEmptyEntry(kept.Path)
		return nil, err
	}
	return kept, nil
}

// trashPath returns a new final path in the trash for the entry at final.
func trashPath(t target, final string) string {
	return trash.NewPath(final, func(trashed string) bool { return len(t.tree.location(trashed).Path) <= maxPath })
}

// prune removes the oldest entries of the trash beyond its limit, except the entries in made. After a failure the
// next deletion tries again.
func (r *Root) prune(ctx context.Context, t *tree, made ...string) {
	for _, root := range t.holders() {
		if surplus := trash.Surplus(root, made...); len(surplus) > 0 {
			r.pruneIn(ctx, t, root, surplus)
		}
	}
}

// pruneIn removes entries of the trash in one directory that holds it.
func (r *Root) pruneIn(ctx context.Context, t *tree, root *rootfs.Root, surplus []string) {
	// A caller that moves an entry out of the trash has a lock below. The next deletion prunes then.
	got := r.locks.TryAcquire(ctx, newClaim(target{tree: t, rel: TrashDir}, TrashDir, true))
	if got == nil {
		return
	}
	defer got.Release()
	record, err := r.audit.Begin(ctx, audit.Entry{Operation: "fs.prune", Params: pruneParams{Path: t.location(TrashDir).Path, Entries: surplus}})
	if err != nil {
		r.log.ErrorContext(ctx, "trash not pruned, because that could not be recorded", "error", err)
		return
	}
	var failed error
	for _, name := range surplus {
		failed = errors.Join(failed, trash.Remove(root, name))
	}
	if failed != nil {
		r.log.WarnContext(ctx, "old trash not removed", "error", failed)
	}
	if err := record.End(failed); err != nil {
		r.log.ErrorContext(ctx, "outcome of a change not recorded", "error", err)
	}
}

// pruneParams are the parameters of a permanent removal in the audit log.
type pruneParams struct {
	Path    string   `json:"path"`
	Entries []string `json:"entries"`
}
