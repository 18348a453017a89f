package filesystem_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/tools/search/index"
)

type indexFile = index.File

// memory is an index.Index that stores files and finds no pieces.
type memory struct {
	mu      sync.Mutex
	files   map[string]index.File
	commits int
	writing bool
	closed  bool
	fault   error         // error of Commit
	foreign bool          // whether another process writes
	held    chan struct{} // Put waits until it is closed, if not nil
}

func newMemory() *memory { return &memory{files: map[string]index.File{}} }

func (m *memory) Begin(ctx context.Context, o index.WriteOptions) (index.Writer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writing || m.foreign {
		return nil, index.ErrWriting
	}
	m.writing = true
	w := &memoryWriter{m: m, next: map[string]index.File{}}
	if !o.Replace {
		maps.Copy(w.next, m.files)
	}
	return w, nil
}

func (m *memory) Lookup(_ context.Context, path string) (index.Known, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.files[path]
	return known(f), ok, nil
}

func known(f index.File) index.Known {
	return index.Known{Path: f.Path, Hash: f.Hash, Size: f.Size, ModTime: f.ModTime, Language: f.Language, Version: f.Version, Pieces: len(f.Pieces)}
}

func (m *memory) Files(context.Context) iter.Seq2[index.Known, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	files := maps.Clone(m.files)
	return func(yield func(index.Known, error) bool) {
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if !yield(known(files[path]), nil) {
				return
			}
		}
	}
}

func (m *memory) Pieces(_ context.Context, path string) ([]index.Piece, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files[path].Pieces, nil
}

func (m *memory) Search(context.Context, index.Query) (index.Found, error) {
	return index.Found{}, errors.ErrUnsupported
}

func (m *memory) Similar(context.Context, index.Likeness) (index.Found, error) {
	return index.Found{}, errors.ErrUnsupported
}

func (m *memory) Candidates(context.Context, index.Literals, index.Filter) ([]string, error) {
	return nil, errors.ErrUnsupported
}

func (m *memory) Stats(context.Context) (index.Stats, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := index.Stats{Files: len(m.files), Generation: uint64(m.commits)}
	for _, f := range m.files {
		s.Source += f.Size
		s.Pieces += len(f.Pieces)
	}
	return s, nil
}

func (m *memory) Close(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writing {
		return errors.New("closed while it was written to")
	}
	m.closed = true
	return nil
}

// change modifies the fields under the lock.
func (m *memory) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

type memoryWriter struct {
	m     *memory
	next  map[string]index.File
	ended bool
}

func (w *memoryWriter) Put(ctx context.Context, f index.File) error {
	w.m.mu.Lock()
	held := w.m.held
	w.m.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	f.Text = slices.Clone(f.Text)
	w.next[f.Path] = f
	return nil
}

func (w *memoryWriter) Touch(_ context.Context, k index.Known) error {
	f := w.next[k.Path]
	f.Size, f.ModTime = k.Size, k.ModTime
	w.next[k.Path] = f
	return nil
}

func (w *memoryWriter) Remove(_ context.Context, paths ...string) error {
	for _, path := range paths {
		delete(w.next, path)
	}
	return nil
}

func (w *memoryWriter) Commit(context.Context) error {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.ended, w.m.writing = true, false
	if w.m.fault != nil {
		return w.m.fault
	}
	w.m.files = w.next
	w.m.commits++
	return nil
}

func (w *memoryWriter) Abort() {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	if !w.ended {
		w.ended, w.m.writing = true, false
	}
}
