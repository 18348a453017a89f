package neovim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

// maxEndpoints is the number of sockets that are examined.
const maxEndpoints = 256

// endpoint is an address on which a Neovim listens.
type endpoint struct {
	address string
	given   bool      // configured by the user, and valid for all files
	since   time.Time // start of listening, zero if unknown
}

// configuredAddress returns the configured address: the argument, $NVIM or $NVIM_LISTEN_ADDRESS.
func configuredAddress(address string) string {
	for _, known := range []string{address, os.Getenv("NVIM"), os.Getenv("NVIM_LISTEN_ADDRESS")} {
		if known != "" {
			return known
		}
	}
	return ""
}

// endpoints returns the addresses on which Neovim may listen.
func (n *Neovim) endpoints() []endpoint {
	if n.address != "" {
		p := endpoint{address: n.address, given: true}
		if info, err := os.Stat(n.address); err == nil {
			p.since = info.ModTime()
		}
		return []endpoint{p}
	}
	all := n.announced()
	seen, tooMany := map[string]bool{}, false
	for _, p := range all {
		seen[p.address] = true
	}
	for _, pattern := range patterns() {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			since, ok := isOwnSocket(path)
			switch {
			case !ok || seen[path]:
			case len(all) >= maxEndpoints:
				tooMany = true
			default:
				seen[path] = true
				all = append(all, endpoint{address: path, since: since})
			}
		}
	}
	for _, path := range n.listeners.Paths() {
		socket, err := os.Stat(path)
		isKnown := func(p endpoint) bool { // its path can have another spelling
			other, err := os.Stat(p.address)
			return err == nil && os.SameFile(socket, other)
		}
		switch {
		case err != nil || checkAddress(path) != nil || slices.ContainsFunc(all, isKnown):
		case len(all) >= maxEndpoints:
			tooMany = true
		default:
			all = append(all, endpoint{address: path, since: socket.ModTime()})
		}
	}
	n.tooMany.Store(tooMany)
	return all
}

// errNotLocal is returned for a TCP address that is not a loopback address.
var errNotLocal = errors.New("not an address of this machine")

// dial opens a connection to an address: a socket, a named pipe or host:port of this machine.
func dial(ctx context.Context, address string) (msgrpc.Pipe, error) {
	if !isTCP(address) {
		return local.Dial(ctx, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		// Neovim accepts IPv6 addresses without brackets, too.
		at := strings.LastIndexByte(address, ':')
		host, port = address[:at], address[at+1:]
	}
	ip, err := netip.ParseAddr(host)
	if host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%.100q: %w", address, errNotLocal)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// isTCP reports whether an address is host:port. Other addresses are sockets and named pipes.
func isTCP(address string) bool {
	return !strings.ContainsAny(address, `/\`) && strings.Contains(address, ":")
}
