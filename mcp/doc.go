// Package mcp is the Model Context Protocol for servers and clients.
//
// Everything is written in terms of revision 2026-07-28, in which each request
// stands alone and says which revision it speaks and what its client can do.
// Peers of older revisions are translated at the door, by package transport:
// no handler asks which revision it serves.
//
// A server is made of tools, resources and prompts, which are values:
//
//	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
//	err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."},
//		func(ctx context.Context, in GreetArgs) (string, error) { return "Hello, " + in.Name, nil })
//
// A resource is read by its URI, and a template stands for all resources whose
// URIs have one form; its variables are the fields of a struct, as the arguments
// of a tool are:
//
//	err = mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "db://{table}/{id}", Name: "row"},
//		func(ctx context.Context, uri string, in Row) ([]mcp.ResourceContents, error) {
//			return []mcp.ResourceContents{{Text: rows.Find(in.Table, in.ID)}}, nil
//		})
//	srv.ResourceUpdated("db://users/7") // tells who has subscribed to it
//
// A prompt is a conversation to start with. Its arguments complete by
// themselves where they have an enum, and by a function where they are given
// one; so do the variables of templates:
//
//	prompt := mcp.NewPrompt(mcp.Prompt{Name: "review", Description: "Reviews a file."},
//		func(ctx context.Context, in ReviewArgs) (*mcp.PromptResult, error) {
//			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Review " + in.Path)}}, nil
//		}).Complete("path", files.Complete)
//	err = srv.Replace("reviewer", mcp.Features{Prompts: []mcp.ServerPrompt{prompt}})
//
// What a handler may want to know or say beside its arguments comes from its
// context: CallFrom, Progress, Log, Supports, Elicit, Confirm, TraceFrom. An
// error that a tool returns is read by the model; only a *Error is a protocol
// error. A prompt or resource has no other way to fail than a protocol error.
//
// Requests meet in one interface, Dispatcher, which a Server implements and the
// connection of a Client too.
package mcp
