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

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Dial is an protocol.Transport that connects to a server on a TCP or Unix socket.
type Dial struct {
	// Network and Address are those of net.Dial.
	Network, Address string
	// Token, if set, authenticates the client at a server with Options.Verify.
	// It is sent without encryption: use it on a Unix socket or a loopback
	// address only. A token with a line break is an error.
	Token string
	// Options limit the connection. Nil selects the defaults.
	Options *Options
}

// Connect implements protocol.Transport.
func (t Dial) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
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
	stream := &refusalStream{Stream: newNetLines(conn, o)}
	client, err := connect(ctx, stream, host, o)
	if err != nil {
		if why := stream.why.Load(); why != nil {
			err = fmt.Errorf("the server refused the connection: %s: %w", *why, err)
		}
		return nil, err
	}
	return client, nil
}

// refusalStream is a Stream that keeps the message of an error without an id in
// the first frame. With such a frame a server refuses the connection.
type refusalStream struct {
	Stream
	wasRead bool                   // the first frame was read
	why     atomic.Pointer[string] // nil unless the server has refused the connection
}

// Read implements Stream.
func (s *refusalStream) Read() ([]byte, error) {
	frame, err := s.Stream.Read()
	if err == nil && !s.wasRead {
		s.wasRead = true
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
