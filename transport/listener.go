package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// ServeListener serves d to every peer that connects to l, TCP or Unix socket,
// in the framing of stdio, until ctx is done or accepting fails; then it closes
// l and waits for the connections to end. At most 16384 are open at once; more
// wait to be accepted. It does not encrypt, and authenticates only with
// Options.Verify: give it a loopback address, a socket that others cannot open,
// or a TLS listener.
func ServeListener(ctx context.Context, d mcp.Dispatcher, l net.Listener, opts *Options) error {
	return serveListener(ctx, d, limitConns(l, 0), opts.orDefault())
}

func serveListener(ctx context.Context, d mcp.Dispatcher, l net.Listener, o *Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	unhook := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer unhook()
	var peers group.Group
	peers.OnPanic = func(v any, stack []byte) { o.Log.Error("panic in a connection", "panic", v, "stack", string(stack)) }
	defer peers.Wait()
	for {
		conn, err := accept(ctx, l)
		if err != nil {
			cancel()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return errors.Join(fmt.Errorf("accepting connections: %w", err), l.Close())
		}
		peers.Go(func() { serveConn(ctx, d, conn, o) })
	}
}

// accept waits for a connection. What passes, such as too many open files or a
// peer that has gone already, does not end the listener.
func accept(ctx context.Context, l net.Listener) (net.Conn, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		conn, err := l.Accept()
		var passing interface{ Temporary() bool }
		if err == nil || !errors.As(err, &passing) || !passing.Temporary() {
			return conn, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, net.ErrClosed
		}
	}
}

// serveConn serves one connection and closes it.
func serveConn(ctx context.Context, d mcp.Dispatcher, conn net.Conn, o *Options) {
	peer := mcp.Peer{Transport: conn.LocalAddr().Network(), Address: conn.RemoteAddr().String()}
	if o.Verify != nil {
		principal, rest, err := authenticate(ctx, conn, o.Verify)
		if err != nil {
			o.Log.Warn("a connection was refused", "peer", peer.Address, "error", err)
			return
		}
		peer.Principal, conn = principal, rest
	}
	if err := serve(ctx, d, lines(conn, o), &peer, o); err != nil {
		o.Log.Warn("a connection failed", "peer", peer.Address, "error", err)
	}
}

// Listen is the Endpoint of ServeListener.
type Listen struct {
	// Network and Address are what to listen on, as for net.Listen. Network
	// defaults to "tcp". A Unix socket is made for its owner alone, and takes
	// the place of one that nobody listens on any more.
	Network, Address string
	// Listener, if set, is listened on instead; Serve closes it.
	Listener net.Listener
	// MaxConns is how many connections are open at once; more wait to be
	// accepted. Default 16384.
	MaxConns int
	Options  *Options // nil has the defaults
}

// Serve implements Endpoint.
func (e Listen) Serve(ctx context.Context, d mcp.Dispatcher) error {
	l := e.Listener
	if l == nil && e.Address == "" {
		return errors.New("an endpoint that listens needs an Address or a Listener")
	}
	if l == nil {
		var err error
		if l, err = e.listen(ctx); err != nil {
			return fmt.Errorf("listening: %w", err)
		}
	}
	return serveListener(ctx, d, limitConns(l, e.MaxConns), e.Options.orDefault())
}

func (e Listen) listen(ctx context.Context) (net.Listener, error) {
	switch e.Network {
	case "":
		return new(net.ListenConfig).Listen(ctx, "tcp", e.Address)
	case "unix":
		return listenUnix(ctx, e.Address)
	}
	return new(net.ListenConfig).Listen(ctx, e.Network, e.Address)
}
