package localuser_test

import (
	"context"
	"log"
	"log/slog"
	"net"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/localuser"
)

// A server on a loopback address that closes the connections of other users of the machine.
func ExampleListen() {
	listener, err := net.Listen("tcp", "127.0.0.1:3000")
	if err != nil {
		log.Fatal(err)
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "own", Version: "1.0.0"}, nil)
	err = transport.Serve(context.Background(), srv, transport.HTTP{
		Listener: localuser.Listen(listener, slog.Default()),
		Routes:   map[string]transport.Route{"/mcp": httpserver.Options{}},
	})
	log.Print(err)
}
