// Package spent records in a directory which user consents were used, so that each consent counts
// once. A consent is the user's answer to a tool that asks for confirmation. The client returns it
// to the server in an encrypted text, the request state, and could return it a second time.
//
// A [Store] is an mcp.ServerOptions.Spent, for several servers with the same
// mcp.ServerOptions.StateKeys: each of them accepts the request states of the others. Several
// processes can share the directory, and it survives restarts.
//
// Each consent is an empty file. Its name contains the expiry time and a digest of the id. The file
// system creates a name only once, so exactly one of several servers accepts the consent. Files are
// removed an hour after their expiry.
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
	// grace keeps records after their expiry, because clocks of machines differ.
	grace = time.Hour
)

// Options are the settings of a Store.
type Options struct {
	// Max limits the number of records, including expired ones in their last hour. Above it, Spend
	// fails until older records are removed. Default 100,000.
	Max int
	// Now returns the current time. Default time.Now.
	Now func() time.Time
}

// Store is a directory of used consents. It is safe for concurrent use.
type Store struct {
	dir string
	max int
	now func() time.Time

	mu    sync.Mutex // guards swept and count
	swept time.Time  // time of the last sweep
	count int        // records at the last sweep, and later ones of this Store
}

// Open opens the directory, and creates it with mode 0700 if necessary. Servers that share keys
// open the same directory.
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

// Spend records the use of the consent with this id, which expires at until. It returns false if
// the consent was used before. After an error the server must not accept the consent, and a later
// call may return false, because the use may have been recorded.
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

// makeRoom removes expired records once a minute and at the limit. It returns an error if there are
// too many.
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

// sweep removes expired records and counts the others. It ignores files with other names.
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

// expiry returns the expiry time in the name of a record.
func expiry(name string) (time.Time, bool) {
	seconds, digest, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(digest) != 2*sha256.Size {
		return time.Time{}, false
	}
	return time.Unix(n, 0), true
}

// syncDir flushes a directory to disk. Windows needs no flush.
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
