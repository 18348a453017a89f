// Command server is the server that the official conformance suite tests. It has every tool, resource and prompt of the scenarios,
// for all revisions, at one endpoint. It uses only public packages.
//
//	go run ./internal/test/conformance/server -http 127.0.0.1:3000
//
// serves http://127.0.0.1:3000/mcp.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// endpoint is the URL path of the server.
const endpoint = "/mcp"

func main() {
	address := flag.String("http", "127.0.0.1:0", "`address` to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done.
func run(ctx context.Context, address string) error {
	runner := tasks.New(&tasks.Options{PollInterval: 2 * step})
	defer runner.Close()
	srv := mcp.NewServer(mcp.Implementation{Name: "dougu-conformance", Version: "1.0.0", Title: "Conformance"}, &mcp.ServerOptions{Tasks: runner})
	if err := register(srv); err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s%s\n", l.Addr(), endpoint)
	return transport.HTTP{
		Listener: l,
		Routes:   map[string]transport.Route{endpoint: &httpserver.Options{}},
	}.Serve(ctx, srv)
}

// register registers all features and returns all errors. The first tool must have no arguments, because one scenario calls the
// first tool.
func register(srv *mcp.Server) error {
	tools := contentTools()
	tools = append(tools, slowTools()...)
	tools = append(tools, askingTools()...)
	tools = append(tools, roundTools()...)
	tools = append(tools, schemaTools()...)
	tools = append(tools, strictTools()...)
	tools = append(tools, changingTools(srv)...)
	tools = append(tools, taskTools()...)
	features := mcp.Features{Tools: tools, Resources: resources(), Templates: templates(), Prompts: prompts()}
	return errors.Join(srv.Replace("conformance", features), srv.Err())
}
