// Package transport connects servers and clients of package mcp over standard
// input and output, child processes, sockets, memory and HTTP.
//
// A server side is an Endpoint: Stdio, Listen or HTTP. Serve runs several
// endpoints with one protocol.Dispatcher and ends all of them together. HTTP serves
// several paths. A Route creates the http.Handler of a path; packages httpserver
// and websocket implement Route.
//
// A client side is an protocol.Transport: Command, Dial or InMemory. Reconnecting
// opens the connections of another Transport again after they break.
//
// A new transport implements Stream, which reads and writes single messages.
// ServeStream and ConnectStream do the rest.
//
// One connection may carry requests of revision 2026-07-28 and a session of a
// legacy revision. The package translates the legacy requests, so that the
// Dispatcher receives the form of 2026-07-28 only. Options limit the memory and
// the time that a peer can use. No transport of this package encrypts, except
// HTTP with TLS.
package transport
