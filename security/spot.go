package security

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// spot is a path at which the tree is to be changed, and the place that it leads to.
type spot struct {
	target
	follow bool // the last name, if it is a link
	whole  bool // a directory is meant with what is in it
	admit  func(t target, final string) error
	place  *rootfs.Place
}

func (s *spot) location() Location { return s.tree.location(s.place.Path) }

// absolute is the final path from the top of the file system.
func (s *spot) absolute() string {
	return path.Join(filepath.ToSlash(s.tree.RealName()), s.place.Path)
}

func (s *spot) close() {
	if s.place != nil {
		s.place.Close()
		s.place = nil
	}
}

// find follows the path, and applies the rules to where it leads.
func (s *spot) find(r *Root) error {
	place, err := s.tree.Place(s.rel, s.follow)
	if err != nil {
		return r.explain(s.target, err)
	}
	if err := s.admit(s.target, place.Path); err != nil {
		place.Close()
		return err
	}
	s.place = place
	return nil
}

// claim is what must be locked to change the spot.
func (s *spot) claim() claim {
	return newClaim(s.target, s.place.Path, s.whole && s.place.Info != nil && s.place.Info.IsDir())
}

// settle finds the places of the spots and locks them.
func (r *Root) settle(ctx context.Context, spots ...*spot) (held, error) {
	for range maxMoves {
		claims, err := r.claims(spots)
		if err != nil {
			return nil, err
		}
		got, err := r.locks.acquireAll(ctx, claims...)
		if err != nil {
			return nil, r.explain(spots[0].target, noLock(ctx, spots[0].target, err))
		}
		// What was found before the locks were taken may have been moved since.
		again, err := r.claims(spots)
		if err != nil {
			got.release()
			return nil, err
		}
		if sameClaims(claims, again) {
			return got, nil
		}
		got.release()
	}
	return nil, r.explain(spots[0].target, rootfs.ErrChanged)
}

// claims finds the places of the spots anew.
func (r *Root) claims(spots []*spot) ([]claim, error) {
	var claims []claim
	for _, s := range spots {
		s.close()
		if err := s.find(r); err != nil {
			return nil, err
		}
		claims = append(claims, s.claim())
	}
	return claims, nil
}

func sameClaims(a, b []claim) bool {
	for i := range a {
		if a[i].final != b[i].final || b[i].whole && !a[i].whole {
			return false
		}
	}
	return true
}

// locateChange is changeable for other rules.
func (r *Root) locateChange(name string, admit func(target, string) error) (target, error) {
	t, err := r.locate(name)
	if err != nil {
		return t, err
	}
	if r.readOnly {
		return t, refuse(PermissionDenied, ReadOnlyRoot, name, "The project is served read-only; "+quote(name)+" was not changed.", "Do not try to change anything. Tell the user what to do instead.")
	}
	return t, admit(t, t.rel)
}

// admitLeaving decides whether tools may take a path away: admitChange, except that things may be taken out of the trash. There the
// rules apply to the path that they were trashed from.
func (r *Root) admitLeaving(t target, final string) error {
	from, ok := trashedFrom(final)
	if !ok {
		return r.admitChange(t, final)
	}
	if err := r.admit(t, final); err != nil {
		return err
	}
	if r.blocked.Match(from) {
		return blocked(t.given)
	}
	if r.protected.Match(from) {
		return protectedPath(t.given, from)
	}
	return nil
}

// rulePath is the path by which rules know what is at a place.
func rulePath(final string) string {
	if from, ok := trashedFrom(final); ok {
		return from
	}
	return final
}

// trashedFrom is the path that something in the trash was at; false for what is not in an entry of the trash.
func trashedFrom(final string) (string, bool) {
	rest, ok := strings.CutPrefix(final, TrashDir+"/")
	if !ok {
		return "", false
	}
	entry, from, ok := strings.Cut(rest, "/")
	return from, ok && isTrashEntry(entry)
}
