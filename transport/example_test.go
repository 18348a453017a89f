package transport_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type stdout struct{ *os.File }

func (stdout) Close() error { return nil }

// One line in, one line out. A program that serves its own standard input and
// output calls ServeStdio instead.
func ExampleServeIO() {
	srv := mcp.NewServer(mcp.Implementation{Name: "empty", Version: "1.0.0"}, nil)
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	if err := transport.ServeIO(context.Background(), srv, in, stdout{os.Stdout}, nil); err != nil {
		log.Fatal(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

// A client survives a short outage of its server.
func ExampleReconnecting() {
	srv := mcp.NewServer(mcp.Implementation{Name: "empty", Version: "1.0.0"}, nil)
	reconnecting := transport.Reconnecting{
		Transport: transport.InMemory{Server: srv}, // or a Dial, a Command …
		Reconnect: transport.Reconnect{Attempts: 10, OnReconnect: func(r transport.Reconnection) {
			log.Printf("attempt %d, because %v: %v", r.Attempt, r.Cause, r.Err)
		}},
	}
	client, err := mcp.Connect(context.Background(), reconnecting, mcp.Implementation{Name: "example", Version: "1"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(client.Ping(context.Background()))
	// Output: <nil>
}

func ExampleInMemory() {
	srv := mcp.NewServer(mcp.Implementation{Name: "empty", Version: "1.0.0"}, nil)
	client, err := mcp.Connect(context.Background(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "example", Version: "1"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(client.Server().Server.Name, client.Revision())
	// Output: empty 2026-07-28
}
