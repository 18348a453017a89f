// Package httpserver serves MCP over HTTP: Streamable HTTP of every revision
// that has it, and HTTP+SSE of 2024-11-05.
//
// A Handler serves one server at one address to clients of all revisions. It is
// an http.Handler: mount it at any path, behind authentication. Options is a
// route of transport.HTTP, which has an http.Server with safe limits.
//
// A request takes one of two ways through a Handler. A request of 2026-07-28
// stands alone: it is served on the goroutine of its HTTP request and is
// cancelled when the client leaves. A request of an older revision belongs to a
// session, which initialize opens: it becomes a call on a goroutine of its own,
// whose stream of events outlives the HTTP response. A client whose connection
// breaks resumes the stream with the id of its last event.
//
// A session belongs to one Handler, or to all Handlers that have the same
// Options.Shared. An EventStore keeps the events for clients that resume.
// Events beyond its limits are lost, and the client receives an error.
package httpserver
