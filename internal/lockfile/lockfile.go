// Package lockfile has locks that processes share through a file.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
)

// Take waits for the lock of a file, which another goroutine or process may hold, and takes it. It makes the file and its
// directory if they are missing; the file stays. The lock ends with the process, in whichever way that ends.
func Take(ctx context.Context, name string) (release func(), err error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	for delay := time.Millisecond; ; delay = min(2*delay, 100*time.Millisecond) {
		got, err := rootfs.TryLock(f)
		if err == nil && got {
			return func() { _ = f.Close() }, nil // nothing was written
		}
		if err == nil {
			err = wait.Sleep(ctx, delay/2+rand.N(delay))
		}
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
	}
}

func open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	}
	return f, err
}
