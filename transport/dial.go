package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// Dial connects clients to a server that listens on a TCP or Unix socket.
type Dial struct {
	Network, Address string // as for net.Dial
	// Token, if set, authenticates the client where Options.Verify asks for
	// that. Nothing encrypts it: it belongs on a Unix socket or a loopback
	// address.
	Token   string
	Options *Options // nil has the defaults
}

// Connect implements mcp.Transport.
func (t Dial) Connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	if strings.ContainsAny(t.Token, "\r\n") {
		return nil, errors.New("a token has no line breaks")
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, t.Network, t.Address)
	if err != nil {
		return nil, err
	}
	if t.Token != "" {
		_ = conn.SetWriteDeadline(time.Now().Add(bearerTimeout))
		if _, err := conn.Write([]byte(bearerPrefix + t.Token + "\n")); err != nil {
			return nil, errors.Join(fmt.Errorf("sending the token: %w", err), conn.Close())
		}
		_ = conn.SetWriteDeadline(time.Time{})
	}
	o := t.Options.orDefault()
	stream := &refusable{Stream: lines(conn, o)}
	client, err := connect(ctx, stream, host, o)
	if err != nil {
		if why := stream.why.Load(); why != nil {
			err = fmt.Errorf("the server refuses the connection: %s: %w", *why, err)
		}
		return nil, err
	}
	return client, nil
}

// refusable is a stream whose first frame may say why the server does not want
// the client.
type refusable struct {
	Stream
	begun bool
	why   atomic.Pointer[string]
}

// Read implements Stream.
func (s *refusable) Read() ([]byte, error) {
	frame, err := s.Stream.Read()
	if err == nil && !s.begun {
		s.begun = true
		var m struct {
			ID    json.RawMessage `json:"id"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(frame, &m) == nil && m.ID == nil && m.Error != nil {
			s.why.Store(&m.Error.Message)
		}
	}
	return frame, err
}
