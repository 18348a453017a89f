// Package transport connects servers and clients of package mcp: over standard
// input and output, with a child process, over sockets, through memory, or over a
// Stream of one's own. Serve serves at several endpoints at once, among them HTTP
// with the routes of packages httpserver and websocket.
//
// It is also the door at which revisions meet: a connection may carry requests
// of revision 2026-07-28 and a session of an older one at the same time, and
// what is behind it sees only the former.
package transport
