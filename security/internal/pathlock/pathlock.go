// Package pathlock gives one writer at a time the right to change a path: in a process by a queue for each path, between processes by
// locked files in a state directory.
//
// A lock file exists only while its writer works. A lock file without a process that holds it is the trace of a dead writer, and its
// [Note] lists the directories in which that writer may have left temporary files; see [Sweep].
//
// [Locks.Acquire] locks one path, and [Locks.AcquireAll] several paths or directories with their content. A move of a directory
// changes the paths of all files in it. A writer that has checked the rules for the old path would then write to the new path, which
// the rules may forbid. So the mover of a directory waits until no path below it is locked, and a writer gives way to the mover of a
// directory above. The mover and the writer each take their own lock first, and then look for the lock of the other. The later one
// therefore always sees the lock of the earlier one. A mover keeps its lock while it waits, and a writer releases its own. No other
// caller waits for a lock while it has one.
package pathlock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/keymutex"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// ErrTimeout is the error of a lock that was not free within Locks.Wait.
var ErrTimeout = errors.New("another writer did not finish in time")

// errTaken is the error of a lock that is not free, for a caller that does not wait.
var errTaken = errors.New("another writer has the lock")

// Locks are the locks of one state directory. They may be used by several goroutines at once.
type Locks struct {
	Dir  string        // the state directory; it is made with the first lock
	Wait time.Duration // the longest time that an acquisition waits

	queues keymutex.Mutex[string] // the waiting goroutines of this process, by Key of the path
}

// Lock is the right to change one path.
type Lock struct {
	key    string   // see Key
	file   *os.File // the locked file in Locks.Dir; excludes other processes
	unlock func()   // gives the path to the next caller of this process
}

// Key names the lock of a path by its absolute name, so that processes with different roots agree on it. root is an absolute
// directory, and final is the path below it after all links, with slashes. Names that are the same to some file system, for example
// in another letter case, share one key.
func Key(root, final string) string {
	sum := sha256.Sum256([]byte(pattern.Fold(slashpath.Join(filepath.ToSlash(root), final))))
	return hex.EncodeToString(sum[:16])
}

// File returns the name of the lock file of a path; root and final are the arguments of Key.
func (l *Locks) File(root, final string) string { return l.file(Key(root, final)) }

func (l *Locks) file(key string) string { return filepath.Join(l.Dir, key+suffix) }

// acquire waits for the right to a path until the context ends, and at most for Wait.
func (l *Locks) acquire(ctx context.Context, key string, n Note) (*Lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.Wait, ErrTimeout)
	defer cancel()
	unlock, err := l.queues.Lock(ctx, key)
	if err != nil {
		return nil, err
	}
	file, err := l.lockFile(ctx, key, n)
	if err != nil {
		unlock()
		return nil, err
	}
	return &Lock{key: key, file: file, unlock: unlock}, nil
}

// lockFile waits until no other process has the lock file.
func (l *Locks) lockFile(ctx context.Context, key string, n Note) (*os.File, error) {
	var pause backoff
	for {
		f, err := TryFile(l.file(key))
		if errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(l.Dir, 0o700)
		}
		if err != nil {
			return nil, err
		}
		if f != nil {
			if err := n.write(f); err != nil {
				RemoveFile(f)
				return nil, err
			}
			return f, nil
		}
		if err := pause.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// Release removes the lock file, and gives the right to the next writer of this process.
func (k *Lock) Release() {
	RemoveFile(k.file)
	k.unlock()
}

// backoff is the delay before the next attempt: 200 µs at first, doubled each time up to 20 ms.
type backoff time.Duration

// wait sleeps for a random time between half and one and a half of the delay.
func (b *backoff) wait(ctx context.Context) error {
	delay := max(time.Duration(*b), 200*time.Microsecond)
	*b = backoff(min(2*delay, 20*time.Millisecond))
	return wait.Sleep(ctx, delay/2+rand.N(delay))
}
