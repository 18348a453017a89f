// Command gatewayfront runs the fixture behind a gateway. It starts the program "fixture" beside it as its upstream and forwards
// all requests. The suffix of the program's name is the revision of the upstream connection, for example front-2025-11-25. It has
// the flags of the fixture.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

func main() {
	address := flag.String("http", "", "serve HTTP, its older form and WebSocket at this `address`, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		fmt.Fprintln(os.Stderr, "fixture: failed:", err)
		os.Exit(1)
	}
}

// inRevision is a transport that negotiates only one revision.
type inRevision struct {
	protocol.Transport
	rev protocol.Revision
}

// Connect implements protocol.Transport.
func (t inRevision) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	own := *host
	own.Revision = t.rev
	return t.Transport.Connect(ctx, &own)
}

func run(ctx context.Context, address string) (err error) {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	_, rev, _ := strings.Cut(strings.TrimSuffix(filepath.Base(program), ".exe"), "-")
	fixture := transport.Command{
		Path:   filepath.Join(filepath.Dir(program), "fixture"),
		Stderr: func(line string) { fmt.Fprintln(os.Stderr, line) },
	}
	g, err := gateway.New(gateway.Options{Info: mcp.Implementation{Name: "fixture", Version: "1.2.3", Title: "Test fixture"}, Instructions: "Call what the test asks for."},
		gateway.Upstream{Name: "fixture", Bare: true, NoInstructions: true, Connect: gateway.Always(inRevision{fixture, protocol.Revision(rev)})})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	endpoints := []transport.Endpoint{transport.Stdio{}}
	if address != "" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf("listening: %w", err)
		}
		fmt.Fprintf(os.Stderr, "fixture: listening on http://%s\n", l.Addr())
		endpoints = append(endpoints, transport.HTTP{Listener: l, Routes: map[string]transport.Route{
			"/mcp": &httpserver.Options{}, "/sse": &httpserver.SSEOptions{}, "/ws": &websocket.Options{},
		}})
	}
	return transport.Serve(ctx, g, endpoints...)
}
