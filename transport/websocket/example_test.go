package websocket_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/websocket"
)

// The example shows the messages of a client in another language.
func ExampleNewHandler() {
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	h := websocket.NewHandler(srv, nil)
	mux := http.NewServeMux()
	mux.Handle("/ws", h)
	server := httptest.NewServer(mux)
	defer server.Close()

	client, err := mcp.Connect(context.Background(), websocket.Client{URL: server.URL + "/ws"}, mcp.Implementation{Name: "example", Version: "1"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.Server().Server.Name, client.Revision())
	_ = client.Close()
	_ = h.Shutdown(context.Background())
	// Output: hello 2026-07-28
}

// A server is served at several places at once, and ends everywhere with its
// context.
func ExampleOptions() {
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = transport.Serve(ctx, srv, transport.HTTP{
		Listener: l,
		Routes:   map[string]transport.Route{"/ws": websocket.Options{Ping: time.Minute}},
	})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleClient() {
	client := websocket.Client{
		URL:   "wss://tools.example.com/ws",
		Token: func(context.Context) (string, error) { return "a token", nil },
		Reconnect: transport.Reconnect{OnReconnect: func(r transport.Reconnection) {
			fmt.Println("attempt", r.Attempt, "after", r.Cause)
		}},
	}
	fmt.Println(client.URL)
	// Output: wss://tools.example.com/ws
}
