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
	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security"
)

// DefaultDir is the default directory of a JSONStore, below the first directory of the
// Root.
const DefaultDir = projectfile.Chunks

// JSONStore is a Store in a directory. Its methods are safe for concurrent use.
//
// The log holds one JSON object per line, in the format of File.AppendJSON. The journal
// holds the same data in a binary format for a fast start: Load reads only the data for
// searches, and File.Parsed the rest. If the journal is missing or damaged, Load uses
// the log and skips its damaged lines. Both files are append-only and compacted when
// outdated data prevails. Files of older versions are removed.
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

	mu       sync.Mutex
	ended    bool
	swept    bool
	dir      *os.Root       // nil until the directory exists
	loaded   []*File        // files of Load, until the first save moves them to sizes
	sizes    map[string]int // bytes in the journal of each file, without the ones in loaded
	live     int64          // bytes of the valid records in the journal
	known    journalState
	journals []*os.File // journals of Load, kept open for File.Parsed
	frames   []byte     // reusable buffer for the journal
	room     []byte     // reusable buffer for the log

	compacting bool
	background group.Group
}

// journalState is the journal after the last write of this store. If it is unchanged,
// the end of the journal is known.
type journalState struct {
	info os.FileInfo
	size int64
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
	s := &JSONStore{readOnly: root.ReadOnly(), log: o.Log, temp: tempPrefix + rand.Text()[:12] + "-", maxIdle: maxIdle, sizes: map[string]int{}}
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

// resize updates the number of journal bytes of a file; 0 removes the file.
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
	for _, journal := range s.journals {
		failed = append(failed, journal.Close())
	}
	s.journals = nil
	return errors.Join(failed...)
}
