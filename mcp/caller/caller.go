// Package caller tells who calls a server: which requests belong to one session
// of a client, and which ones no client has sent.
package caller

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"strings"
	"weak"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// metaClient is the _meta key under which a request says who its client is
// (2026-07-28, basic, "_meta").
const metaClient = "io.modelcontextprotocol/clientInfo"

// Key stands for a session, for a principal or for a host. A session of an older revision
// is what it is; requests that stand alone belong together when they come from
// the same client, as the same principal, by the same transport and, where
// nobody was authenticated, from the same host. The zero key is the program's
// own.
type Key struct {
	older weak.Pointer[mcp.SessionMeta] // not to be kept alive: a client decides how large it is
	alone uint64
}

// Gone reports whether the session that the key stands for has ended. Of requests
// that stand alone nobody knows that.
func (k Key) Gone() bool {
	if k.older == (weak.Pointer[mcp.SessionMeta]{}) {
		return false
	}
	session := k.older.Value()
	return session == nil || session.Ended() // nil: all who served it have forgotten it
}

// Keys makes keys. Those of different Keys have nothing in common. NewKeys makes
// one that is good to use.
type Keys struct{ seed maphash.Seed }

// NewKeys returns Keys whose keys nobody can foresee.
func NewKeys() Keys { return Keys{maphash.MakeSeed()} }

// Of is the key of the session that a request belongs to; req may be nil. It
// allocates nothing.
func (k Keys) Of(req *mcp.Request) Key {
	if req == nil {
		return Key{}
	}
	if older := req.Meta.Session(); older != nil {
		return Key{older: weak.Make(older)}
	}
	host := ""
	if req.Peer.Principal == "" {
		host = Host(req.Peer.Address)
	}
	return k.hash('s', req.Peer.Principal, req.Peer.Transport, host, clientInfo(req.Meta.Raw))
}

// Principal is the key of a principal, whatever sessions it has.
func (k Keys) Principal(name string) Key { return k.hash('p', name, "", "", nil) }

// Host is the key of a host, whoever comes from there.
func (k Keys) Host(name string) Key { return k.hash('h', "", "", name, nil) }

// hash is a key of a kind. The lengths of the parts are hashed too, so that no bytes in one of them can stand for another part.
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
	return Key{alone: h.Sum64() | 1} // never that of the program
}

// Spread is a number that follows from a key, for what shares keys out.
func (k Keys) Spread(key Key) uint64 { return maphash.Comparable(k.seed, key) }

// clientInfo finds who a request says its client is, without decoding it.
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

// Host is the address of a peer without its port: each connection has another.
// What is no address of that form is returned as it is.
func Host(address string) string {
	i := strings.LastIndexByte(address, ':')
	if i < 0 || strings.IndexByte(address[:i], ':') >= 0 && address[i-1] != ']' {
		return address
	}
	return strings.TrimSuffix(strings.TrimPrefix(address[:i], "["), "]")
}

type ownKey struct{}

// Own returns the context of a request that what serves a client makes itself, to
// find out what it must know: what counts requests or turns clients away lets it
// pass. No client can send one.
func Own(ctx context.Context) context.Context { return context.WithValue(ctx, ownKey{}, true) }

// IsOwn reports whether a request was made so.
func IsOwn(ctx context.Context) bool { return ctx.Value(ownKey{}) != nil }

// PrincipalOf returns the principal that a call of a tool comes from. It is empty for a client that was not authenticated,
// and for the program itself.
func PrincipalOf(ctx context.Context) string {
	if call := mcp.CallFrom(ctx); call != nil && call.Request != nil {
		return call.Request.Peer.Principal
	}
	return mcp.PrincipalFrom(ctx)
}
