// Command sequentialthinking keeps the thoughts of a model about a problem: steps, revisions and branches.
package main

import (
	"context"
	"errors"
	"flag"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func main() {
	address := flag.String("http", "", "`address` to serve at, in place of standard input and output")
	flag.Parse()
	s := &sessions{all: map[string]*thinking{}}
	server := mcp.NewServer(mcp.Implementation{Name: "sequential-thinking"}, nil)
	resource := mcp.Resource{Name: "thinking_sessions", Description: "Access thinking session data and history", URI: "thinking://sessions", MIMEType: "application/json"}
	err := errors.Join(
		mcp.AddTool(server, mcp.Tool{Name: "start_thinking", Description: "Begin a new sequential thinking session for a complex problem"}, s.start),
		mcp.AddTool(server, mcp.Tool{Name: "continue_thinking", Description: "Add the next thought step, revise a previous step, or create a branch"}, s.next),
		mcp.AddTool(server, mcp.Tool{Name: "review_thinking", Description: "Review the complete thinking process for a session"}, s.review),
		mcp.AddResource(server, resource, s.history),
	)
	ctx := context.Background()
	switch {
	case err != nil:
	case *address == "":
		err = transport.ServeStdio(ctx, server, nil)
	default:
		err = transport.Serve(ctx, server, transport.HTTP{Address: *address, Routes: map[string]transport.Route{"/": httpserver.Options{}}})
	}
	if err != nil {
		log.Fatal(err)
	}
}
