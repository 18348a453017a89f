package safehttp

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/internal/origin"
)

// Reach is the set of networks whose servers a document may point to. The zero value allows the least. Code on this
// machine is trusted with every address that a local user can reach; a document from the Internet is trusted with
// public addresses only.
type Reach uint8

// The reaches. Each has the public addresses.
const (
	Public  Reach = iota // public addresses
	Link                 // and addresses of the local link
	Private              // and addresses of private networks, without the link
	Local                // and the link, private networks and this machine
	Any                  // every address: for addresses from the program's own configuration
)

// places are the ranges whose meaning netip does not know.
var (
	shared    = netip.MustParsePrefix("100.64.0.0/10") // carriers' networks, RFC 6598
	siteLocal = netip.MustParsePrefix("fec0::/10")
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	embedded  = netip.MustParsePrefix("::/96")
)

// nowhere are ranges where no server is that others should point to (RFC 6890), and the addresses at which clouds tell their
// machines secrets.
var nowhere = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("224.0.0.0/3"), netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("ff00::/8"),
	netip.MustParsePrefix("169.254.169.254/32"), netip.MustParsePrefix("169.254.170.2/32"), netip.MustParsePrefix("169.254.170.23/32"),
	netip.MustParsePrefix("100.100.100.200/32"), netip.MustParsePrefix("168.63.129.16/32"), netip.MustParsePrefix("192.0.0.192/32"),
	netip.MustParsePrefix("fd00:ec2::254/128"), netip.MustParsePrefix("fd00:ec2::23/128"), netip.MustParsePrefix("fd20:ce::254/128"),
	netip.MustParsePrefix("::/128"),
}

// needed is the reach that an address needs; false if none but Any is enough.
func needed(addr netip.Addr) (Reach, bool) {
	addr = plain(addr)
	if slices.ContainsFunc(nowhere, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return Public, false
	}
	switch {
	case addr.IsLoopback():
		return Local, true
	case addr.IsPrivate(), shared.Contains(addr), siteLocal.Contains(addr):
		return Private, true
	case addr.IsLinkLocalUnicast():
		return Link, true
	}
	return Public, addr.IsGlobalUnicast()
}

// plain is the address that one in another notation leads to.
func plain(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if !addr.Is6() {
		return addr
	}
	b := addr.As16()
	switch {
	case nat64.Contains(addr), embedded.Contains(addr) && !addr.IsLoopback() && !addr.IsUnspecified():
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return addr
}

// IsPublic reports whether an address is globally reachable (RFC 6890). Unlike Public.Covers, it excludes addresses
// that contain another address, as in NAT64 and 6to4.
func IsPublic(addr netip.Addr) bool {
	return Public.Covers(addr) && plain(addr) == addr.Unmap().WithZone("")
}

// Covers reports whether an address is within reach. Of one that has an IPv4 address inside (NAT64, 6to4) that one is judged.
func (r Reach) Covers(addr netip.Addr) bool {
	if r == Any {
		return true
	}
	need, ok := needed(addr)
	switch need {
	case Public:
		return ok
	case Link: // no wider network has it
		return ok && (r == Link || r == Local)
	}
	return ok && r >= need
}

// CoversHost is Covers for a host that another program resolves. Only the name is checked.
func (r Reach) CoversHost(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return r.Covers(addr)
	}
	return !IsLocalName(host) || r >= Local
}

// Control is for net.Dialer.Control: it sees the address that a name has led to, so that no name and no redirect leads past it.
// Its errors wrap ErrPrivate.
func (r Reach) Control(_, address string, _ syscall.RawConn) error {
	return checkAddress(address, r.Covers)
}

func checkAddress(address string, covers func(netip.Addr) bool) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrPrivate, address)
	}
	if !covers(at.Addr()) {
		return fmt.Errorf("%w: %s", ErrPrivate, at.Addr())
	}
	return nil
}

// ReachOf is the reach of a server at an address; false if that is not one of the Internet protocol, or one where no server
// should be.
func ReachOf(addr net.Addr) (Reach, bool) {
	if addr == nil {
		return Public, false
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return Public, false
	}
	return needed(at.Addr())
}

// ReachOfHost is the reach of a server as far as its name tells.
func ReachOfHost(host string) Reach {
	if IsLocalName(host) {
		return Local
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if need, ok := needed(addr); ok {
			return need
		}
	}
	return Public
}

// IsLocalName reports whether a host is this machine by its name alone (RFC 6761 §6.3).
func IsLocalName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return strings.HasSuffix(host, ".localhost") || origin.IsLoopback(host)
}
