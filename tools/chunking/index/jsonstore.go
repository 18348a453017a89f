package index

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security"
)

// DefaultDir is the default directory of a JSONStore, below the first directory of the
// Root.
const DefaultDir = projectfile.Chunks

// JSONStore is a Store in a directory. Its methods are safe for concurrent use.
//
// The log, chunks.jsonl, holds one JSON object per line, in the format of File.AppendJSON. Load reads
// the data for searches, and File.Parsed the rest of a file. Load skips damaged lines. The log is
// append-only and compacted when more than a fifth of it is outdated. Files of older versions are removed.
//
// Several processes may share the directory. Appends are locked, and the last save of a
// file is valid. A process sees the changes of others when it loads the store again.
//
// Nothing is flushed to disk. After a power failure entries can be missing or old. The
// recorded sizes and times of the source files reveal that.
type JSONStore struct {
	top, path string // the directory is path below top
	within    string // the directory as the Root names it; "" outside the Root
	readOnly  bool
	log       *slog.Logger
	temp      string // prefix of the temporary files of this store
	temps     atomic.Uint64
	crash     func(step string) // hook for tests, called between the steps of a save
	maxIdle   int64             // see the constant maxIdle; tests reduce it

	mu      sync.Mutex
	ended   bool
	swept   bool
	stale   bool                // the log has damaged lines; the next save compacts it
	foreign bool                // the log is of another version; the next save replaces it
	dir     *os.Root            // nil until the directory exists
	entries map[string]logEntry // the last lines of each file, as far as this store knows them
	live    int64               // bytes of entries
	logs    []*os.File          // logs of Load, kept open for File.Parsed
	room    []byte              // reusable buffer for lines

	compacting bool
	background group.Group
}

// logEntry describes the last lines of a file in the log.
type logEntry struct {
	size        int // bytes of both lines
	line        int // bytes of the line in the format of File.AppendJSON
	hash        [32]byte
	fingerprint uint64
}

// enter records the size of the lines of a file. The caller holds s.mu.
func (s *JSONStore) enter(f *File, size int) {
	e := logEntry{size: size, line: size, hash: f.Hash, fingerprint: f.fingerprint}
	if old, ok := s.entries[f.Path]; ok {
		s.live -= int64(old.size)
		if f.touched && old.hash == f.Hash {
			e.line = old.line
		}
	}
	s.live += int64(size)
	s.entries[f.Path] = e
}

// JSONOptions configures a JSONStore. The zero value is usable.
type JSONOptions struct {
	// Dir is the directory: a path below the first directory of the Root, or an
	// absolute path. Default: DefaultDir. A path within the Root must not contain
	// links.
	Dir string
	// Log receives reports of damaged files. Default: nil, which discards them.
	Log *slog.Logger
}

// NewJSONStore returns a store for a directory, which the first save creates. With a
// read-only Root, Save returns ErrReadOnly. NewJSONStore returns an error if a relative
// Dir leads out of the Root, or if the existing directory cannot be opened.
func NewJSONStore(root *security.Root, o JSONOptions) (*JSONStore, error) {
	dir := cmp.Or(o.Dir, DefaultDir)
	if !filepath.IsAbs(dir) && !filepath.IsLocal(dir) {
		return nil, fmt.Errorf("the directory %q for chunks is outside the project; use a path below it or an absolute path", dir)
	}
	s := &JSONStore{readOnly: root.ReadOnly(), log: o.Log, temp: tempPrefix + rand.Text()[:12] + "-", maxIdle: maxIdle, entries: map[string]logEntry{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.top, s.path, s.within = locateStore(root.Dirs(), dir)
	opened, err := openStoreDir(s.top, s.path, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("the directory %q for chunks: %w", dir, err)
	}
	return s, opened.Close()
}

// Within returns the directory as the Root names it, or "" if it is outside the Root.
// Index does not index this directory.
func (s *JSONStore) Within() string { return s.within }

// open opens the directory unless it is open and still exists.
func (s *JSONStore) open(create bool) error {
	if s.dir != nil {
		if _, err := s.dir.Lstat(".gitignore"); err == nil || !create {
			return nil
		}
		// The directory or its .gitignore was removed.
		_ = s.release() // an error loses no data
	}
	dir, err := openStoreDir(s.top, s.path, create)
	if err != nil {
		return err
	}
	s.dir = dir
	return nil
}

// release closes the directory.
func (s *JSONStore) release() error {
	if s.dir == nil {
		return nil
	}
	err := s.dir.Close()
	s.dir = nil
	return err
}

// Load implements Store.
func (s *JSONStore) Load(ctx context.Context) ([]*File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(false); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	return s.loadLog(ctx)
}

// Save implements Store.
func (s *JSONStore) Save(ctx context.Context, changed []*File, removed []string) error {
	if s.readOnly {
		return ErrReadOnly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return ErrClosed
	}
	if err := s.open(true); err != nil {
		return fmt.Errorf("saving chunks in %s: %w", s.path, err)
	}
	if !s.swept {
		s.sweep()
		s.sweepOld()
		s.swept = true
	}
	if err := s.locked(ctx, func() error { return s.appendLog(ctx, changed, removed) }); err != nil {
		return fmt.Errorf("saving chunks in %s: %w", s.path, err)
	}
	return nil
}

// Intact reports whether the log still exists with at least the expected size.
func (s *JSONStore) Intact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil || s.stale || s.foreign {
		return false
	}
	info, err := s.dir.Lstat(logName)
	return err == nil && info.Mode().IsRegular() && info.Size() >= s.live
}

// logPath returns the path of the log for messages.
func (s *JSONStore) logPath() string { return path.Join(s.path, logName) }

// step calls the hook of a test.
func (s *JSONStore) step(name string) {
	if s.crash != nil {
		s.crash(name)
	}
}

// Close implements Store.
func (s *JSONStore) Close() error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.background.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := []error{s.release()}
	for _, log := range s.logs {
		failed = append(failed, log.Close())
	}
	s.logs = nil
	return errors.Join(failed...)
}
