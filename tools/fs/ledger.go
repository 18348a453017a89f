package fs

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

// ledger remembers which content of a file each peer has last seen as a whole. Its zero value is empty. Who and what was not heard of
// for the longest time is forgotten first.
type ledger struct {
	mu    sync.Mutex
	peers recent[peer, *recent[pathKey, string]]
}

// peer is who calls: as far as the protocol tells, calls of one peer are those of one conversation.
type peer struct {
	name      string // of WithPeer
	principal string
	transport string
	session   *mcp.SessionMeta // nil where requests stand alone; then one principal on one transport is one peer
}

// pathKey stands for a path, at a length that does not depend on it.
type pathKey [16]byte

func keyOf(path string) pathKey {
	sum := sha256.Sum256([]byte(path))
	return pathKey(sum[:16])
}

type peerKey struct{}

// WithPeer makes the calls of a Go program those of a peer of this name, whose reading is remembered: a write over a file that has
// changed since the peer has read it is refused, as it is for clients. Without it, calls that come from no client are nobody's, and
// every write of theirs that names no expected sha256 overwrites what is there.
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

// saw notes that the caller knows all of a file's content, which has the digest. The path is the final one, as results have it.
func (l *ledger) saw(ctx context.Context, path, sha256 string) {
	who, ok := peerOf(ctx)
	if !ok || sha256 == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	files, ok := l.peers.get(who)
	if !ok {
		files = new(recent[pathKey, string])
		l.peers.put(who, files, maxPeers)
	}
	files.put(keyOf(path), sha256, maxPeerFiles)
}

// seen is the digest of what the caller last saw of a file, or "". known is false when nothing is remembered of this caller because it
// is nobody.
func (l *ledger) seen(ctx context.Context, path string) (sha256 string, known bool) {
	who, ok := peerOf(ctx)
	if !ok {
		return "", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if files, ok := l.peers.get(who); ok {
		sha256, _ = files.get(keyOf(path))
	}
	return sha256, true
}

// forget takes back what the caller saw of a file, which is not there any more.
func (l *ledger) forget(ctx context.Context, path string) {
	who, ok := peerOf(ctx)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if files, ok := l.peers.get(who); ok {
		files.drop(keyOf(path))
	}
}

// moved notes that the caller gave a file another path.
func (l *ledger) moved(ctx context.Context, from, to string) {
	sha256, _ := l.seen(ctx, from)
	l.forget(ctx, from)
	l.forget(ctx, to)
	l.saw(ctx, to, sha256)
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
