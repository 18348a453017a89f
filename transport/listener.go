package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// ServeListener serves d to each peer that connects to l, a TCP or Unix socket,
// one message a line as on stdio. It returns nil when ctx is done or l was
// closed, and an error when accepting fails. Before that it closes l and waits
// until all connections have ended. At most 16384 connections are open; further
// ones wait to be accepted. opts may be nil.
//
// ServeListener does not encrypt, and authenticates only with Options.Verify.
// Use a loopback address, a socket that other users cannot open, or a TLS
// listener.
func ServeListener(ctx context.Context, d protocol.Dispatcher, l net.Listener, opts *Options) error {
	if err := peer.CheckServing(ctx, d); err != nil {
		return err
	}
	if l == nil {
		return errors.New("serving: the listener is nil")
	}
	return serveListener(ctx, d, limitConns(l, 0), opts.orDefault())
}

func serveListener(ctx context.Context, d protocol.Dispatcher, l net.Listener, o *Options) error {
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

// accept waits for a connection. After a temporary error, for example too many
// open files, it tries again with a delay of 5 ms to 1 s.
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

// serveConn authenticates and serves one connection, then closes it.
func serveConn(ctx context.Context, d protocol.Dispatcher, conn net.Conn, o *Options) {
	peer := protocol.Peer{Transport: conn.LocalAddr().Network(), Address: conn.RemoteAddr().String()}
	if o.Verify != nil {
		principal, rest, err := authenticate(ctx, conn, o.Verify)
		if err != nil {
			o.Log.Warn("a connection was refused", "peer", peer.Address, "error", err)
			return
		}
		peer.Principal, conn = principal, rest
	}
	if err := serve(ctx, d, newNetLines(conn, o), &peer, o); err != nil {
		o.Log.Warn("a connection failed", "peer", peer.Address, "error", err)
	}
}

// Listen is the Endpoint that serves on a socket, as ServeListener does.
type Listen struct {
	// Network and Address are those of net.Listen. Network defaults to "tcp". A
	// Unix socket has mode 0600 and replaces a socket file without a listener.
	Network, Address string
	// Listener, if set, replaces Network and Address. Serve closes it.
	Listener net.Listener
	// MaxConns is the largest number of open connections. Further connections
	// wait to be accepted. Default 16384.
	MaxConns int
	// Options limit each connection. Nil selects the defaults.
	Options *Options
}

// Serve implements Endpoint.
func (e Listen) Serve(ctx context.Context, d protocol.Dispatcher) error {
	if err := peer.CheckServing(ctx, d); err != nil {
		return err
	}
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
