package security

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// locks gives one writer at a time the right to a file: in this process by turns, between processes by locked files in a
// directory. A lock file is there only while its writer is at work, so that one that nobody has locked tells of a writer that
// died, and where it may have left a temporary file.
type locks struct {
	dir  string
	wait time.Duration

	mu    sync.Mutex
	turns map[string]*turn
}

// turn is the place of one file in the queue of this process.
type turn struct {
	token chan struct{} // holds one token while nobody has the file
	users int           // who has it or waits for it
}

// note is the content of a lock file: the directories that may hold temporary files.
type note struct {
	Root string   `json:"root"` // absolute, every link resolved
	Dirs []string `json:"dirs"` // relative to Root, final
}

// write replaces what a dead writer may have left. A new file is not truncated: some file systems flush it for that.
func (n note) write(f *os.File) error {
	content, err := json.Marshal(n)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	_, err = f.WriteAt(content, 0)
	return err
}

// lock is the right to write to one file.
type lock struct {
	locks *locks
	key   string
	file  *os.File
}

var errLockWait = errors.New("another writer did not finish in time")

// lockKey names the lock of a file by its absolute path, so that Roots of different directories agree on it. Names that some
// file system takes for the same share one.
func lockKey(root, final string) string {
	sum := sha256.Sum256([]byte(pattern.Fold(slashpath.Join(filepath.ToSlash(root), final))))
	return hex.EncodeToString(sum[:16])
}

// acquire waits for the right to a file, but not longer than the context lasts, nor longer than wait.
func (l *locks) acquire(ctx context.Context, key string, n note) (*lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.wait, errLockWait)
	defer cancel()
	if err := l.enter(ctx, key); err != nil {
		return nil, err
	}
	file, err := l.lockFile(ctx, key, n)
	if err != nil {
		l.leave(key, true)
		return nil, err
	}
	return &lock{locks: l, key: key, file: file}, nil
}

// enter waits for this process's turn.
func (l *locks) enter(ctx context.Context, key string) error {
	l.mu.Lock()
	t := l.turns[key]
	if t == nil {
		t = &turn{token: make(chan struct{}, 1)}
		t.token <- struct{}{}
		if l.turns == nil {
			l.turns = make(map[string]*turn)
		}
		l.turns[key] = t
	}
	t.users++
	l.mu.Unlock()
	select {
	case <-t.token: // whoever finds the file free has it, however late it is
		return nil
	default:
	}
	select {
	case <-t.token:
		return nil
	case <-ctx.Done():
		l.leave(key, false)
		return context.Cause(ctx)
	}
}

// leave gives the turn up, with the token if it was held.
func (l *locks) leave(key string, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.turns[key]
	if held {
		t.token <- struct{}{}
	}
	if t.users--; t.users == 0 {
		delete(l.turns, key)
	}
}

// lockFile waits until no other process has the file.
func (l *locks) lockFile(ctx context.Context, key string, n note) (*os.File, error) {
	name := filepath.Join(l.dir, key+".lock")
	var pause backoff
	for {
		f, err := tryLockFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(l.dir, 0o700)
		}
		if err != nil {
			return nil, err
		}
		if f != nil {
			if err := n.write(f); err != nil {
				removeLockFile(f)
				return nil, err
			}
			return f, nil
		}
		if err := pause.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// tryLockFile opens and locks a lock file. It returns nil when somebody else has it, or has just removed it.
func tryLockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if isRemoving(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	locked, err := rootfs.TryLock(f)
	if err == nil && locked && stillNamed(f, name) {
		return f, nil
	}
	f.Close()
	return nil, err
}

// stillNamed reports whether an open file is the one that bears the name.
func stillNamed(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, named)
}

// release lets the next writer in.
func (k *lock) release() {
	removeLockFile(k.file)
	k.locks.leave(k.key, true)
}

// removeLockFile removes a lock file while it is still locked. Windows removes no open file, but there no other process can
// have opened the file when removing it succeeds.
func removeLockFile(f *os.File) {
	if runtime.GOOS != "windows" {
		os.Remove(f.Name())
	}
	f.Close()
	if runtime.GOOS == "windows" {
		os.Remove(f.Name())
	}
}

// A directory that is moved takes along what is being written in it, and rules that were applied to one path would have let
// something be written to another. So who moves a directory waits until nobody writes below it, and who writes gives way to
// whoever moves a directory above. Both have taken their own lock before they look for those of the other, so that at least one
// sees the other; a directory that is moved keeps its lock while it waits, and everybody else gives up theirs. Nobody else waits
// for a lock while having one.

// claim is a path that is about to be changed.
type claim struct {
	root  string // absolute, every link resolved
	final string
	whole bool // with what is below
	note  note
}

func newClaim(t target, final string, whole bool) claim {
	root := t.tree.RealName()
	return claim{root, final, whole, note{Root: root, Dirs: []string{path.Dir(final), TrashDir}}}
}

func (c claim) key() string { return lockKey(c.root, c.final) }

// held are locks that were taken together.
type held []*lock

func (h held) release() {
	for _, k := range h {
		k.release()
	}
}

func (h held) has(key string) bool {
	for _, k := range h {
		if k.key == key {
			return true
		}
	}
	return false
}

// errTaken says that somebody has a lock that was not waited for.
var errTaken = errors.New("somebody has the lock")

// acquireAll takes the locks of all claims, or of none.
func (l *locks) acquireAll(ctx context.Context, claims ...claim) (held, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.wait, errLockWait)
	defer cancel()
	var pause backoff
	for {
		h, err := l.together(ctx, claims)
		if err != nil {
			return nil, err
		}
		taken, err := l.anyAbove(claims, h)
		if err == nil && !taken {
			if err = l.waitBelow(ctx, claims, h); err == nil {
				return h, nil
			}
		}
		h.release()
		if err == nil {
			err = pause.wait(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// together waits for one lock at a time, having none, and has them all when the others are free at that moment.
func (l *locks) together(ctx context.Context, claims []claim) (held, error) {
	now, cancel := context.WithCancelCause(ctx)
	cancel(errTaken)
	for first := 0; ; {
		one, err := l.acquire(ctx, claims[first].key(), claims[first].note)
		if err != nil {
			return nil, err
		}
		h, next := held{one}, -1
		for i, c := range claims {
			if h.has(c.key()) {
				continue
			}
			if one, err = l.acquire(now, c.key(), c.note); err != nil {
				next = i
				break
			}
			h = append(h, one)
		}
		if next < 0 {
			return h, nil
		}
		h.release()
		if !errors.Is(err, errTaken) {
			return nil, err
		}
		first = next
	}
}

func (l *locks) anyAbove(claims []claim, mine held) (bool, error) {
	for _, c := range claims {
		if taken, err := l.above(c, mine); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// above reports whether somebody else has the lock of a directory that the claim is in.
func (l *locks) above(c claim, mine held) (bool, error) {
	for dir := path.Dir(c.final); dir != "."; dir = path.Dir(dir) {
		key := lockKey(c.root, dir)
		if mine.has(key) {
			continue
		}
		if taken, err := taken(filepath.Join(l.dir, key+".lock")); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// waitBelow waits until nobody else has a lock of something below a directory that is claimed.
func (l *locks) waitBelow(ctx context.Context, claims []claim, mine held) error {
	var pause backoff
	for _, c := range claims {
		for c.whole {
			busy, err := l.below(c, mine)
			if err == nil && busy {
				err = pause.wait(ctx)
			}
			if err != nil {
				return err
			}
			c.whole = busy
		}
	}
	return nil
}

func (l *locks) below(c claim, mine held) (bool, error) {
	dir, err := os.Open(l.dir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxLockFiles)
	if err != nil && err != io.EOF {
		return false, err
	}
	for _, name := range names {
		key, ok := strings.CutSuffix(name, ".lock")
		if !ok || mine.has(key) {
			continue
		}
		full := filepath.Join(l.dir, name)
		n, err := readNote(full)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !n.within(c) {
			continue
		}
		if isRemoving(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if taken, err := taken(full); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// within reports whether the path that a lock is for lies below the claim. What has not been written yet may do so.
func (n note) within(c claim) bool {
	if len(n.Dirs) == 0 {
		return true
	}
	dir := pattern.Fold(path.Join(filepath.ToSlash(n.Root), n.Dirs[0]))
	return slashpath.IsBelow(dir, pattern.Fold(path.Join(filepath.ToSlash(c.root), c.final)))
}

// taken reports whether a process has the lock of this name, without leaving one.
func taken(name string) (bool, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission), isRemoving(err): // on Windows, while it is being removed
		return true, nil
	case err != nil:
		return false, err
	}
	defer f.Close()
	free, err := rootfs.TryLock(f)
	return !free, err
}

// acquireIn takes the lock of a file, and gives way to whoever moves a directory above it.
func (l *locks) acquireIn(ctx context.Context, root, final string, n note) (*lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.wait, errLockWait)
	defer cancel()
	c := claim{root: root, final: final, note: n}
	var pause backoff
	for {
		got, err := l.acquire(ctx, c.key(), n)
		if err != nil {
			return nil, err
		}
		taken, err := l.above(c, nil)
		if err == nil && !taken {
			return got, nil
		}
		got.release()
		if err == nil {
			err = pause.wait(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// noLock explains why a lock could not be taken.
func noLock(ctx context.Context, t target, err error) error {
	switch {
	case errors.Is(err, errLockWait):
		return &Error{Code: Timeout, AttemptedPath: shorten(t.given), Message: "Another write to " + quote(t.given) + " did not finish in time.", Next: "Wait a moment and call again.", Err: err}
	case ctx.Err() != nil:
		return err
	}
	return problem(InternalError, t.given, rootfs.Reason(err), "The lock of %s cannot be taken in the state directory: %v.", quote(t.given), rootfs.Reason(err))
}

// backoff is how long the next wait is.
type backoff time.Duration

func (b *backoff) wait(ctx context.Context) error {
	delay := max(time.Duration(*b), 200*time.Microsecond)
	*b = backoff(min(2*delay, 20*time.Millisecond))
	return wait.For(ctx, delay/2+rand.N(delay))
}
