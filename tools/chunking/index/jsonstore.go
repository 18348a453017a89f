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
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
)

// DefaultDir is the directory of a JSONStore, below the first directory of the
// Root.
const DefaultDir = "data/chunks"

// JSONStore keeps files in a directory: a log of JSON objects, one a line, in the
// form of File.AppendJSON, and a journal that holds the same in a compact form, so
// that start-up is fast: only what searches look at is read then, and the rest of a
// file when it is asked for. Without the journal, or when that is damaged, the log is
// read; what is damaged of that is left out. Both are appended to, and written anew
// when too much of them is of no use. What older versions have saved is removed, and
// read again from the sources.
//
// Several processes may use one directory. Each appends under a lock: what was
// saved last stays. A process learns what another has saved at its next start.
//
// Nothing is flushed to the disk: after a crash of the machine files may be
// missing or old, which shows, since the sizes and times of the sources are
// recorded.
type JSONStore struct {
	top, path string // the directory is path below top
	within    string // the directory as the Root names it, "" if it lies outside
	readOnly  bool
	log       *slog.Logger
	temp      string // begins the names of this store's temporary files
	temps     atomic.Uint64
	crash     func(step string) // what a test does between the steps of saving
	maxIdle   int64             // the constant, or a test's value

	mu       sync.Mutex
	ended    bool
	swept    bool
	dir      *os.Root       // nil until it is made
	loaded   []*File        // until something is saved
	sizes    map[string]int // how many bytes of the journal each file has, but for loaded
	live     int64          // the bytes of the journal that count
	known    journalState
	journals []*os.File // that were loaded: most of each file is read when it is asked for
	frames   []byte     // room for what is appended to the journal
	room     []byte     // and to the log

	compacting bool
	background group.Group
}

// journalState is how this store left the journal.
type journalState struct {
	info os.FileInfo
	size int64
}

// JSONOptions configures a JSONStore; the zero value is right.
type JSONOptions struct {
	// Dir is a directory below the first of the Root, or an absolute one; DefaultDir
	// if it is empty. A relative one, or one within the Root, must not lead through a
	// link.
	Dir string
	// Log is told of damage. nil: nobody is.
	Log *slog.Logger
}

// NewJSONStore finds the directory, which is made when there is something to save.
// With a Root that is read-only it is only read.
func NewJSONStore(root *security.Root, o JSONOptions) (*JSONStore, error) {
	dir := cmp.Or(o.Dir, DefaultDir)
	if !filepath.IsAbs(dir) && !filepath.IsLocal(dir) {
		return nil, fmt.Errorf("the directory %q for chunks leads out of the project; give one below it, or an absolute path", dir)
	}
	s := &JSONStore{readOnly: root.ReadOnly(), log: o.Log, temp: tempPrefix + rand.Text()[:12] + "-", maxIdle: maxIdle, sizes: map[string]int{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.top, s.path, s.within = placeStore(root.Dirs(), dir)
	opened, err := openStoreDir(s.top, s.path, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("the directory %q for chunks: %w", dir, err)
	}
	return s, opened.Close()
}

// Within is the directory as the Root names it, or "" if it lies outside. It is
// not indexed.
func (s *JSONStore) Within() string { return s.within }

// open opens the directory, or finds that it is still there.
func (s *JSONStore) open(create bool) error {
	if s.dir != nil {
		if _, err := s.dir.Lstat(".gitignore"); err == nil || !create {
			return nil
		}
		// Somebody has removed the directory, or just that file.
		_ = s.release() // it was only read
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
	files, err := s.loadJournal(ctx)
	if err == nil {
		return files, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errVersion):
		s.log.InfoContext(ctx, "the saved chunks are not used; the files are read again", "directory", s.path, "reason", err)
	default:
		s.log.WarnContext(ctx, "the journal of chunks cannot be read; the JSON is read instead", "directory", s.path, "error", err)
	}
	files, err = s.loadLog(ctx)
	if err != nil || s.readOnly || len(files) == 0 {
		return files, err
	}
	if err := s.locked(ctx, func() error { return s.rewrite(files, nil) }); err != nil {
		s.log.WarnContext(ctx, "the journal of chunks cannot be written", "directory", s.path, "error", err)
	}
	return files, nil
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
	w := &frameWriter{out: s.frames[:0]}
	for _, f := range changed {
		size, err := w.file(f)
		if err != nil {
			return fmt.Errorf("saving chunks in %s: %w", s.path, err)
		}
		s.resize(f.Path, size)
	}
	for _, path := range removed {
		w.removed(path)
		s.resize(path, 0)
	}
	w.flush()
	if s.frames = nil; cap(w.out) <= 2*frameSize {
		s.frames = w.out
	}
	err := s.locked(ctx, func() error {
		whole, err := s.appendLog(ctx, changed, removed)
		if err != nil {
			return err
		}
		s.step("json")
		return s.add(ctx, w.out, whole)
	})
	if err != nil {
		return fmt.Errorf("saving chunks in %s: %w", s.path, err)
	}
	return nil
}

// resize notes how many bytes of the journal a file has now.
func (s *JSONStore) resize(path string, size int) {
	for _, f := range s.loaded {
		s.sizes[f.Path] = f.stored.record
	}
	s.loaded = nil
	s.live += int64(size - s.sizes[path])
	if size == 0 {
		delete(s.sizes, path)
	} else {
		s.sizes[path] = size
	}
}

// step lets a test end the process here.
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
	for _, journal := range s.journals {
		failed = append(failed, journal.Close())
	}
	s.journals = nil
	return errors.Join(failed...)
}
