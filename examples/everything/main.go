//lint:file-ignore SA1019 sampling and roots are deprecated, and features of the protocol all the same

// Command everything is the reference server with every feature of the protocol, server-everything of the repository
// modelcontextprotocol/servers, written with this library: the same tools, resources, prompts and completions for the tests of clients.
//
//	everything                         # on standard input and output
//	everything -http 127.0.0.1:3001    # Streamable HTTP at /mcp, HTTP+SSE at /sse
//
// It differs on purpose: unknown arguments are refused; numbers that count are integers; the log messages of toggle-simulated-logging
// belong to the call, as revision 2026-07-28 has it; the two switches and the files of gzip-file-as-resource are those of the server and
// not of a session; files are fetched from the domains in GZIP_ALLOWED_DOMAINS alone; the documents are its own; and questions that a
// client answers as a task of its own, which revision 2026-07-28 has not, are missing.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"os/signal"
	"sync"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func main() {
	address := flag.String("http", "", "`address` to serve HTTP at, in place of standard input and output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *address); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string) error {
	runner := tasks.New(nil)
	defer runner.Close()
	e := &everything{subscribed: map[string]int{}, issued: map[string]bool{}}
	defer e.close()
	e.server = mcp.NewServer(
		mcp.Implementation{Name: "mcp-servers/everything", Title: "Everything Reference Server", Version: "2.0.0"},
		&mcp.ServerOptions{Instructions: document("instructions.md"), Tasks: runner, Authorize: authorize},
	)
	e.server.Use(e.watchSubscriptions)
	if err := errors.Join(e.addTools(), e.addQuestions(), e.addResources(), e.addPrompts()); err != nil {
		return err
	}
	if address == "" {
		return transport.ServeStdio(ctx, e.server, nil)
	}
	return transport.Serve(ctx, e.server, transport.HTTP{Address: address, Routes: map[string]transport.Route{
		"/mcp": httpserver.Options{}, "/sse": httpserver.SSEOptions{},
	}})
}

// everything is the state of the server.
type everything struct {
	server *mcp.Server

	mu         sync.Mutex
	logging    bool            // simulated logging is on
	updates    chan struct{}   // closed to end the simulated updates; nil if they are off
	subscribed map[string]int  // numbers of subscriptions by URI
	issued     map[string]bool // calls of trigger-url-elicitation that have had their error
	workers    sync.WaitGroup
}

// close ends the simulated updates.
func (e *everything) close() {
	e.mu.Lock()
	if e.updates != nil {
		close(e.updates)
		e.updates = nil
	}
	e.mu.Unlock()
	e.workers.Wait()
}

// authorize hides the tools that ask from clients that cannot answer.
func authorize(_ context.Context, req *protocol.Request, tool mcp.ServerTool) error {
	client := req.Meta.Capabilities()
	if missing := map[string]bool{
		"get-roots-list":              client.Roots == nil,
		"trigger-sampling-request":    client.Sampling == nil,
		"trigger-elicitation-request": client.Elicitation == nil,
		"trigger-url-elicitation":     client.Elicitation == nil || client.Elicitation.URL == nil,
	}[tool.Tool().Name]; missing {
		return errors.New("the client cannot answer the question of this tool")
	}
	return nil
}
