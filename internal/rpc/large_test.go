package rpc_test

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/rpc"
)

// TestConn_LargeResponse checks that a response over the limit ends its request, wherever its members stand.
func TestConn_LargeResponse(t *testing.T) {
	large := `"result":{"text":"` + strings.Repeat("x", 20_000) + `"}`
	for name, tc := range map[string]struct {
		response string
		ends     int // of two pending requests
	}{
		"the id first": {`{"jsonrpc":"2.0","id":ID,` + large + `}`, 1},
		"an error":     {`{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"` + strings.Repeat("x", 20_000) + `"}}`, 1},
		"the id last":  {`{"jsonrpc":"2.0",` + large + `,"id":ID}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHandler()
			near, far := net.Pipe()
			h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 10_000), h, rpc.Options{})
			p := &peer{t: t, h: h, conn: h.conn, net: near, in: bufio.NewReaderSize(near, 1<<20), end: make(chan error, 1)}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { p.end <- h.conn.Run(ctx) }()
			t.Cleanup(func() {
				near.Close()
				cancel()
				<-p.end
			})
			var pending []*rpc.Pending
			for range 2 {
				one, err := p.conn.Reserve()
				if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, one)
			}
			p.send(strings.Replace(tc.response, "ID", string(pending[0].ID), 1), request(`"x"`, `now`))
			p.expect(result(`"x"`, `null`)) // the response was read before
			ended, over := context.WithCancel(t.Context())
			over()
			for i, one := range pending {
				_, err := one.Wait(ended)
				if failed := err != nil && strings.Contains(err.Error(), "over the limit"); failed != (i < tc.ends) {
					t.Errorf("request %d ends with %v", i, err)
				}
			}
		})
	}
}
