package transport

import (
	"context"
	"errors"
	"net"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// InMemory connects clients to a server in the same process, through the whole
// protocol. Every connection has its own server side.
type InMemory struct {
	Server mcp.Dispatcher
	// Options are those of both sides; nil has the defaults.
	Options *Options
}

// Connect implements mcp.Transport.
func (t InMemory) Connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	o := t.Options.orDefault()
	near, far := net.Pipe()
	conn := &memoryConn{}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	conn.stop = stop
	conn.server.Go(func() {
		conn.err = serve(serving, t.Server, lines(far, o), &mcp.Peer{Transport: "memory"}, o)
	})
	client, err := connect(ctx, lines(near, o), host, o)
	if err != nil {
		stop()
		conn.server.Wait()
		return nil, err
	}
	conn.clientConn = client
	return conn, nil
}

// memoryConn is a client's side that owns the server's.
type memoryConn struct {
	*clientConn
	server group.Group
	stop   context.CancelFunc
	err    error
}

// Close ends both sides.
func (c *memoryConn) Close() error {
	err := c.clientConn.Close()
	c.stop()
	c.server.Wait()
	return errors.Join(err, c.err)
}

func lines(c net.Conn, o *Options) rpc.Stream { return rpc.NewNetLines(c, o.MaxMessage) }
