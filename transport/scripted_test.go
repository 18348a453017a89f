package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// Connect implements protocol.Transport: a server on a socket of this process.
func (s scripted) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err == nil {
			s.serve(conn)
		}
	}()
	return transport.Dial{Network: "tcp", Address: l.Addr().String(), Options: quiet}.Connect(ctx, host)
}

func (s scripted) serve(conn net.Conn) {
	defer conn.Close()
	newNetLines := bufio.NewScanner(conn)
	for newNetLines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if json.Unmarshal(newNetLines.Bytes(), &m) != nil {
			continue
		}
		answer, ok := s[m.Method]
		if !ok {
			answer, ok = s[m.Method+" "+m.Params.ProtocolVersion]
		}
		if ok {
			_, _ = conn.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + answer + "}\n"))
		}
	}
}
