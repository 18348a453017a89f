// Package spent remembers in a directory which consents of users were used, for servers that share the keys of their states:
// mcp.ServerOptions.Spent takes a Store. The directory can be shared by processes, and outlives them.
//
// Each consent is an empty file, named by the time until which it must be known and by a digest of its id. The system makes a file
// of a name once only, so that of several servers one has the consent. Files are removed an hour after their time.
package spent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	defaultMax = 100_000
	sweepEvery = time.Minute
	// grace keeps records longer than they say, since the clocks of several machines differ.
	grace = time.Hour
)

// Options configure a Store. The zero value has the defaults.
type Options struct {
	// Max is how many records there can be at most. Beyond it no consent counts until older ones expire. Default: 100,000.
	Max int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Store is a directory of used consents. Its methods may be called from several goroutines at once.
type Store struct {
	dir string
	max int
	now func() time.Time

	mu    sync.Mutex
	swept time.Time // when the directory was listed
	count int       // of records then and since
}

// Open makes the directory, which only this user can use, or opens it. Servers that share keys open the same directory.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, max: o.Max, now: o.Now}
	if s.max <= 0 {
		s.max = defaultMax
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of used consents: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of used consents: %w", err)
	}
	if !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the directory of used consents %s must be a directory that only its owner can use; its mode is %v", dir, info.Mode())
	}
	if err := s.makeRoom(); err != nil {
		return nil, err
	}
	return s, nil
}

// Spend records that the consent with this id was used. It returns false if it was used before.
func (s *Store) Spend(ctx context.Context, id string, until time.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("record a used consent: %w", err)
	}
	if err := s.makeRoom(); err != nil {
		return false, err
	}
	sum := sha256.Sum256([]byte(id))
	name := filepath.Join(s.dir, strconv.FormatInt(until.Unix(), 10)+"-"+hex.EncodeToString(sum[:]))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("record a used consent: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close(), syncDir(s.dir)); err != nil {
		return false, fmt.Errorf("record a used consent: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return true, nil
}

// makeRoom removes expired records from time to time, and reports that there are too many.
func (s *Store) makeRoom() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Sub(s.swept) > sweepEvery || s.count >= s.max {
		count, err := s.sweep(now)
		if err != nil {
			return fmt.Errorf("list used consents: %w", err)
		}
		s.count, s.swept = count, now
	}
	if s.count >= s.max {
		return fmt.Errorf("record a used consent: there are %d already, and the oldest has not expired", s.count)
	}
	return nil
}

// sweep removes the expired records and counts the others. A file that is no record is left alone.
func (s *Store) sweep(now time.Time) (count int, err error) {
	dir, err := os.Open(s.dir)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			until, ok := expiry(name)
			switch {
			case !ok:
			case now.After(until.Add(grace)):
				if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return count, err
				}
			default:
				count++
			}
		}
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return count, err
		}
	}
}

// expiry is the time in the name of a record.
func expiry(name string) (time.Time, bool) {
	seconds, digest, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(digest) != 2*sha256.Size {
		return time.Time{}, false
	}
	return time.Unix(n, 0), true
}

// syncDir flushes the names in a directory. Windows does that by itself.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
