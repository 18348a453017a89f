package transport_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// endpoint implements Endpoint with a function.
type endpoint func(ctx context.Context, d protocol.Dispatcher) error

func (e endpoint) Serve(ctx context.Context, d protocol.Dispatcher) error { return e(ctx, d) }

func TestServe_SeveralEndpoints(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	second, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- transport.Serve(ctx, fixture(t), transport.Listen{Listener: first, Options: quiet}, transport.Listen{Listener: second, Options: quiet})
	}()
	for _, l := range []net.Listener{first, second} {
		client, err := mcp.Connect(t.Context(), transport.Dial{Network: "tcp", Address: l.Addr().String(), Options: quiet}, mcp.Implementation{Name: "test"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "net"}); err != nil || text != "Hello, net" {
			t.Errorf("greet: %q, %v", text, err)
		}
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("serving: %v", err)
	}
}

// The end of one endpoint ends all.
func TestServe_OneEndpointEnds(t *testing.T) {
	boom := errors.New("boom")
	for name, tc := range map[string]struct {
		ends endpoint
		want string // part of the error; empty: none
	}{
		"a failure":  {ends: func(context.Context, protocol.Dispatcher) error { return boom }, want: "boom\nlate"},
		"an end":     {ends: func(context.Context, protocol.Dispatcher) error { return nil }, want: "late"},
		"a panic":    {ends: func(context.Context, protocol.Dispatcher) error { panic("argh") }, want: "panic while serving: argh"},
		"an address": {ends: transport.HTTP{Address: "nowhere", Routes: map[string]transport.Route{"/": newOpenRoute()}}.Serve, want: "missing port"},
	} {
		t.Run(name, func(t *testing.T) {
			waiting := endpoint(func(ctx context.Context, _ protocol.Dispatcher) error {
				<-ctx.Done()
				return errors.New("late")
			})
			err := transport.Serve(t.Context(), mcp.NewServer(mcp.Implementation{Name: "unused"}, nil), waiting, tc.ends)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "late") {
				t.Errorf("serving: %v, want an error with %q", err, tc.want)
			}
		})
	}
	if err := transport.Serve(t.Context(), nil); err != nil {
		t.Errorf("serving nowhere: %v", err)
	}
}
