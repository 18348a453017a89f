package transport

import (
	"context"
	"errors"
	"net"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// InMemory is an protocol.Transport to a server in the same process. Messages are
// encoded as on other transports. Each connection has its own server side,
// which Close ends.
type InMemory struct {
	// Server serves all connections.
	Server protocol.Dispatcher
	// Options limit both sides of a connection. Nil selects the defaults.
	Options *Options
}

// Connect implements protocol.Transport.
func (t InMemory) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	if err := peer.CheckServing(ctx, t.Server); err != nil {
		return nil, err
	}
	o := t.Options.orDefault()
	near, far := net.Pipe()
	conn := &memoryConn{}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	conn.stop = stop
	conn.server.Go(func() {
		conn.err = serve(serving, t.Server, newNetLines(far, o), &protocol.Peer{Transport: "memory"}, o)
	})
	client, err := connect(ctx, newNetLines(near, o), host, o)
	if err != nil {
		stop()
		conn.server.Wait()
		return nil, err
	}
	conn.clientConn = client
	return conn, nil
}

// memoryConn is the client side of an in-memory connection. It owns the server side.
type memoryConn struct {
	*clientConn
	server group.Group // one goroutine: the server side
	stop   context.CancelFunc
	err    error // the result of the server side
}

// Close ends both sides and returns the errors of both.
func (c *memoryConn) Close() error {
	err := c.clientConn.Close()
	c.stop()
	c.server.Wait()
	return errors.Join(err, c.err)
}

func newNetLines(c net.Conn, o *Options) rpc.Stream { return rpc.NewNetLines(c, o.MaxMessage) }
