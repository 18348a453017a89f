// Package ledger remembers what each peer has last seen, so that a change over
// something that is not what the peer believes can be refused.
package ledger

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"

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
	peers recent[peer, *recent[nameKey, string]]
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
	files, ok := l.peers.get(who)
	if !ok {
		files = new(recent[nameKey, string])
		l.peers.put(who, files, maxPeers)
	}
	files.put(keyOf(name), sha256, maxPeerFiles)
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
	if files, ok := l.peers.get(who); ok {
		sha256, _ = files.get(keyOf(name))
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
	if files, ok := l.peers.get(who); ok {
		files.drop(keyOf(name))
	}
}

// Moved notes that the caller gave a file another path.
func (l *Ledger) Moved(ctx context.Context, from, to string) {
	sha256, _ := l.Seen(ctx, from)
	l.Forget(ctx, from)
	l.Forget(ctx, to)
	l.Saw(ctx, to, sha256)
}

// recent is a map that keeps what was used last. Its zero value is empty.
type recent[K comparable, V any] struct {
	entries map[K]*list.Element
	order   list.List // of *use[K, V], the latest first
}

type use[K comparable, V any] struct {
	key   K
	value V
}

func (r *recent[K, V]) get(key K) (value V, ok bool) {
	e, ok := r.entries[key]
	if !ok {
		return value, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*use[K, V]).value, true
}

// put sets a value, and drops the one that was used least recently if there are more than most.
func (r *recent[K, V]) put(key K, value V, most int) {
	if e, ok := r.entries[key]; ok {
		e.Value.(*use[K, V]).value = value
		r.order.MoveToFront(e)
		return
	}
	if r.entries == nil {
		r.entries = make(map[K]*list.Element)
	}
	r.entries[key] = r.order.PushFront(&use[K, V]{key, value})
	if r.order.Len() > most {
		r.drop(r.order.Back().Value.(*use[K, V]).key)
	}
}

func (r *recent[K, V]) drop(key K) {
	if e, ok := r.entries[key]; ok {
		r.order.Remove(e)
		delete(r.entries, key)
	}
}
