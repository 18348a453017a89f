// Package ledger remembers what each peer has last seen, so that a change over
// something that is not what the peer believes can be refused.
package ledger

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/mcp"
)

const (
	maxPeers     = 256  // whose reading is remembered
	maxPeerFiles = 4096 // of each peer
)

// Ledger remembers which content of a file, or of a part of one, each peer has last seen. Its zero value is empty. Who and what was not heard of
// for the longest time is forgotten first.
type Ledger struct {
	mu    sync.Mutex
	peers lru.Cache[peer, *lru.Cache[nameKey, string]]
}

// peer is who calls: as far as the protocol tells, calls of one peer are those of one conversation.
type peer struct {
	name      string // of WithPeer
	principal string
	transport string
	session   *mcp.SessionMeta // nil where requests stand alone; then one principal on one transport is one peer
}

// nameKey stands for a name, at a length that does not depend on it.
type nameKey [16]byte

func keyOf(name string) nameKey {
	sum := sha256.Sum256([]byte(name))
	return nameKey(sum[:16])
}

type peerKey struct{}

// WithPeer makes the calls of a Go program those of a peer of this name. Without it, calls that come from no client are nobody's,
// of whom nothing is remembered.
func WithPeer(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, peerKey{}, name)
}

// peerOf finds out who calls; false for nobody.
func peerOf(ctx context.Context) (peer, bool) {
	if name, ok := ctx.Value(peerKey{}).(string); ok {
		return peer{name: name}, true
	}
	call := mcp.CallFrom(ctx)
	if call == nil || call.Request == nil {
		return peer{}, false
	}
	from := &call.Request.Peer
	return peer{principal: from.Principal, transport: from.Transport, session: call.Request.Meta.Session()}, true
}

// Saw notes that the caller knows all of the content that has the digest. For files the name is the final path, as results have it.
func (l *Ledger) Saw(ctx context.Context, name, sha256 string) {
	who, ok := peerOf(ctx)
	if !ok || sha256 == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	files, ok := l.peers.Get(who)
	if !ok {
		files = &lru.Cache[nameKey, string]{MaxEntries: maxPeerFiles, MaxSize: maxPeerFiles}
		l.peers.MaxEntries, l.peers.MaxSize = maxPeers, maxPeers
		l.peers.Put(who, files, 1)
	}
	files.Put(keyOf(name), sha256, 1)
}

// Seen is the digest of what the caller last saw of a file, or "". known is false when nothing is remembered of this caller because it
// is nobody.
func (l *Ledger) Seen(ctx context.Context, name string) (sha256 string, known bool) {
	who, ok := peerOf(ctx)
	if !ok {
		return "", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if files, ok := l.peers.Get(who); ok {
		sha256, _ = files.Get(keyOf(name))
	}
	return sha256, true
}

// Forget takes back what the caller saw of a file, which is not there any more.
func (l *Ledger) Forget(ctx context.Context, name string) {
	who, ok := peerOf(ctx)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if files, ok := l.peers.Get(who); ok {
		files.Delete(keyOf(name))
	}
}

// Moved notes that the caller gave a file another path.
func (l *Ledger) Moved(ctx context.Context, from, to string) {
	sha256, _ := l.Seen(ctx, from)
	l.Forget(ctx, from)
	l.Forget(ctx, to)
	l.Saw(ctx, to, sha256)
}
