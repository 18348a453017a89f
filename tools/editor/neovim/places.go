package neovim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

// maxPlaces is how many sockets are looked at.
const maxPlaces = 64

// place is where a Neovim listens.
type place struct {
	address string
	given   bool      // it was named, and is for all files
	since   time.Time // when it began to listen, as far as that is known
}

// given is the address that somebody has named, or "".
func given(address string) string {
	for _, known := range []string{address, os.Getenv("NVIM"), os.Getenv("NVIM_LISTEN_ADDRESS")} {
		if known != "" {
			return known
		}
	}
	return ""
}

// places are where Neovim may listen.
func (n *Neovim) places() []place {
	if n.address != "" {
		p := place{address: n.address, given: true}
		if info, err := os.Stat(n.address); err == nil {
			p.since = info.ModTime()
		}
		return []place{p}
	}
	var all []place
	seen := map[string]bool{}
	for _, pattern := range patterns() {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			if since, ok := ours(path); ok && !seen[path] && len(all) < maxPlaces {
				seen[path] = true
				all = append(all, place{address: path, since: since})
			}
		}
	}
	return all
}

var errNotLocal = errors.New("it is not an address of this machine")

// dial opens a connection to where Neovim listens: a socket, a named pipe or host:port of this machine.
func dial(ctx context.Context, address string) (msgrpc.Pipe, error) {
	if strings.ContainsAny(address, `/\`) || !strings.Contains(address, ":") {
		return local.Dial(ctx, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		// Neovim takes an address of IPv6 without brackets, too.
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
