package repomap

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"

	"golang.org/x/sync/semaphore"
)

// Maps computes rankings. It caches the names used in each content, so that later calls
// read only changed files. It also keeps the graph of the last files for five minutes, so
// that a ranking of the same slice with another focus needs no new graph. The zero value is
// ready for use. Methods may be called concurrently.
type Maps struct {
	// Parsers define the comments and strings of the languages that they add. Default: nil,
	// the languages of package source alone. Set it before the first call.
	Parsers *source.Parsers

	mu     sync.Mutex          // guards turn, kept and expiry
	turn   *semaphore.Weighted // one permit, for creating a graph; nil before the first call
	kept   *graph              // the last graph
	expiry *time.Timer         // drops kept

	// The holder of the permit of turn uses the fields below.

	words    vocabulary             // numbers by which contents refers to names
	contents map[contentKey]content // used names of a file
}

const (
	// keepFor is the time after its last use at which a graph is dropped.
	keepFor = 5 * time.Minute
	// maxKept limits the size of a kept graph, in bytes. It allows about a million
	// declarations.
	maxKept = 128 << 20
)

// Rank ranks the declarations of files, which must be sorted by path. The caller must not
// change the slice afterwards: another call with the same slice is faster. An unreadable
// file is no error: its declarations are ranked, the names that it uses do not count, and
// the next call reads it again. The error is that of ctx.
func (m *Maps) Rank(ctx context.Context, files []*index.File, read Read, focus Focus) (*Ranking, error) {
	g, err := m.graph(ctx, files, read)
	if err != nil {
		return nil, err
	}
	s, err := g.spread(ctx, focus)
	if err != nil {
		return nil, err
	}
	return s.ranking(), nil
}

// Forget drops the kept graph.
func (m *Maps) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = nil
	if m.expiry != nil {
		m.expiry.Stop()
	}
}

// graph returns the graph of files. Concurrent calls create only one at a time.
func (m *Maps) graph(ctx context.Context, files []*index.File, read Read) (*graph, error) {
	if g := m.known(files); g != nil && g.unread == 0 {
		return g, nil
	}
	turn := m.semaphore()
	if turn.Acquire(ctx, 1) != nil {
		return nil, ctx.Err()
	}
	defer turn.Release(1)
	g := m.known(files)
	if g != nil && g.unread == 0 {
		return g, nil
	}
	contents, unread, err := m.references(ctx, files, read)
	if err != nil {
		return nil, err
	}
	if g == nil || g.unread != unread {
		g = newGraph(files, contents, &m.words)
		g.unread = unread
		m.keep(g)
	}
	return g, nil
}

// semaphore returns the semaphore, and creates it at the first call.
func (m *Maps) semaphore() *semaphore.Weighted {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == nil {
		m.turn = semaphore.NewWeighted(1)
	}
	return m.turn
}

// known returns the kept graph if it belongs to the same slice; otherwise nil.
func (m *Maps) known(files []*index.File) *graph {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.kept; g != nil && len(g.files) == len(files) && &g.files[0] == &files[0] {
		m.expiry.Reset(keepFor)
		return g
	}
	return nil
}

// keep replaces the kept graph, and restarts its expiry. A graph above maxKept is not kept.
func (m *Maps) keep(g *graph) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = nil
	if len(g.files) == 0 || g.size() > maxKept {
		return
	}
	m.kept = g
	if m.expiry == nil {
		m.expiry = group.AfterFunc(keepFor, m.Forget)
	}
	m.expiry.Reset(keepFor)
}
