package security

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// lockedPath is a path at which an entry is created, moved or removed. Root.settle finds its place and locks it.
type lockedPath struct {
	target
	follow    bool // follow a link in the last name
	recursive bool // lock the content of a directory, too
	// admit checks a path before and after links are resolved.
	admit func(t target, final string) error
	place *rootfs.Place
}

func (s *lockedPath) location() Location { return s.tree.location(s.place.Path) }

// absolute returns the final path from the root of the file system, with slashes.
func (s *lockedPath) absolute() string {
	return path.Join(filepath.ToSlash(s.tree.RealName()), s.place.Path)
}

func (s *lockedPath) close() {
	if s.place != nil {
		s.place.Close()
		s.place = nil
	}
}

// find follows the path and applies the rules to the final path.
func (s *lockedPath) find(r *Root) error {
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

// claim returns the claim that locks the path.
func (s *lockedPath) claim() pathlock.Claim {
	return newClaim(s.target, s.place.Path, s.recursive && s.place.Info != nil && s.place.Info.IsDir())
}

// settle finds the places of the paths and locks them. It returns after the paths lead to the same places as before
// the locking.
func (r *Root) settle(ctx context.Context, paths ...*lockedPath) (pathlock.Set, error) {
	for range maxLockAttempts {
		claims, err := r.claims(paths)
		if err != nil {
			return nil, err
		}
		got, err := r.locks.AcquireAll(ctx, claims...)
		if err != nil {
			return nil, r.explain(paths[0].target, lockError(ctx, paths[0].target, err))
		}
		// Another process may have moved the entries before the locks were taken.
		again, err := r.claims(paths)
		if err != nil {
			got.Release()
			return nil, err
		}
		if sameClaims(claims, again) {
			return got, nil
		}
		got.Release()
	}
	return nil, r.explain(paths[0].target, rootfs.ErrChanged)
}

// claims finds the places of the paths again and returns their claims.
func (r *Root) claims(paths []*lockedPath) ([]pathlock.Claim, error) {
	var claims []pathlock.Claim
	for _, s := range paths {
		s.close()
		if err := s.find(r); err != nil {
			return nil, err
		}
		claims = append(claims, s.claim())
	}
	return claims, nil
}

func sameClaims(a, b []pathlock.Claim) bool {
	for i := range a {
		if a[i].Final != b[i].Final || b[i].Recursive && !a[i].Recursive {
			return false
		}
	}
	return true
}

// newClaim returns the claim of a path. Its Dirs are the directories in which the writer may leave temporary files.
func newClaim(t target, final string, recursive bool) pathlock.Claim {
	return pathlock.Claim{Root: t.tree.RealName(), Final: final, Recursive: recursive, Dirs: []string{path.Dir(final), TrashDir}}
}

// lockError returns the Error for a path that could not be locked.
func lockError(ctx context.Context, t target, err error) error {
	switch {
	case errors.Is(err, pathlock.ErrTimeout):
		return &Error{Code: Timeout, AttemptedPath: shorten(t.given), Message: "Another write to " + quote(t.given) + " did not finish in time.", Next: "Wait a moment and call again.", Err: err}
	case ctx.Err() != nil:
		return err
	}
	return problem(InternalError, t.given, rootfs.Reason(err), "The lock of %s cannot be taken in the state directory: %v.", quote(t.given), rootfs.Reason(err))
}

// locateChange locates a path for a change that admit must allow.
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

// admitLeaving checks that tools may take an entry away from a path. It is admitChange, except that entries can be
// taken out of the trash. There the rules apply to the original path.
func (r *Root) admitLeaving(t target, final string) error {
	from, ok := trash.Original(final)
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

// rulePath returns the path to which the rules apply: the original path for an entry in the trash, otherwise final.
func rulePath(final string) string {
	if from, ok := trash.Original(final); ok {
		return from
	}
	return final
}
