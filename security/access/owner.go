package access

import (
	"net/netip"

	"github.com/dougu-go/dougu/internal/quota"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// owner is a principal, or the host of a client without authentication. It does not depend on
// client names or sessions.
type owner struct {
	key     caller.Key
	limited bool // may not use all sessions
}

// ownerOf returns the owner of a request. Unauthenticated clients on this machine belong to the
// user and may use all sessions.
func (c *Control) ownerOf(req *protocol.Request) owner {
	if req.Peer.Principal != "" {
		return owner{c.keys.Principal(req.Peer.Principal), true}
	}
	host, local := network(caller.Host(req.Peer.Address))
	return owner{c.keys.Host(host), !local}
}

// network returns the part of an address that a client cannot choose freely: an IPv4 address, or
// the first 64 bits of an IPv6 address. local reports a loopback address or a host that is not an
// IP address.
func network(host string) (name string, local bool) {
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host, true
	}
	address = address.Unmap().WithZone("")
	if address.IsLoopback() || address.Is4() {
		return address.String(), address.IsLoopback()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return host, false
	}
	return prefix.String(), false
}

// hasRoom reports whether the owner may open another session; see quota.MayTake. The caller holds
// the lock.
func (c *Control) hasRoom(st *settings, by owner) bool {
	principal := ""
	if by.limited {
		principal = "bounded"
	}
	return quota.MayTake(principal, c.sessionCounts[by.key], len(c.sessions), st.MaxConnections)
}
