package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/dougu-go/dougu/bench/catalog"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// part is a measured process.
type part struct {
	kind     string
	http     bool
	upstream string
}

// serve serves until ctx or the input ends.
func (p part) serve(ctx context.Context) (err error) {
	var d protocol.Dispatcher
	switch p.kind {
	case "server":
		srv := mcp.NewServer(mcp.Implementation{Name: "server", Version: "1.0.0"}, nil)
		err = mcp.AddTool(srv, mcp.Tool{Name: catalog.SmallName, Description: catalog.SmallDescription},
			func(_ context.Context, in catalog.GreetArgs) (catalog.Greeting, error) { return catalog.Greet(in), nil })
		if err != nil {
			return err
		}
		d = srv
	case "gateway":
		program, err := os.Executable()
		if err != nil {
			return err
		}
		var way protocol.Transport = transport.Command{Path: program, Args: []string{"-be", "server"}}
		if p.upstream != "" {
			way = &httpclient.Client{URL: p.upstream}
		}
		g, err := gateway.New(gateway.Options{PingEvery: -1}, gateway.Upstream{Name: "up", Connect: gateway.Always(way)})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, g.Close()) }()
		g.Start(ctx)
		d = g
	default:
		return fmt.Errorf("there is no part %q", p.kind)
	}
	if !p.http {
		return transport.ServeStdio(ctx, d, nil)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "http://%s/mcp\n", l.Addr())
	return transport.Serve(ctx, d, transport.HTTP{Listener: l, Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}})
}
