package security

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
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
