package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
)

const (
	tempPrefix = ".tmp-"
	// tempAge is the age after which a temporary file counts as abandoned.
	tempAge = 10 * time.Minute
	// maxEntries is the maximum number of directory entries that are examined.
	maxEntries = 1 << 16

	lockName = "lock"
	// lockTimeout is the maximum time to wait for the lock of another process.
	lockTimeout = 10 * time.Second
	// maxIdle is the number of outdated bytes from which the log is compacted, if they are also more than a
	// quarter of the valid ones.
	maxIdle = 256 << 10
)

var errLocked = errors.New("another process holds the lock file")

// locked calls do while it holds the lock between processes. On file systems without
// locks it calls do directly.
func (s *JSONStore) locked(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockTimeout, errLocked)
	defer cancel()
	lock, _, err := openRegular(s.dir, lockName, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = s.dir.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	for delay := time.Millisecond; ; delay = min(2*delay, 50*time.Millisecond) {
		got, err := rootfs.TryLock(lock)
		if got || err != nil { // a file system without locks has few processes on it
			return do()
		}
		if err := wait.Sleep(ctx, delay/2+rand.N(delay)); err != nil {
			return fmt.Errorf("locking the log: %w", err)
		}
	}
}

// parallel calls do for 0 to n-1 concurrently. It uses at most one goroutine per worth
// calls and per processor. A panic in do is raised again in the caller.
func parallel(n, worth int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n/worth)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var run group.Group
	var next atomic.Int64
	var mu sync.Mutex
	var panicked any
	run.OnPanic = func(value any, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		panicked = value
	}
	for range workers {
		run.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	run.Wait()
	if panicked != nil {
		panic(panicked)
	}
}

// sweep removes abandoned temporary files.
func (s *JSONStore) sweep() {
	entries, _ := s.list(".")
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if info, err := s.dir.Lstat(e.Name()); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > tempAge {
			_ = s.dir.Remove(e.Name()) // it may be gone already
		}
	}
}

func (s *JSONStore) list(name string) ([]fs.DirEntry, error) {
	dir, err := s.dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries)
	if err == io.EOF {
		err = nil
	}
	return entries, err
}

// sweepOld removes files of previous formats: a binary journal, and one file per source in 16 directories.
func (s *JSONStore) sweepOld() {
	if info, err := s.dir.Lstat("index.bin"); err == nil && info.Mode().IsRegular() {
		_ = s.dir.Remove("index.bin")
	}
	for _, shard := range strings.Split("0123456789abcdef", "") {
		if info, err := s.dir.Lstat(shard); err != nil || !info.IsDir() {
			continue
		}
		entries, _ := s.list(shard)
		for _, e := range entries {
			if name := e.Name(); e.Type().IsRegular() && strings.HasPrefix(name, shard) && strings.HasSuffix(name, ".json") {
				_ = s.dir.Remove(shard + "/" + name)
			}
		}
		_ = s.dir.Remove(shard) // unless something else is in it
	}
}

// draft is a temporary file that replaces another one when it is complete.
type draft struct {
	store *JSONStore
	file  *os.File
	name  string
}

func (s *JSONStore) draft() (*draft, error) {
	name := s.temp + strconv.FormatUint(s.temps.Add(1), 36)
	f, err := s.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &draft{s, f, name}, nil
}

// place renames the draft to name. If writing failed with err, it removes the draft.
func (d *draft) place(name string, err error) error {
	if e := d.file.Close(); err == nil {
		err = e
	}
	d.store.step("temp")
	if err == nil {
		err = d.store.dir.Rename(d.name, name)
	}
	if err != nil {
		_ = d.store.dir.Remove(d.name) // it is swept later if that fails
		return fmt.Errorf("replacing %s: %w", name, err)
	}
	d.store.step("renamed")
	return nil
}

// replace atomically replaces a file.
func (s *JSONStore) replace(name string, data []byte) error {
	d, err := s.draft()
	if err != nil {
		return err
	}
	_, err = d.file.Write(data)
	return d.place(name, err)
}

// openRegular opens a regular file and refuses links and special files: the open of a
// FIFO would block.
func openRegular(dir *os.Root, name string, flag int) (*os.File, os.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := dir.OpenFile(name, flag, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = fmt.Errorf("%s was replaced while it was opened", name)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
