// Package ledger records the version of each file that a peer has last seen. A tool can then refuse to overwrite a file that has
// changed since.
package ledger

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	maxPeers     = 256  // peers that are recorded
	maxPeerFiles = 4096 // files of each peer
)

// Ledger records digests by peer and file, in memory. The zero value is empty. The least recently used peers and files are dropped
// at the limits. Its methods may be called concurrently.
type Ledger struct {
	mu    sync.Mutex
	peers lru.Cache[peer, *lru.Cache[nameKey, string]]
}

// peer identifies the caller of a tool. Calls of one peer belong to one conversation, as far as the protocol shows.
type peer struct {
	name      string // set by WithPeer
	principal string
	transport string
	session   *protocol.SessionMeta // nil in the modern revision; then a principal on a transport is one peer
}

// nameKey is a digest of a file name.
type nameKey [16]byte

func keyOf(name string) nameKey {
	sum := sha256.Sum256([]byte(name))
	return nameKey(sum[:16])
}

type peerKey struct{}

// WithPeer returns a context whose calls belong to the peer of this name, for Go programs without a client. Without it and without
// a client nothing is recorded.
func WithPeer(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, peerKey{}, name)
}

// peerOf returns the peer of a call. It is false without a peer.
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

// Record records that the caller has seen the content with a digest. name is the final path of a file. An empty digest records
// nothing.
func (l *Ledger) Record(ctx context.Context, name, sha256 string) {
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

// Seen returns the digest that the caller last saw of a file, or "". known is false if the call has no peer.
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

// Forget deletes the record of a file that the caller has deleted.
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

// Moved transfers the record of a file to its new path.
func (l *Ledger) Moved(ctx context.Context, from, to string) {
	sha256, _ := l.Seen(ctx, from)
	l.Forget(ctx, from)
	l.Forget(ctx, to)
	l.Record(ctx, to, sha256)
}
