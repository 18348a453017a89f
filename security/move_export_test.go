package security

import (
	"context"
	"path/filepath"
)

// Locked reports whether anybody has the lock of a path in the first directory.
func Locked(r *Root, final string) bool {
	busy, err := taken(LockName(r, final))
	return busy || err != nil
}

// LockName is the name of the file that locks a path in the first directory.
func LockName(r *Root, final string) string {
	return filepath.Join(r.locks.dir, lockKey(r.trees[0].RealName(), final)+".lock")
}

// CopyAway moves a file as if its destination were on another file system, and removes the original instead of trashing it. meddle is
// called when the copy is complete.
func CopyAway(ctx context.Context, r *Root, from, to string, meddle func()) error {
	source, err := r.trees[0].Place(from, false)
	if err != nil {
		return err
	}
	defer source.Close()
	dest, err := r.trees[0].Place(to, false)
	if err != nil {
		return err
	}
	defer dest.Close()
	return r.copyAway(ctx, source, dest, func() error {
		meddle()
		return source.Remove(r.durability)
	})
}

// MoveOver is a Move that overwrites, with something that meddles after what was at the destination has gone to the trash.
func MoveOver(ctx context.Context, r *Root, from, to string, meddle func()) error {
	m := moving{root: r, overwrite: true, source: spot{admit: r.admitLeaving, whole: true}, dest: spot{admit: r.admitChange}}
	defer m.end()
	if err := m.begin(ctx, from, to); err != nil {
		return err
	}
	kept, err := r.discard(ctx, m.dest.target, m.dest.place, trashPath(m.dest.target, m.dest.place.Path))
	if err != nil {
		return err
	}
	defer kept.Close()
	meddle()
	if err = m.transfer(ctx); err != nil {
		err = m.restore(kept, m.explain(err))
	}
	return err
}
