// Package mcp is the Model Context Protocol for servers and clients.
//
// Everything is written in terms of revision 2026-07-28, in which each request
// stands alone and says which revision it speaks and what its client can do.
// Peers of older revisions are translated at the door, by package transport:
// no handler asks which revision it serves.
//
// A server is made of tools, which are values:
//
//	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
//	err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."},
//		func(ctx context.Context, in GreetArgs) (string, error) { return "Hello, " + in.Name, nil })
//
// What a handler may want to know or say beside its arguments comes from its
// context: CallFrom, Progress, Log, Supports, Elicit, Confirm. An error that it
// returns is read by the model; only a *Error is a protocol error.
//
// Requests meet in one interface, Dispatcher, which a Server implements and the
// connection of a Client too.
package mcp
