package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/index/indextest"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// database is the shared storage of several machines.
type database struct {
	mu       sync.Mutex
	owner    *machine
	manifest []byte
	version  uint64
	live     []uint64
	segments map[uint64]*bytes.Buffer
	down     bool // every access fails
}

func newDatabase() *database { return &database{segments: map[uint64]*bytes.Buffer{}} }

var (
	errDown = errors.New("the database cannot be reached")
	errLost = errors.New("the lock was lost")
)

// machine is a segment.Store.
type machine struct{ *database }

func (m *machine) use() (func(), error) {
	m.mu.Lock()
	if m.down {
		m.mu.Unlock()
		return nil, errDown
	}
	return m.mu.Unlock, nil
}

func (m *machine) Lock(context.Context) error {
	done, err := m.use()
	if err != nil {
		return err
	}
	defer done()
	if m.owner != nil {
		return fmt.Errorf("another machine writes: %w", index.ErrWriting)
	}
	m.owner = m
	for number := range m.segments {
		if !slices.Contains(m.live, number) {
			delete(m.segments, number)
		}
	}
	return nil
}

func (m *machine) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owner == m {
		m.owner = nil
	}
}

func (m *machine) Manifest(_ context.Context, known uint64) ([]byte, uint64, error) {
	done, err := m.use()
	switch {
	case err != nil:
		return nil, 0, err
	default:
		defer done()
	}
	if m.version == 0 {
		return nil, 0, fs.ErrNotExist
	}
	if m.version == known {
		return nil, known, nil
	}
	return m.manifest, m.version, nil
}

// creation is a segment that is being written.
type creation struct {
	m      *machine
	number uint64
	bytes.Buffer
}

func (c *creation) Close() error {
	done, err := c.m.use()
	if err != nil {
		return err
	}
	defer done()
	if c.m.owner != c.m {
		return errLost
	}
	c.m.segments[c.number] = &c.Buffer
	return nil
}

func (m *machine) Create(_ context.Context, number uint64) (io.WriteCloser, error) {
	return &creation{m: m, number: number}, nil
}

func (m *machine) Commit(_ context.Context, manifest []byte, live []uint64) (uint64, error) {
	done, err := m.use()
	if err != nil {
		return 0, err
	}
	defer done()
	if m.owner != m {
		return 0, errLost
	}
	m.manifest, m.live = bytes.Clone(manifest), slices.Clone(live)
	m.version++
	return m.version, nil
}

func (m *machine) Remove(_ context.Context, number uint64) error {
	done, err := m.use()
	if err != nil {
		return err
	}
	defer done()
	if m.owner == m && !slices.Contains(m.live, number) {
		delete(m.segments, number)
	}
	return nil
}

func (m *machine) ReadAt(_ context.Context, number uint64, p []byte, offset int64) error {
	done, err := m.use()
	if err != nil {
		return err
	}
	defer done()
	data, ok := m.segments[number]
	if !ok {
		return fs.ErrNotExist
	}
	if copy(p, data.Bytes()[offset:]) != len(p) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (m *machine) Close() error { return nil }

func (d *database) open(t *testing.T, o segment.Options) *segment.Index {
	t.Helper()
	ix, err := segment.OpenStore(t.Context(), &machine{d}, o)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	return ix
}

func TestStore(t *testing.T) {
	indextest.Run(t, func(t *testing.T) index.Index { return newDatabase().open(t, segment.Options{}) })
}

func TestStore_SmallMemory(t *testing.T) {
	indextest.Run(t, func(t *testing.T) index.Index {
		return newDatabase().open(t, segment.Options{Buffer: 1, Memory: 1})
	})
}

func pathsOf(t *testing.T, ix index.Index) (paths []string) {
	t.Helper()
	for k, err := range ix.Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, k.Path)
	}
	return paths
}

// Commits of one machine are visible on another; one machine at a time can write.
func TestStore_TwoMachines(t *testing.T) {
	d := newDatabase()
	a, b := d.open(t, segment.Options{}), d.open(t, segment.Options{})
	w, err := a.Begin(t.Context(), index.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Begin(t.Context(), index.WriteOptions{}); !errors.Is(err, index.ErrWriting) {
		t.Errorf("a second machine writes as well: %v", err)
	}
	if err := w.Put(t.Context(), sample("a.go", "common")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	commit(t, b, index.WriteOptions{}, sample("b.go", "common"))
	if got := pathsOf(t, b); !slices.Equal(got, []string{"a.go", "b.go"}) {
		t.Errorf("who writes knows %q", got)
	}
	waittest.Until(t, "what the other has committed is found", func() bool { return len(pathsOf(t, a)) == 2 })
}

// While the database is unreachable, queries use earlier data, and writes fail.
func TestStore_Unreachable(t *testing.T) {
	d := newDatabase()
	a := d.open(t, segment.Options{})
	commit(t, a, index.WriteOptions{}, sample("a.go", "common"))
	w, err := a.Begin(t.Context(), index.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.setDown(true)
	if _, err := segment.OpenStore(t.Context(), &machine{d}, segment.Options{}); !errors.Is(err, errDown) {
		t.Errorf("an index is opened that cannot be read: %v", err)
	}
	if got := pathsOf(t, a); len(got) != 1 {
		t.Errorf("what was read is not known any more: %q", got)
	}
	err = w.Put(t.Context(), sample("b.go", "common"))
	if err == nil {
		err = w.Commit(t.Context())
	}
	if !errors.Is(err, errDown) {
		t.Errorf("the commit said %v", err)
	}
	d.setDown(false)
	commit(t, a, index.WriteOptions{}, sample("c.go", "common"))
	if got := pathsOf(t, a); !slices.Equal(got, []string{"a.go", "c.go"}) {
		t.Errorf("after it came back there are %q", got)
	}
}

func (d *database) setDown(down bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = down
}

// A writer that has lost the lock cannot commit.
func TestStore_LockLost(t *testing.T) {
	d := newDatabase()
	a, b := d.open(t, segment.Options{}), d.open(t, segment.Options{})
	w, err := a.Begin(t.Context(), index.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.owner = nil
	d.mu.Unlock()
	commit(t, b, index.WriteOptions{}, sample("b.go", "common"))
	if err := w.Put(t.Context(), sample("a.go", "common")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, errLost) {
		t.Errorf("a commit without the lock says %v", err)
	}
	waittest.Until(t, "what the other has committed is found", func() bool { return slices.Equal(pathsOf(t, a), []string{"b.go"}) })
}

// A damaged segment is dropped, and its files are indexed again.
func TestStore_Damage(t *testing.T) {
	d := newDatabase()
	commit(t, d.open(t, segment.Options{}), index.WriteOptions{}, sample("a.go", "common"))
	for _, s := range d.segments {
		s.Bytes()[3] ^= 0x55
	}
	ix := d.open(t, segment.Options{})
	if got := pathsOf(t, ix); len(got) != 0 {
		t.Errorf("of what is damaged it says %q", got)
	}
	commit(t, ix, index.WriteOptions{}, sample("a.go", "common"))
	if found, err := ix.Search(t.Context(), index.Query{Terms: []index.Term{{Words: []string{"common"}}}}); err != nil || len(found.Candidates) != 1 {
		t.Errorf("found %d (%v)", len(found.Candidates), err)
	}
}
