package repomap

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"

	"golang.org/x/sync/semaphore"
)

// Maps draws maps. It remembers which names each content uses, so that only what
// has changed is read again, and for some minutes all that a map of the same files
// needs but its focus. The zero value is ready for use, by any number of
// goroutines.
type Maps struct {
	mu     sync.Mutex
	turn   *semaphore.Weighted // of 1, for making a graph; nil before the first
	kept   *graph
	expiry *time.Timer // then kept is dropped

	names    map[string]int32 // changed only by who has the turn
	contents map[[32]byte]content
}

const (
	// keepFor is how long after its last use a graph is kept.
	keepFor = 5 * time.Minute
	// maxKept bounds the bytes of a graph that is kept. That of a million
	// declarations is as large.
	maxKept = 128 << 20
)

// Rank puts the declarations of files, which are in order of their paths, into the
// order of their importance. The slice must not be changed afterwards: a map of the
// same one again takes less time. The error is that of ctx.
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

// Forget drops the data that is cached for some minutes.
func (m *Maps) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = nil
	if m.expiry != nil {
		m.expiry.Stop()
	}
}

// graph is that of files. Only one is made at a time.
func (m *Maps) graph(ctx context.Context, files []*index.File, read Read) (*graph, error) {
	if g := m.known(files); g != nil && g.unread == 0 {
		return g, nil
	}
	turn := m.turns()
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
		g = newGraph(files, contents, m.names)
		g.unread = unread
		m.keep(g)
	}
	return g, nil
}

func (m *Maps) turns() *semaphore.Weighted {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == nil {
		m.turn = semaphore.NewWeighted(1)
	}
	return m.turn
}

// known is the graph that is kept, if it is that of files.
func (m *Maps) known(files []*index.File) *graph {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.kept; g != nil && len(g.files) == len(files) && &g.files[0] == &files[0] {
		m.expiry.Reset(keepFor)
		return g
	}
	return nil
}

// keep keeps a graph instead of the one before.
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
