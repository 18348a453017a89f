// Package caller identifies the callers of a server. Keys maps each request to a Key: requests of
// one session, or of one client without a session, have the same Key. Limits and counters use the
// keys, for example package security/ratelimit. The package also marks requests that the program
// sends to itself (Own, IsOwn), which no client can send.
package caller

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"strings"
	"weak"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// metaClient is the _meta key with the description of the client (2026-07-28, basic, "_meta").
const metaClient = "io.modelcontextprotocol/clientInfo"

// Key identifies a session, a principal or a host. A session, which only legacy revisions (up to
// 2025-11-25) have, has a key of its own. Requests without a session share a key if they have the
// same client, principal and transport. Without an authenticated principal, they must also come
// from the same host. The zero Key identifies the program itself.
type Key struct {
	// session is set for a session. It is a weak pointer, so that a stored key does not keep the
	// session's data in memory, whose size the client chooses.
	session weak.Pointer[protocol.SessionMeta]
	// hash is set for a client without a session, a principal or a host; 0 for a session.
	hash uint64
}

// Gone reports whether the session of the key has ended. It returns false for a key that is not of
// a session, because the end of a client without a session is unknown.
func (k Key) Gone() bool {
	if k.session == (weak.Pointer[protocol.SessionMeta]{}) {
		return false
	}
	session := k.session.Value()
	return session == nil || session.Ended() // nil: garbage collected, so no request uses it
}

// Keys creates keys. Keys of different values of Keys are unrelated. Use NewKeys: the zero value
// panics.
type Keys struct{ seed maphash.Seed }

// NewKeys returns Keys with a random seed, so that clients cannot choose colliding keys.
func NewKeys() Keys { return Keys{maphash.MakeSeed()} }

// Of returns the key of the session or client that sent req. A nil req is the program itself. Of
// does not allocate.
func (k Keys) Of(req *protocol.Request) Key {
	if req == nil {
		return Key{}
	}
	if session := req.Meta.Session(); session != nil {
		return Key{session: weak.Make(session)}
	}
	host := ""
	if req.Peer.Principal == "" {
		host = Host(req.Peer.Address)
	}
	return k.hash('s', req.Peer.Principal, req.Peer.Transport, host, clientInfo(req.Meta.Raw))
}

// Principal returns the key of a principal, independent of its sessions.
func (k Keys) Principal(name string) Key { return k.hash('p', name, "", "", nil) }

// Host returns the key of a host, independent of its clients.
func (k Keys) Host(name string) Key { return k.hash('h', "", "", name, nil) }

// hash returns a key of a kind: 's' for requests, 'p' for principals, 'h' for hosts. It includes
// the lengths of the parts, so that bytes cannot move from one part to another.
func (k Keys) hash(kind byte, principal, transport, host string, client []byte) Key {
	var h maphash.Hash
	h.SetSeed(k.seed)
	h.WriteByte(kind)
	for _, part := range [...]string{principal, transport, host} {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.WriteString(part)
	}
	h.Write(client)
	return Key{hash: h.Sum64() | 1} // never the zero Key
}

// Spread returns a hash of key, to distribute keys among shards.
func (k Keys) Spread(key Key) uint64 { return maphash.Comparable(k.seed, key) }

// clientInfo returns the raw description of the client in the _meta of a request, or nil.
func clientInfo(meta []byte) []byte {
	if meta == nil {
		return nil
	}
	for m := jsonx.Object(meta); m.Next(); {
		if string(m.Key()) == metaClient {
			return m.Value()
		}
	}
	return nil
}

// Host returns the address of a peer without its port, because each connection has another port. An
// address of another form is returned unchanged.
func Host(address string) string {
	i := strings.LastIndexByte(address, ':')
	if i < 0 || strings.IndexByte(address[:i], ':') >= 0 && address[i-1] != ']' {
		return address
	}
	return strings.TrimSuffix(strings.TrimPrefix(address[:i], "["), "]")
}

// ownKey is the context key of Own.
type ownKey struct{}

// Own returns a copy of ctx that marks a request as sent by the program itself, for example to
// inspect a server. Limits and counters ignore these requests.
func Own(ctx context.Context) context.Context { return context.WithValue(ctx, ownKey{}, true) }

// IsOwn reports whether Own has marked ctx.
func IsOwn(ctx context.Context) bool { return ctx.Value(ownKey{}) != nil }

// PrincipalOf returns the principal of the tool call of ctx (mcp.CallFrom). Outside of a tool call
// it returns the principal that protocol.WithPrincipal has put into ctx. It is empty for an
// unauthenticated client and for the program itself.
func PrincipalOf(ctx context.Context) string {
	if call := mcp.CallFrom(ctx); call != nil && call.Request != nil {
		return call.Request.Peer.Principal
	}
	return protocol.PrincipalFrom(ctx)
}
