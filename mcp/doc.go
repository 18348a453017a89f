// Package mcp is the Model Context Protocol for servers and clients.
//
// A Server offers tools, resources and prompts. A Client uses a server through a
// transport of package transport. Both handle requests through one interface,
// protocol.Dispatcher, and so does middleware between them. All of them are safe
// for concurrent use. Package protocol has the messages; middleware of requests
// and functions for notifications name its types.
//
// Requests have the form of revision 2026-07-28: each one is independent and
// declares its revision and the capabilities of its client. Package transport
// translates older revisions, so that no handler depends on a revision.
//
// Tools, resources and prompts are values that a server registers:
//
//	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
//	err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."},
//		func(ctx context.Context, in GreetArgs) (string, error) { return "Hello, " + in.Name, nil })
//
// A client reads a resource by its URI. A template describes all resources with
// URIs of one form. Its variables are the fields of a struct, like the arguments
// of a tool:
//
//	err = mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "db://{table}/{id}", Name: "row"},
//		func(ctx context.Context, uri string, in Row) ([]mcp.ResourceContents, error) {
//			return []mcp.ResourceContents{{Text: rows.Find(in.Table, in.ID)}}, nil
//		})
//	srv.ResourceUpdated("db://users/7") // notifies subscribed clients
//
// A prompt is a conversation with which a user can start. An argument with an
// enum gets completions automatically, other arguments from a function. The same
// holds for the variables of templates:
//
//	prompt := mcp.NewPrompt(mcp.Prompt{Name: "review", Description: "Reviews a file."},
//		func(ctx context.Context, in ReviewArgs) (*mcp.PromptResult, error) {
//			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Review " + in.Path)}}, nil
//		}).Complete("path", files.Complete)
//	err = srv.Replace("reviewer", mcp.Features{Prompts: []mcp.ServerPrompt{prompt}})
//
// A handler finds everything beside its arguments in its context: CallFrom,
// Progress, Log, Supports, Elicit, Confirm and TraceFrom. An error of a tool
// becomes a result for the model; only a *protocol.Error is a protocol error. Every error
// of a prompt or resource is a protocol error.
package mcp
