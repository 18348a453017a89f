package transport

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// ServeListener serves d to every peer that connects to l, TCP or Unix socket,
// in the framing of stdio, until ctx is done or accepting fails; then it closes
// l and waits for the connections to end. It neither authenticates nor encrypts:
// give it a loopback address, a socket that others cannot open, or a TLS
// listener that verifies its clients.
func ServeListener(ctx context.Context, d mcp.Dispatcher, l net.Listener, opts *Options) error {
	o := opts.orDefault()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	unhook := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer unhook()
	var peers group.Group
	defer peers.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			cancel()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("accepting connections: %w", err)
		}
		peers.Go(func() {
			peer := mcp.Peer{Transport: conn.LocalAddr().Network(), Address: conn.RemoteAddr().String()}
			if err := serve(ctx, d, lines(conn, o), peer, o); err != nil {
				o.Log.Warn("a connection failed", "peer", peer.Address, "error", err)
			}
		})
	}
}

// Dial connects clients to a server that listens on a TCP or Unix socket.
type Dial struct {
	Network, Address string // as for net.Dial
	Options          *Options
}

// Connect implements mcp.Transport.
func (t Dial) Connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, t.Network, t.Address)
	if err != nil {
		return nil, err
	}
	o := t.Options.orDefault()
	client, err := connect(ctx, lines(conn, o), host, o)
	if err != nil {
		return nil, err
	}
	return client, nil
}
