package search_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the modification time of the test files.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// parsers returns the parsers that the tests need.
func parsers() *source.Parsers { return source.NewParsers(golang.Parser{}) }

// shelf is a document plugin in memory. It indexes its files when a test calls update.
type shelf struct {
	name  string
	index index.Index

	mu       sync.Mutex
	files    map[string]shelved
	status   plugin.Status
	failing  error // of the index
	refreshs []plugin.RefreshOptions
	hold     chan struct{} // Refresh waits for it, if it is there
	watchers map[int]func([]string)
	closed   bool
}

type shelved struct {
	text     string
	modified time.Time
}

// newShelf returns a shelf with indexed files, by path.
func newShelf(t testing.TB, files map[string]string) *shelf {
	t.Helper()
	s := &shelf{name: "shelf", index: segment.NewMemory(), files: make(map[string]shelved), watchers: make(map[int]func([]string))}
	for path, text := range files {
		s.put(path, text, noon)
	}
	s.update(t)
	return s
}

func (s *shelf) put(path, text string, modified time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = shelved{text, modified}
}

func (s *shelf) remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, path)
}

// set changes the status with f.
func (s *shelf) set(f func(*plugin.Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.status)
}

// fail makes searches of the index return err; nil ends that.
func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = err
}

// update indexes all files.
func (s *shelf) update(t testing.TB) {
	t.Helper()
	if err := s.write(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.set(func(status *plugin.Status) {
		*status = plugin.Status{State: plugin.Ready, Checked: time.Now(), Watching: true}
	})
}

func (s *shelf) write(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.index.Begin(ctx, index.WriteOptions{Replace: true})
	if err != nil {
		return err
	}
	defer w.Abort()
	p := parsers()
	defer p.Close()
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		f, err := document.Cut(ctx, path, []byte(s.files[path].text), document.Options{Parsers: p})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		f.Hash, f.Size, f.ModTime = sha256.Sum256(f.Text), int64(len(f.Text)), s.files[path].modified
		if err := w.Put(ctx, f); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

func (s *shelf) Name() string                 { return s.name }
func (s *shelf) Health(context.Context) error { return nil }

func (s *shelf) Close(ctx context.Context) error {
	s.closed = true
	return s.index.Close(ctx)
}

func (s *shelf) Index() index.Index { return failingIndex{s.index, s} }

func (s *shelf) Status() plugin.Status {
	stats, _ := s.index.Stats(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	status.Stats = stats
	return status
}

func (s *shelf) Refresh(ctx context.Context, o plugin.RefreshOptions) (plugin.Report, error) {
	s.mu.Lock()
	s.refreshs = append(s.refreshs, o)
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return plugin.Report{}, ctx.Err()
		}
	}
	err := s.write(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return plugin.Report{Files: len(s.files), Updated: len(s.files)}, err
}

func (s *shelf) Read(_ context.Context, path string) ([]byte, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	if !ok {
		return nil, time.Time{}, &security.Error{Code: security.FileNotFound, Message: "there is no " + path, Err: fs.ErrNotExist}
	}
	return []byte(f.text), f.modified, nil
}

func (s *shelf) Changed(f func([]string)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := len(s.watchers)
	s.watchers[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, id)
	}
}

// tell notifies the watchers of changed files.
func (s *shelf) tell(paths ...string) {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.watchers))
	s.mu.Unlock()
	for _, f := range all {
		f(paths)
	}
}

// failingIndex is the index of a shelf; it fails after shelf.fail.
type failingIndex struct {
	index.Index
	shelf *shelf
}

func (f failingIndex) Search(ctx context.Context, q index.Query) (index.Found, error) {
	f.shelf.mu.Lock()
	err := f.shelf.failing
	f.shelf.mu.Unlock()
	if err != nil {
		return index.Found{}, err
	}
	return f.Index.Search(ctx, q)
}

// project is a directory with the tools for it.
type project struct {
	*search.Search
	dir  string
	root *security.Root
}

// newProject returns the tools for a directory with files, by path, and plugins.
func newProject(t testing.TB, files map[string]string, o search.Options, plugins ...plugin.Plugin) *project {
	t.Helper()
	p := &project{dir: t.TempDir()}
	for name, text := range files {
		p.write(t, name, text)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	o.Plugins = append(o.Plugins, plugins...)
	o.LiveScanTimeout = time.Minute // however slow the machine is
	if o.Parsers == nil {
		own := parsers()
		o.Parsers = own
		t.Cleanup(func() { own.Close() })
	}
	p.root = root
	p.Search, err = search.New(tools.Env{Root: root}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
		root.Close()
	})
	return p
}

func (p *project) write(t testing.TB, name, text string) {
	t.Helper()
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
