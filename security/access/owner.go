package access

import (
	"net/netip"

	"github.com/dougu-go/dougu/internal/quota"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
)

// owner is a principal, or the host of a client that was not authenticated. Names of clients and the number of their
// sessions change nothing about it.
type owner struct {
	key     caller.Key
	bounded bool // it may not have all places
}

// ownerOf returns the owner of a request. Clients of this machine that were not authenticated are the user's own, and may have all
// places.
func (c *Control) ownerOf(req *mcp.Request) owner {
	if req.Peer.Principal != "" {
		return owner{c.keys.Principal(req.Peer.Principal), true}
	}
	host, local := network(caller.Host(req.Peer.Address))
	return owner{c.keys.Host(host), !local}
}

// network returns the part of a host's address that its owner cannot choose freely: the whole of an IPv4 address, and the first 64
// bits of an IPv6 address. local reports a loopback address, or none of these.
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

// hasRoom reports whether there is a place for another session of an owner; see quota.MayTake. The lock is held.
func (c *Control) hasRoom(st *settings, by owner) bool {
	principal := ""
	if by.bounded {
		principal = "bounded"
	}
	return quota.MayTake(principal, c.places[by.key], len(c.sessions), st.MaxConnections)
}
