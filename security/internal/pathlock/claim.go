package pathlock

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// Claim is a path that is about to be changed.
type Claim struct {
	Root      string // absolute, every link resolved
	Final     string // relative to Root, with slashes
	Recursive bool   // a directory is changed together with its content
	Dirs      []string
}

func (c Claim) key() string { return Key(c.Root, c.Final) }

// note returns the content of the lock file. The first directory of Dirs is the parent of the path.
func (c Claim) note() Note { return Note{Root: c.Root, Dirs: c.Dirs} }

// Set holds locks that were taken together.
type Set []*Lock

// Release releases all locks.
func (s Set) Release() {
	for _, k := range s {
		k.Release()
	}
}

func (s Set) has(key string) bool {
	for _, k := range s {
		if k.key == key {
			return true
		}
	}
	return false
}

// Acquire locks a path, and gives way to a mover of a directory above it.
func (l *Locks) Acquire(ctx context.Context, c Claim) (*Lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.Wait, ErrTimeout)
	defer cancel()
	var pause backoff
	for {
		got, err := l.acquire(ctx, c.key(), c.note())
		if err != nil {
			return nil, err
		}
		taken, err := l.above(c, nil)
		if err == nil && !taken {
			return got, nil
		}
		got.Release()
		if err == nil {
			err = pause.wait(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// AcquireAll takes the locks of all claims, or of none.
func (l *Locks) AcquireAll(ctx context.Context, claims ...Claim) (Set, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.Wait, ErrTimeout)
	defer cancel()
	var pause backoff
	for {
		s, err := l.together(ctx, claims)
		if err != nil {
			return nil, err
		}
		taken, err := l.anyAbove(claims, s)
		if err == nil && !taken {
			if err = l.waitBelow(ctx, claims, s); err == nil {
				return s, nil
			}
		}
		s.Release()
		if err == nil {
			err = pause.wait(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// TryAcquire locks a directory if neither it nor a path below it is locked. It does not wait, and does not look for locks of the
// directories above. nil is the result where a lock is taken or an error occurs.
func (l *Locks) TryAcquire(ctx context.Context, c Claim) *Lock {
	now, cancel := context.WithCancelCause(ctx)
	cancel(errTaken)
	got, err := l.acquire(now, c.key(), c.note())
	if err != nil {
		return nil
	}
	if busy, err := l.below(c, Set{got}); busy || err != nil {
		got.Release()
		return nil
	}
	return got
}

// together waits for one lock at a time while it has none, and returns all of them when the others are free at that moment.
func (l *Locks) together(ctx context.Context, claims []Claim) (Set, error) {
	now, cancel := context.WithCancelCause(ctx)
	cancel(errTaken)
	for first := 0; ; {
		one, err := l.acquire(ctx, claims[first].key(), claims[first].note())
		if err != nil {
			return nil, err
		}
		s, next := Set{one}, -1
		for i, c := range claims {
			if s.has(c.key()) {
				continue
			}
			if one, err = l.acquire(now, c.key(), c.note()); err != nil {
				next = i
				break
			}
			s = append(s, one)
		}
		if next < 0 {
			return s, nil
		}
		s.Release()
		if !errors.Is(err, errTaken) {
			return nil, err
		}
		first = next
	}
}

func (l *Locks) anyAbove(claims []Claim, mine Set) (bool, error) {
	for _, c := range claims {
		if taken, err := l.above(c, mine); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// above reports whether another writer has the lock of a directory above the claim.
func (l *Locks) above(c Claim, mine Set) (bool, error) {
	for dir := path.Dir(c.Final); dir != "."; dir = path.Dir(dir) {
		key := Key(c.Root, dir)
		if mine.has(key) {
			continue
		}
		if taken, err := Taken(l.file(key)); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// waitBelow waits until no other writer has the lock of a path below a claimed directory.
func (l *Locks) waitBelow(ctx context.Context, claims []Claim, mine Set) error {
	var pause backoff
	for _, c := range claims {
		for c.Recursive {
			busy, err := l.below(c, mine)
			if err == nil && busy {
				err = pause.wait(ctx)
			}
			if err != nil {
				return err
			}
			c.Recursive = busy
		}
	}
	return nil
}

// below reports whether another writer has the lock of a path below the claim.
func (l *Locks) below(c Claim, mine Set) (bool, error) {
	dir, err := os.Open(l.Dir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxFiles)
	if err != nil && err != io.EOF {
		return false, err
	}
	for _, name := range names {
		key, ok := strings.CutSuffix(name, suffix)
		if !ok || mine.has(key) {
			continue
		}
		file := filepath.Join(l.Dir, name)
		n, err := readNote(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !n.within(c) {
			continue
		}
		if isRemoving(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if taken, err := Taken(file); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// within reports whether the path of a lock lies below the claim. The path of a note that is not written yet is unknown, and counts.
func (n Note) within(c Claim) bool {
	if len(n.Dirs) == 0 {
		return true
	}
	dir := pattern.Fold(path.Join(filepath.ToSlash(n.Root), n.Dirs[0]))
	return slashpath.IsBelow(dir, pattern.Fold(path.Join(filepath.ToSlash(c.Root), c.Final)))
}
